// Documents as they are shown. Others wrote them: text goes in as text, HTML into a frame without rights, addresses are looked at first.

const COMMON = new Set(
  "a about all an and any are as at be been by can could did do does for from had has have how i if in into is it its me must my no not of on or our over some such than that the their then there these this to under was were what when where which who will with would you your".split(" "),
);

// Words that differ only in a usual English ending have one stem: flutter, flutters, fluttering, fluttered.
export function stem(word) {
  let found = word.toLowerCase();
  if (/[^aeiou]ies$/.test(found) && found.length > 4) found = found.replace(/ies$/, "y");
  else if (/[^s]s$/.test(found) && found.length > 3) found = found.slice(0, -1);
  const bare = found.replace(/(?:ing|(?<!e)ed)$/, "");
  if (bare.length > 2 && /[aeiouy]/.test(bare)) found = bare;
  if (/([^aeiouls])\1$/.test(found)) found = found.slice(0, -1); // stopping, stopped
  return found.length > 3 ? found.replace(/e$/, "") : found;
}

export function stemsOf(query) {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !COMMON.has(word.toLowerCase())).map(stem));
}

function marked(text, stems) {
  const pieces = text.split(/([\p{L}\p{N}]+)/u); // words stand at the odd places
  const nodes = [];
  let plain = "";
  pieces.forEach((piece, place) => {
    if (place % 2 === 0 || !stems.has(stem(piece))) {
      plain += piece;
      return;
    }
    nodes.push(plain, element("mark", {}, piece));
    plain = "";
  });
  return [...nodes, plain];
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const SHOWN = {
  text: (shown, stems) =>
    shown.text.trim()
      ? element("div", { class: "judge-text", dir: "auto" }, ...marked(reflowed(shown.text), stems))
      : element("p", { class: "judge-text judge-empty" }, shown.title ? "This document has no text." : "This document is empty."),
  html: (shown) => element("iframe", { class: "judge-frame", sandbox: "", src: shown.url, title: shown.title || "Document", referrerpolicy: "no-referrer" }),
  image: (shown) =>
    shown.url.startsWith("data:image/")
      ? element("img", { class: "judge-image", src: shown.url, alt: shown.text || shown.title || "An image without a description" })
      : element("p", {}, "This image cannot be shown."),
  link: (shown, stems) =>
    element("div", { class: "judge-text" }, link(shown.url), element("p", { dir: "auto" }, ...marked(shown.text, stems))),
};

// Lines that were broken to fit another width run on: those whose next one begins with a small letter.
function reflowed(text) {
  return text.replace(/[ \t\r]*\n[ \t]*(?=\p{Ll})/gu, " ");
}

function link(address) {
  if (!/^https?:\/\//i.test(address)) return element("p", {}, address);
  const opened = element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address);
  return element("p", {}, opened, " (opens a new tab)");
}

// One side of the page. Documents that may come next are made beforehand and hidden, so that frames and images are there when they are shown.
export class Pane {
  #stage;
  #made = new Map();

  constructor(stage) {
    this.#stage = stage;
  }

  prepare(shown, question) {
    const key = JSON.stringify([question.query_id, shown.id]);
    if (!this.#made.has(key)) {
      const stems = stemsOf(question.query);
      const heading = shown.title ? [element("h3", { dir: "auto" }, ...marked(shown.title, stems))] : [];
      const made = element("article", { class: `judge-document judge-${shown.kind}`, "data-document": shown.id, hidden: "" });
      made.append(...heading, (SHOWN[shown.kind] ?? SHOWN.text)(shown, stems));
      this.#made.set(key, made);
      this.#stage.append(made);
    }
    return this.#made.get(key);
  }

  // Show this document and forget all others. One that stays where it was is left as it was, scrolled to where it was read.
  show(shown, question) {
    const chosen = shown && this.prepare(shown, question);
    for (const [key, made] of this.#made) {
      if (made === chosen) continue;
      made.remove();
      this.#made.delete(key);
    }
    if (!chosen || !chosen.hidden) return;
    chosen.hidden = false;
    this.#stage.scrollTop = 0;
  }

  scroll(pages) {
    this.#stage.scrollBy({ top: pages * this.#stage.clientHeight });
  }
}
