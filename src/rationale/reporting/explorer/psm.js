// The priced survey: respondents, their rounds, and one round with its options and choices.
const PSM_KEYS = ["model", "form"];
let psm = null;

async function loadPsm() {
  if (psm) return;
  const found = await block("psm"), size = found.facts.statements.length;
  const names = ["sheet", "s.round", "s.flipped", "s.budget", "s.corner", "s.prices", "s.shown", "s.options", "c.round", "c.option", "c.status", "c.attempts"];
  psm = { ...found.facts, size, rounds: starts(found.column("rounds.n")), choices: starts(found.column("choices.n")), answers: found.lists("c.answer") };
  for (const name of names) psm[name] = found.places[name] ? found.column(name) : [];
  psm.first = starts(psm["s.shown"]);
}

const sliceOf = (column, at, size) => Array.from(column.slice(at * size, (at + 1) * size));
const psmAt = (model, form) => psm.respondents.findIndex(one => one[0] === model && one[1] === form);

function sheetOf(respondent, round) {
  for (let at = psm.rounds[respondent]; at < psm.rounds[respondent + 1]; at += 1) if (psm["s.round"][psm.sheet[at]] === round) return psm.sheet[at];
  return -1;
}
function choiceOf(respondent, round) {
  for (let at = psm.choices[respondent]; at < psm.choices[respondent + 1]; at += 1) if (psm["c.round"][at] === round) return at;
  return -1;
}
function sheet(at) {
  const { size } = psm, first = psm.first[at];
  return { corner: sliceOf(psm["s.corner"], at, size), prices: sliceOf(psm["s.prices"], at, size), flipped: psm["s.flipped"][at] === 1, budget: psm["s.budget"][at],
    options: Array.from({ length: psm["s.shown"][at] }, (_, n) => sliceOf(psm["s.options"], first + n, size)) };
}
const spelled = answer => answer.length ? answer.join(" ") : "–";

function psmFilters() {
  const unique = place => [...new Set(psm.respondents.map(one => one[place]))];
  return filters("Filters", modelPicker(unique(0)), formPicker(unique(1)));
}
function psmPicked() {
  const models = mask(psm.respondents.map(one => one[0]), "model"), forms = mask(psm.respondents.map(one => one[1]), "form");
  return [...psm.respondents.keys()].filter(at => models[at] && forms[at]);
}

function statementList() {
  return el("details", { open: !narrow.matches }, el("summary", {}, "Statements"), el("ol", { class: "statements" }, psm.statements.map(([slug, text, reworded]) => el("li", {}, el("b", {}, slug), " ", text, reworded ? el("span", { class: "note" }, " Reworded: " + reworded) : null))));
}
const scaleNote = () => "Each is rated from 0 (" + psm.ends[0] + ") to " + psm.high + " (" + psm.ends[1] + ").";

function psmView(panel) {
  const bar = psmFilters(), open = row => hashOf(["psm", ...psm.respondents[row]], kept(route.pick, PSM_KEYS));
  const table = new Table({ label: "Respondents", onSort: sort => pickNow({ sort }), open: row => { location.hash = open(row); }, href: open });
  panel.replaceChildren(el("h1", { tabindex: -1 }, "The priced survey"), el("p", { class: "lead" }, psm.title + ". " + scaleNote()), statementList(), bar.node, table.node,
    el("p", { class: "note" }, "Place: where the chosen option stood in the list. Enter or a click shows the rounds of a respondent."));
  return () => { bar.update(); table.set({ columns: respondentColumns(), rows: psmPicked(), sort: route.pick.get("sort") }); };
}

