// A project's progress, live: asked for every three seconds while the page is looked at. The server draws the page; here only what has changed
// is written into it, so that nobody's focus or place is lost. If rows have come or gone, the page is fetched anew and its live part replaced.

import { send } from "./api.js";

const EVERY = 3000; // milliseconds
const SVG = "http://www.w3.org/2000/svg";

let live = document.getElementById("live");
let timer = 0;
let shown = "";

const thousands = (count) => count.toLocaleString("en");
const seconds = (value) => (value === null || value === undefined ? "–" : `${value.toFixed(1)} s`);

function moment(text) {
  if (!text) return "never";
  const at = new Date(text);
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
}

function write(place, text) {
  if (place && place.textContent !== text) place.textContent = text;
}

function field(place, name) {
  return place.querySelector(`[data-field="${name}"]`);
}

function showWhole(progress) {
  for (const name of ["judgments", "about_left", "tasks_finished", "tasks"]) write(field(live, name), thousands(progress[name]));
  write(field(live, "here"), String(progress.members.filter((member) => member.is_here).length));
  const bar = live.querySelector("[data-whole]");
  bar.max = progress.judgments + progress.about_left || 1;
  bar.value = progress.judgments;
}

function showMember(row, member) {
  row.querySelector("[data-here]").hidden = !member.is_here;
  write(field(row, "judgments"), thousands(member.judgments));
  write(field(row, "tasks_finished"), `${member.tasks_finished} of ${member.tasks}`);
  write(field(row, "median_seconds"), seconds(member.median_seconds));
  write(field(row, "gold"), member.gold_asked ? `${member.gold_right} of ${member.gold_asked}` : "–");
  write(field(row, "last_at"), moment(member.last_at));
}

function showTask(cell, task) {
  cell.classList.toggle("cell-done", task.is_finished);
  cell.classList.toggle("cell-begun", !task.is_finished && task.judgments > 0);
  write(field(cell, "state"), (task.is_finished ? "finished, " : "") + (task.judgments || "not begun"));
}

// Whether the page has the rows of this progress, with the names that the server wrote into them. Of very many queries it shows the first.
function hasRowsOf(progress) {
  const judges = progress.members.filter((member) => member.role === "judge").map((member) => [member.member, member.name]);
  const rows = [...live.querySelectorAll("[data-member]")].map((row) => [Number(row.dataset.member), row.dataset.name]);
  const tasks = progress.queries_table.flatMap((row) => row.tasks).map((task) => [task.task, task.assessor ?? ""]);
  const cells = [...live.querySelectorAll("[data-task]")].map((cell) => [Number(cell.dataset.task), cell.dataset.name]);
  const hasSome = cells.length > 0 || tasks.length === 0;
  return hasSome && JSON.stringify([judges, tasks.slice(0, cells.length)]) === JSON.stringify([rows, cells]);
}

function made(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

let days = [];
function drawDays() {
  const figure = live.querySelector("[data-chart]");
  figure.hidden = days.length === 0;
  live.querySelector("[data-no-chart]").hidden = days.length > 0;
  if (days.length === 0) return;
  const last = days.slice(-28);
  const most = Math.max(...last.map((day) => day.judgments), 1);
  const [width, height, foot, head] = [figure.clientWidth - 2 * parseFloat(getComputedStyle(figure).paddingLeft), 150, 22, 18];
  const step = Math.min(width / last.length, 90);
  const told = last.map((day) => `${day.day}: ${day.judgments}`).join("; ");
  const svg = made("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `Judgments per day. ${told}` });
  svg.append(made("line", { x1: 0, x2: width, y1: height - foot, y2: height - foot, class: "axis" }));
  last.forEach(({ day, judgments }, place) => {
    const tall = ((height - foot - head) * judgments) / most;
    const middle = place * step + step / 2;
    svg.append(made("rect", { x: place * step + step * 0.15, y: height - foot - tall, width: step * 0.7, height: tall, rx: 3, class: "bar-mark" }));
    if (step >= 40 || judgments === most) svg.append(made("text", { x: middle, y: height - foot - tall - 5, "text-anchor": "middle" }, thousands(judgments)));
    if (step >= 40 || place % 7 === 0) svg.append(made("text", { x: middle, y: height - 6, "text-anchor": "middle" }, day.slice(5)));
  });
  const caption = document.createElement("figcaption");
  caption.textContent = `${last[0].day} to ${last.at(-1).day}, days in UTC; ${thousands(last.reduce((sum, day) => sum + day.judgments, 0))} judgments.`;
  figure.replaceChildren(svg, caption);
}

async function fetchAnew() {
  const response = await fetch(location.href, { credentials: "same-origin" });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  if (!fresh) return;
  live.replaceWith(document.adoptNode(fresh));
  live = fresh;
}

async function update() {
  const progress = await send("GET", live.dataset.progress);
  const text = JSON.stringify(progress);
  if (text === shown) return;
  if (!hasRowsOf(progress)) await fetchAnew();
  shown = text;
  showWhole(progress);
  for (const member of progress.members) {
    const row = live.querySelector(`[data-member="${member.member}"]`);
    if (row) showMember(row, member);
  }
  for (const { tasks } of progress.queries_table) {
    for (const task of tasks) {
      const cell = live.querySelector(`[data-task="${task.task}"]`);
      if (cell) showTask(cell, task);
    }
  }
  days = progress.by_day;
  drawDays();
}

async function beat() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    await update();
    write(live.querySelector("[data-beat]"), "Live");
  } catch (error) {
    if (error.status === 401) {
      write(live.querySelector("[data-beat]"), "Not live: you are signed out. Sign in again, then come back to this page.");
      return; // to be looked at again when the page is
    }
    write(live.querySelector("[data-beat]"), `Not live: ${error.message}`);
  }
  clearTimeout(timer);
  timer = setTimeout(beat, EVERY);
}

document.addEventListener("visibilitychange", beat);
addEventListener("resize", drawDays); // its text has one size, whatever its width
beat();
