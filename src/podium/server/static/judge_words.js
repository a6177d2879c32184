// What the page says. Each state knows the page's flow (`judging`), and gives a title, a text, and buttons as [label, action].

const SAVED = "All your answers are saved.";
const DONE = { answers: "Saved.", skips: "Skipped.", undo: "Your answer was taken back.", redo: "Your answer counts again." };

export const CANNOT_KEEP =
  "This browser cannot keep answers (its storage is full or forbidden): close this page only when it says that your answer is saved.";
export const NOTHING_NEW = "Nothing new so far.";
export const ONE_MOMENT = "One moment: your last answer waits for the connection, and the next one can be given after it.";

// After the server took `what`; undefined if nothing was sent.
export function doneWords(what, isAnother) {
  return isAnother ? `${DONE[what]} Another question comes first.` : (DONE[what] ?? SAVED);
}

// After it refused for good.
export function refusalWords({ what, code, message }) {
  if (what !== "answers" && what !== "skips") return message;
  return code === "conflict" ? "This question was answered elsewhere; that answer counts." : `Your last answer was not taken: ${message}`;
}

// After answers were sent that tabs which are gone had left behind.
export function oldWords(replies) {
  const refused = replies.find((reply) => !reply.isTaken && !reply.isKept);
  if (refused) return refusalWords(refused);
  return replies.some((reply) => reply.isTaken) ? "An answer that was kept here has been sent." : "";
}

// What became of what was said last, when nobody can judge here now: `reply` is to it, or to a mere question for what is next.
export function stopWords({ what, isTaken }, note) {
  if (note) return note;
  return what && !isTaken ? "The server did not do that." : doneWords(what);
}

export function keptWords(isLasting) {
  return `Your last answer is kept in this ${isLasting ? "browser" : "page, which must stay open"}, and not sent yet.`;
}

export function troubleWords({ status }, isEmpty, isLasting) {
  const what = { 0: "No connection.", 429: "The server asks for a moment." }[status] ?? "The server has a problem.";
  if (isEmpty) return `${what} This page tries again by itself.`;
  return `${what} Your answer is kept and will be sent${isLasting ? "" : "; do not close this page"}.`;
}

// Why nobody can judge here now, and what to do.
const BARRED = (judging) => ({
  title: "You cannot judge here any more",
  text: "You are not one of this project's judges now, or the project is gone. Ask whoever runs it to let you in again, then try again.",
  buttons: [["Try again", () => judging.begin()]],
});

export const STOPS = {
  unauthorised: (judging) => ({
    title: "You are signed out",
    text: "Your session has ended. Open your link again in this browser, or ask for a new one; then come back to this page.",
    buttons: [["Try again", () => judging.begin()]],
  }),
  not_found: BARRED,
  not_allowed: BARRED,
  elsewhere: (judging) => ({
    title: "You are judging in another tab or on another device",
    text: "Only one place at a time can judge, so that no answer is given twice.",
    buttons: [["Judge here instead", () => judging.begin(true)]],
  }),
  closed: (judging) => ({
    title: "This project is closed",
    text: "No judgments are taken at the moment. Thank you for those you have given.",
    buttons: [["Look again", () => judging.begin()]],
  }),
};

// Somebody else has signed in in this browser since the page was opened.
export function strangerStop(judging, owner, other) {
  return {
    title: `${other} is signed in in this browser`,
    text: `This page was opened by ${owner}, and nobody judges in another's name. ${owner}: open your link again in this browser, then try again.`,
    buttons: [
      ["Try again", () => judging.begin()],
      [`Go on as ${other}`, () => location.assign("/")],
    ],
  };
}

const again = (judging) => ["Look again", () => judging.lookAgain()];
const takeBack = (judging) => ["Take back my last answer", () => judging.takeBack("undo")];

export const RESTS = {
  wait: (judging) => ({
    title: "Nothing for you just now",
    text: "What is left needs other assessors: they have it, or it waits for them. If something comes up for you, it will appear here by itself.",
    buttons: [again(judging), takeBack(judging)],
  }),
  empty: (judging) => ({
    title: "There is nothing to judge yet",
    text: "This project has no queries so far. As soon as it has, the first question will appear here by itself.",
    buttons: [again(judging), ["Back to my projects", () => location.assign("/")]],
  }),
  finished: (judging, { done, queries_done: queries }) => ({
    title: "All done. Thank you!",
    text: `You gave ${many(done, "judgment")} in ${many(queries, "query", "queries")}.`,
    buttons: [["Back to my projects", () => location.assign("/")], again(judging), takeBack(judging)],
  }),
};

function many(number, one, several = `${one}s`) {
  return `${number} ${number === 1 ? one : several}`;
}
