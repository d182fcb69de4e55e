// Tabs, keys, and which view stands for which address.
const TABS = [["", "Overview", []], ["steer/scores", "Scores", ["steer"]], ["steer/elements", "Elements", ["steer"]], ["steer/questions", "Questions", ["steer"]], ["psm", "Priced survey", ["psm"]], ["moralchoice", "MoralChoice", ["moralchoice"]]];
const KEYS = [["?", "Show these keys"], ["1 … 6", "Go to a tab"], ["Tab", "Go to the next control"], ["← →", "Among tabs and column heads"], ["↑ ↓ Page Home End", "Among rows, boxes, branches, nodes"], ["Enter", "Open a row, choose an element, sort by a column"], ["[ ]", "Previous and next question, round or scenario"], ["/", "Search words"], ["Esc", "Close a list or dialog; go up to the list"]];
const viewport = document.getElementById("view"), tabs = document.getElementById("tabs"), help = document.getElementById("help"), keys = document.getElementById("keys");
let current = null, turn = 0;

function viewOf(path) {
  const [study, part] = path, there = slug => about.studies[slug];
  if (study === "steer" && there("steer")) {
    const needs = [loadSteer];
    if (part === "elements") return { key: "elements", tab: "steer/elements", needs, build: elementsView };
    if (part === "questions") return path.length > 2 ? { key: "question", tab: "steer/questions", needs: [...needs, loadWords, loadReplies], build: questionView, each: true } : { key: "questions", tab: "steer/questions", needs: [...needs, loadWords], build: questionsView };
    return { key: "scores", tab: "steer/scores", needs, build: scores };
  }
  if (study === "psm" && there("psm")) return [{ key: "psm", build: psmView }, null, { key: "rounds", build: roundsView, each: true }, { key: "round", build: roundView, each: true }].map(one => one && { ...one, tab: "psm", needs: [loadPsm] })[Math.min(3, path.length - 1)] || { key: "psm", tab: "psm", needs: [loadPsm], build: psmView };
  if (study === "moralchoice" && there("moralchoice")) return path.length > 1 ? { key: "scenario", tab: "moralchoice", needs: [loadMoral, loadMoralWords], build: scenarioView, each: true } : { key: "moral", tab: "moralchoice", needs: [loadMoral], build: moralView };
  return { key: "overview", tab: "", needs: [], build: overview };
}

function drawTabs(view) {
  const focused = tabs.contains(document.activeElement);
  const carried = path => path.startsWith("steer") && route.path[0] === "steer" ? kept(route.pick, STEER_KEYS) : kept(route.pick, ["model"]);
  tabs.replaceChildren(...TABS.filter(([, , needs]) => needs.every(slug => about.studies[slug])).map(([path, label]) =>
    el("a", { role: "tab", id: "tab-" + path, href: hashOf(path.split("/").filter(Boolean), carried(path)), "aria-selected": String(path === view.tab), "aria-controls": "view", tabindex: path === view.tab ? 0 : -1, class: path.startsWith("steer") ? "steer" : null }, path.startsWith("steer") ? el("span", { class: "study" }, "STEER ") : null, label)));
  viewport.setAttribute("aria-labelledby", "tab-" + view.tab);
  const chosen = tabs.querySelector("[aria-selected=true]");
  tabs.scrollLeft = chosen.offsetLeft - tabs.offsetLeft - 40;
  if (focused) chosen.focus();
}

async function draw() {
  const mine = (turn += 1), view = viewOf(route.path), key = view.key + (view.each ? "/" + route.path.join("/") : "");
  drawTabs(view);
  await Promise.all(view.needs.map(load => load()));
  if (mine !== turn) return;
  const fresh = !current || current.key !== key;
  if (fresh) { viewport.replaceChildren(); current = { key, update: view.build(viewport) }; }
  await current.update();
  if (mine !== turn) return;
  for (const up of viewport.querySelectorAll("[data-up]")) up.renew();
  if (fresh) arrived();
  document.documentElement.dataset.view = key;
  document.documentElement.dataset.drawn = String(mine);
}

// A new view starts at its top, with the focus on its heading unless the reader walks the tabs.
let first = true;
function arrived() {
  const heading = viewport.querySelector("h1");
  document.title = "Rationale: " + (heading ? heading.textContent : "explorer");
  if (!first) {
    scrollTo(0, 0);
    if (!tabs.contains(document.activeElement) && heading) heading.focus({ preventScroll: true });
  } else {
    document.documentElement.dataset.first = performance.now().toFixed(0);
    requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.painted = performance.now().toFixed(0); }));
  }
  first = false;
}

async function safely() {
  try { await draw(); }
  catch (error) {
    viewport.replaceChildren(el("h1", { tabindex: -1 }, "This view cannot be shown"), el("p", {}, String(error.message || error)), el("p", {}, el("a", { href: "#/" }, "To the overview")));
    throw error;
  }
}

function tabKey(event) {
  const all = [...tabs.children], at = all.indexOf(document.activeElement);
  const to = { ArrowRight: (at + 1) % all.length, ArrowLeft: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  all[to].focus();
  location.hash = all[to].getAttribute("href");
}

function pageKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
  if (event.key === "Escape") { const up = viewport.querySelector("[data-up]"); if (typing) event.target.blur(); else if (up) location.hash = up.getAttribute("href"); return; }
  if (typing) return;
  if (event.key === "?") showKeys();
  else if (event.key === "/") { const find = viewport.querySelector(".find input"); if (find) { event.preventDefault(); find.focus(); } }
  else if (event.key === "[" || event.key === "]") { const step = viewport.querySelector("[data-step='" + event.key + "']"); if (step) step.click(); }
  else if (/^[1-9]$/.test(event.key) && tabs.children[event.key - 1]) location.hash = tabs.children[event.key - 1].getAttribute("href");
}

function showKeys() {
  keys.replaceChildren(el("h2", { id: "keys-title" }, "Keys"), el("dl", {}, KEYS.map(([key, what]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)))), el("form", { method: "dialog" }, el("button", {}, "Close")));
  keys.showModal();
}

function start() {
  if (!("DecompressionStream" in window)) {
    viewport.replaceChildren(el("h1", {}, "This browser is too old"), el("p", {}, "The data in this page are compressed, and this browser cannot unpack them (DecompressionStream is missing). Open the page in Chrome or Edge 80, Firefox 113, Safari 16.4, or a later one. The tables beside it, in results/tables/, open anywhere."));
    return;
  }
  redraw = safely;
  addEventListener("hashchange", () => { route = readHash(); safely(); });
  tabs.addEventListener("keydown", tabKey);
  document.addEventListener("keydown", pageKey);
  help.addEventListener("click", showKeys);
  document.getElementById("skip").addEventListener("click", () => viewport.focus());
  safely();
}
start();