function respondentColumns() {
  const rounds = row => { const found = []; for (let at = psm.choices[row]; at < psm.choices[row + 1]; at += 1) if (psm["c.round"][at]) found.push(at); return found; };
  const all = new Map(psm.respondents.map((_, row) => [row, rounds(row)]));
  const counted = name => row => all.get(row).filter(at => psm.statuses[psm["c.status"][at]] === name).length;
  const places = row => all.get(row).map(at => psm["c.option"][at]).filter(Boolean);
  const mean = values => values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : null;
  const numeric = (key, label, value, cell = at => count(value(at)), title) => ({ key, label, title, width: 6.5, value, cell });
  const opening = row => { const at = choiceOf(row, 0); return at < 0 ? [] : psm.answers.at(at); };
  return [{ key: "model", label: "Respondent", text: true, width: 16, value: row => labelOf(psm.respondents[row][0]), cell: row => modelName(psm.respondents[row][0]) },
    { key: "form", label: "Form", text: true, width: 8, value: row => psm.respondents[row][1], cell: row => psm.respondents[row][1] },
    numeric("rounds", "Rounds", row => all.get(row).length), ...psm.statuses.map(name => numeric(name, name[0].toUpperCase() + name.slice(1), counted(name))),
    numeric("place", "Mean place", row => mean(places(row)), row => number(mean(places(row)), 1), "Mean place of the chosen option in the list"),
    { key: "open", label: "Open answer", text: true, width: 9, value: row => spelled(opening(row)), cell: row => spelled(opening(row)), title: "The answer of the open round, a number a statement" }];
}

function roundsView(panel) {
  const heading = el("h1", { tabindex: -1 }), note = el("p", { class: "note", role: "status" });
  const status = choice({ key: "status", label: "Status", options: [["", "any status"], ...psm.statuses.map(name => [name, name])] });
  const flip = choice({ key: "flip", label: "Flip", options: [["", "flipped or not"], ["yes", "flipped"], ["no", "not flipped"]] });
  const bar = filters("Filters", status, flip);
  const open = row => hashOf(["psm", route.path[1], route.path[2], String(row)], kept(route.pick, [...PSM_KEYS, "status", "flip", "sort"]));
  const table = new Table({ label: "Rounds", onSort: sort => pickNow({ sort }), open: row => { location.hash = open(row); }, href: open });
  panel.replaceChildren(el("p", {}, upLink("← Respondents", ["psm"], PSM_KEYS)), heading, bar.node, note, table.node,
    el("p", { class: "note" }, "Corner: where a round's answers are measured from. Prices: what a step away from the corner costs, a number a statement. A flipped round is put from the opposite corner. Round 0 is the open one."));
  return () => {
    const row = psmAt(route.path[1], route.path[2]);
    if (row < 0) { heading.textContent = "No such respondent"; table.set({ columns: [], rows: [] }); return; }
    bar.update();
    heading.replaceChildren(modelName(route.path[1]), ", form " + route.path[2]);
    const rows = [];
    for (let at = psm.choices[row]; at < psm.choices[row + 1]; at += 1) {
      const round = psm["c.round"][at], shown = sheetOf(row, round), asked = route.pick.get("status"), side = route.pick.get("flip");
      if (asked && psm.statuses[psm["c.status"][at]] !== asked) continue;
      if (side && (shown < 0 || (psm["s.flipped"][shown] === 1) !== (side === "yes"))) continue;
      rows.push(round);
    }
    table.set({ columns: roundColumns(row), rows, sort: route.pick.get("sort") });
    note.textContent = plural(rows.length, "round") + ".";
  };
}

function roundColumns(row) {
  const of = new Map(), facts = round => {
    if (!of.has(round)) { const at = choiceOf(row, round), shown = sheetOf(row, round); of.set(round, { at, shown: shown < 0 ? null : sheet(shown), answer: psm.answers.at(at) }); }
    return of.get(round);
  };
  const text = (key, label, width, value) => ({ key, label, width, text: true, value, cell: value });
  return [{ key: "round", label: "Round", width: 5, value: round => round, cell: round => String(round) },
    text("corner", "Corner", 7, round => facts(round).shown ? spelled(facts(round).shown.corner) : "–"), text("prices", "Prices", 7, round => facts(round).shown ? spelled(facts(round).shown.prices) : "–"),
    text("flipped", "Flipped", 6, round => facts(round).shown ? (facts(round).shown.flipped ? "yes" : "no") : "–"),
    { key: "place", label: "Place", title: "Where the chosen option stood in the list", width: 5, value: round => psm["c.option"][facts(round).at] || null, cell: round => String(psm["c.option"][facts(round).at] || "–") },
    text("answer", "Answer", 8, round => spelled(facts(round).answer)), text("status", "Status", 7, round => psm.statuses[psm["c.status"][facts(round).at]]),
    { key: "attempts", label: "Attempts", width: 6, value: round => psm["c.attempts"][facts(round).at], cell: round => String(psm["c.attempts"][facts(round).at]) }];
}

