// Elements made from code; whatever was said by a model or written in a file enters as text only.
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SVG = "http://www.w3.org/2000/svg";
const KINDS = { simulated: "simulated", recorded: "recorded" };
const models = new Map(about.models.map(([slug, label, kind]) => [slug, { slug, label, kind }]));

function fill(made, facts, children) {
  for (const [name, value] of Object.entries(facts || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else made.setAttribute(name, value === true ? "" : value);
  }
  return put(made, ...children);
}
// Append what is not left out, however deep it lies in lists.
function put(node, ...children) {
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}
const refill = (node, ...children) => { node.replaceChildren(); return put(node, ...children); };
const el = (tag, facts, ...children) => fill(document.createElement(tag), facts, children);
const svg = (tag, facts, ...children) => fill(document.createElementNS(SVG, tag), facts, children);

const share = (value, digits = 1) => value === null || Number.isNaN(value) ? "–" : (100 * value).toFixed(digits).replace(/^-0\.0*$/, match => match.slice(1)) + " %";
const number = (value, digits = 3) => value === null || Number.isNaN(value) ? "–" : (Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits);
const count = value => value.toLocaleString("en");
const plural = (value, one, many) => count(value) + " " + (value === 1 ? one : many || one + "s");

function kindTag(slug) {
  const kind = (models.get(slug) || {}).kind;
  return KINDS[kind] ? el("span", { class: "kind " + kind }, KINDS[kind]) : null;
}
const labelOf = slug => (models.get(slug) || { label: slug }).label;
const plainName = slug => labelOf(slug) + (KINDS[(models.get(slug) || {}).kind] ? " (" + models.get(slug).kind + ")" : "");
const modelName = slug => el("span", { class: "model" }, labelOf(slug), kindTag(slug) ? [" ", kindTag(slug)] : null);

function verbatim(text, name = "verbatim") {
  return el("div", { class: name + (/ \| |^\|/m.test(text) ? " mono" : "") }, text);
}

// A reply as it came; of a long one the beginning and the end, and where the whole of it is.
function said(text, left, file) {
  if (!left) return verbatim(text);
  const [start, end] = text.split("\0");
  return el("div", {}, verbatim(start), el("p", { class: "note gap" }, "… " + count(left) + " characters left out here; the whole is in " + file + " …"), verbatim(end));
}

function plainTable(label, heads, rows, name = "") {
  const cell = (one, place) => el(place ? "td" : "th", { scope: place ? null : "row", class: heads[place].text || !place ? "text" : null }, one);
  return el("div", { class: "scroll" }, el("table", { class: "plain " + name, "aria-label": label },
    el("thead", {}, el("tr", {}, heads.map(head => el("th", { scope: "col", class: head.text ? "text" : null, title: head.title }, head.label)))),
    el("tbody", {}, rows.map(row => el("tr", { class: row.name, "data-row": row.key }, (row.cells || row).map(cell))))));
}

function say(text) { document.getElementById("said").textContent = text; }

const collator = new Intl.Collator("en", { numeric: true });