function roundView(panel) {
  const [, model, form, asked] = route.path, row = psmAt(model, form), round = Number(asked), at = row < 0 ? -1 : choiceOf(row, round);
  const back = upLink("← Rounds", ["psm", model, form], [...PSM_KEYS, "status", "flip", "sort"]);
  if (at < 0) { panel.replaceChildren(el("h1", { tabindex: -1 }, "No such round"), back); return () => {}; }
  const own = sheetOf(row, round), shown = own < 0 ? null : sheet(own), first = psm.choices[row], bar = psmFilters(), below = el("div");
  refill(panel, stepsBar(back, at - first, psm.choices[row + 1] - first, to => go(["psm", model, form, String(psm["c.round"][first + to])], route.pick)),
    el("h1", { tabindex: -1 }, round ? "Round " + round : "The open round", " ", el("span", { class: "sub" }, modelName(model), ", form " + form)),
    statementList(), shown ? pricedRound(shown, at) : openRound(at), el("h2", {}, "Everyone in this round"), bar.node, below);
  return () => { bar.update(); refill(below, everyone(round, own), shown ? optionsTable(shown, own, round) : null); };
}

function openRound(at) {
  return [el("p", {}, "Any answer on the scale. ", scaleNote()), el("p", {}, "Answer: ", el("b", {}, spelled(psm.answers.at(at))), " · " + psm.statuses[psm["c.status"][at]])];
}

function pricedRound(shown, at) {
  const dear = psm.statements.filter((_, n) => shown.prices[n] > Math.min(...shown.prices)).map(([slug]) => slug);
  const option = psm["c.option"][at], facts = [["Corner", spelled(shown.corner)], ["Prices", spelled(shown.prices) + (dear.length && dear.length < psm.size ? " (" + dear.join(", ") + " costs more)" : "")],
    ["Budget", String(shown.budget)], ["Flipped", shown.flipped ? "yes: put from the opposite corner" : "no"], ["Options", String(shown.options.length)],
    ["Chosen", option ? "option " + option + ": " + spelled(psm.answers.at(at)) : "none"], ["Status", psm.statuses[psm["c.status"][at]] + ", " + plural(psm["c.attempts"][at], "attempt")]];
  return [el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))))];
}

function everyone(round, shown) {
  const heads = ["Respondent", "Form", "Flipped", "Place", "Answer", "Status", "Options"].map((label, at) => ({ label, text: at < 3 || at > 3 }));
  return plainTable("Choices in this round", heads, psmPicked().map(row => {
    const at = choiceOf(row, round), own = sheetOf(row, round), [model, form] = psm.respondents[row];
    const here = model === route.path[1] && form === route.path[2];
    return { key: model + "/" + form, name: here ? "here" : null, cells: [el("a", { href: hashOf(["psm", model, form, String(round)], route.pick) }, modelName(model)), form, own < 0 ? "–" : psm["s.flipped"][own] ? "yes" : "no",
      at < 0 ? "–" : String(psm["c.option"][at] || "–"), at < 0 ? "–" : spelled(psm.answers.at(at)), at < 0 ? "–" : psm.statuses[psm["c.status"][at]], own < 0 ? "–" : own === shown ? "these" : "others"] };
  }));
}

function optionsTable(shown, own, round) {
  const by = new Map();
  for (const row of psmPicked()) {
    const at = choiceOf(row, round);
    if (at >= 0 && psm["c.option"][at] && sheetOf(row, round) === own) by.set(psm["c.option"][at], [...(by.get(psm["c.option"][at]) || []), row]);
  }
  const chosen = psm["c.option"][choiceOf(psmAt(route.path[1], route.path[2]), round)];
  const many = new Set(psm.respondents.map(one => one[1])).size > 1;
  const names = n => [n === chosen ? el("b", { class: "chosen" }, "chosen") : null, (by.get(n) || []).flatMap(row => [" ", modelName(psm.respondents[row][0]), many ? " (" + psm.respondents[row][1] + ")" : ""])];
  const heads = [{ label: "Option" }, ...psm.statements.map(([slug], n) => ({ label: slug + " × " + shown.prices[n] })), { label: "Chosen by", text: true }];
  return [el("h2", {}, "Options in the order shown"), plainTable("Options in the order shown", heads, shown.options.map((option, n) => ({ key: String(n + 1), name: n + 1 === chosen ? "here" : null, cells: [String(n + 1), ...option.map(String), names(n + 1)] })), "sheet")];
}
