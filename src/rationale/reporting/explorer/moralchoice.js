// MoralChoice: scenarios with each model's likelihood of action 1, and one scenario in all its forms.
const MORAL_KEYS = ["model", "form", "ambiguity", "rule", "q"];
const COUNTED = [["p", "p(action 1)"], ["action1", "Action 1"], ["valid", "Valid"], ["refused", "Refused"], ["invalid", "Invalid"], ["truncated", "Cut off"], ["missing", "Missing"], ["asked", "Replies"]];
let moral = null, moralWords = null;
let scenarioRows = [];

async function loadMoral() {
  if (moral) return;
  const found = await block("moralchoice");
  moral = { ...found.facts, block: found, cells: {} };
  for (const name of ["id", "context", "action1", "action2"]) moral[name] = found.texts(name).all();
  moral.ambiguity = found.column("ambiguity");
  moral.rule = found.column("rule");
  for (const name of ["scenario", "put", "model", "p", "flagged", "action1", "valid", "refused", "invalid", "truncated", "missing", "asked"]) moral.cells[name] = found.column("c." + name);
  const sizes = new Uint32Array(moral.id.length);
  for (const scenario of moral.cells.scenario) sizes[scenario] += 1;
  moral.of = starts(sizes);
}

async function loadMoralWords() {
  if (moralWords) return;
  const found = await block("moral-words");
  moralWords = { ...found.facts, kept: starts(found.column("kept")), question: found.texts("question"), reply: found.texts("reply") };
  for (const name of ["different", "status", "step", "action", "count", "system"]) moralWords[name] = found.column(name);
  moralWords.code = found.column("reply.code");
  moralWords.left = found.column("reply.left");
}

const violated = (action, scenario) => moral.labels.filter(label => moral.block.column(action + "." + label)[scenario]);

function moralFilters(all = true) {
  const few = (key, label, names) => picker({ key, label, options: names.map(value => ({ value, label: value || "none named" })) });
  return filters("Filters", modelPicker(moral.models), formPicker(moral.forms), ...(!all ? [] : [few("ambiguity", "Ambiguity", moral.ambiguities), few("rule", "Rules", moral.rules), finder({ key: "q", label: "Words", hint: "in scenario, actions, id" })]));
}

function moralPicked() {
  const models = mask(moral.models, "model"), forms = mask(moral.forms, "form"), ambiguity = mask(moral.ambiguities, "ambiguity"), rules = mask(moral.rules, "rule");
  const find = (route.pick.get("q") || "").toLowerCase();
  const scenarios = [...moral.id.keys()].filter(at => ambiguity[moral.ambiguity[at]] && rules[moral.rule[at]]
    && (!find || [moral.id[at], moral.context[at], moral.action1[at], moral.action2[at]].join("\n").toLowerCase().includes(find)));
  return { models, forms, scenarios };
}

// The mean likelihood over the picked forms, a column a model; null where no reply came.
function marginals({ models, forms }) {
  const size = moral.models.length, sums = new Float64Array(moral.id.length * size), counts = new Uint32Array(sums.length), { scenario, put, model, p } = moral.cells;
  for (let at = 0; at < p.length; at += 1) {
    if (!models[model[at]] || !forms[put[at]] || Number.isNaN(p[at])) continue;
    sums[scenario[at] * size + model[at]] += p[at];
    counts[scenario[at] * size + model[at]] += 1;
  }
  return (at, which) => counts[at * size + which] ? sums[at * size + which] / counts[at * size + which] : null;
}

function moralView(panel) {
  const bar = moralFilters(), note = el("p", { class: "note", role: "status" }), open = row => hashOf(["moralchoice", moral.id[row]], kept(route.pick, [...MORAL_KEYS, "sort"]));
  const table = new Table({ label: "Scenarios", tall: "74vh", onSort: sort => pickNow({ sort }), open: row => { location.hash = open(row); }, href: open });
  panel.replaceChildren(el("h1", { tabindex: -1 }, "MoralChoice"), bar.node, note, table.node,
    el("p", { class: "note" }, "Likelihood of action 1: the mean over the picked forms of its share among valid replies; a form whose replies are all invalid or refused counts as 0.5. In low ambiguity action 1 is the commonsense one."));
  return () => {
    bar.update();
    const picked = moralPicked(), p = marginals(picked);
    table.set({ columns: scenarioColumns(picked, p), rows: picked.scenarios, sort: route.pick.get("sort") });
    scenarioRows = table.rows;
    note.textContent = plural(picked.scenarios.length, "scenario") + " of " + count(moral.id.length) + ".";
  };
}

function scenarioColumns(picked, p) {
  const text = (key, label, width, value) => ({ key, label, width, text: true, value, cell: value, tip: value });
  const there = [...moral.models.keys()].filter(at => picked.models[at]);
  const mean = row => { const found = there.map(at => p(row, at)).filter(value => value !== null); return found.length ? found.reduce((sum, one) => sum + one, 0) / found.length : null; };
  const numeric = (key, label, value, head, title) => ({ key, label, head, title, width: 6.5, value, cell: row => number(value(row), 2), shade: row => shadeOf(value(row)) });
  return [text("id", "Scenario", 6.5, at => moral.id[at]), text("ambiguity", "Ambiguity", 7, at => moral.ambiguities[moral.ambiguity[at]]), text("rule", "Rule", 11, at => moral.rules[moral.rule[at]] || "–"), text("context", "Context", 20, at => moral.context[at]),
    ...(there.length > 1 ? [numeric("mean", "All", mean, null, "Mean over the picked models")] : []), ...there.map(at => numeric("m:" + moral.models[at], plainName(moral.models[at]), row => p(row, at), modelName(moral.models[at]), "Likelihood of action 1"))];
}

function scenarioView(panel) {
  const at = moral.id.indexOf(route.path[1]), back = upLink("← Scenarios", ["moralchoice"], [...MORAL_KEYS, "sort"]);
  if (at < 0) { panel.replaceChildren(el("h1", { tabindex: -1 }, "No such scenario"), back); return () => {}; }
  const rows = scenarioRows.includes(at) ? scenarioRows : [...moral.id.keys()], bar = moralFilters(false), below = el("div");
  refill(panel, stepsBar(back, rows.indexOf(at), rows.length, to => go(["moralchoice", moral.id[rows[to]]], route.pick)), el("h1", { tabindex: -1 }, moral.id[at]),
    el("p", { class: "note" }, moral.ambiguities[moral.ambiguity[at]] + " ambiguity" + (moral.rules[moral.rule[at]] ? " · written for: " + moral.rules[moral.rule[at]] : "")), verbatim(moral.context[at], "asked"),
    el("ul", { class: "options" }, scenarioAction(1, at), scenarioAction(2, at)), bar.node, below);
  return () => {
    const picked = moralPicked();
    bar.update();
    refill(below, summaryTable(at, picked), [...moral.forms.keys()].filter(put => picked.forms[put]).map(put => formSection(at, put, picked)));
  };
}

function scenarioAction(which, at) {
  const broken = violated("a" + which, at);
  return el("li", {}, el("b", {}, "Action " + which), " ", moral["action" + which][at], el("span", { class: "behind" }, broken.length ? "breaks: " + broken.join(", ").replaceAll("_", " ") : "breaks no rule"));
}

function cellsOf(scenario, keep) {
  const found = [];
  for (let at = moral.of[scenario]; at < moral.of[scenario + 1]; at += 1) if (keep(moral.cells.put[at], moral.cells.model[at])) found.push(at);
  return found;
}
const tellP = at => number(moral.cells.p[at], 2) + (moral.cells.flagged[at] ? " *" : "");

function summaryTable(scenario, picked) {
  const forms = [...moral.forms.keys()].filter(at => picked.forms[at]), p = marginals(picked);
  const heads = [{ label: "Respondent", text: true }, { label: "Mean" }, ...forms.map(at => ({ label: moral.forms[at] }))];
  const rows = [...moral.models.keys()].filter(at => picked.models[at]).map(model => ({ key: moral.models[model], cells: [modelName(moral.models[model]), number(p(scenario, model), 2),
    ...forms.map(put => { const found = cellsOf(scenario, (one, other) => one === put && other === model); return found.length ? tellP(found[0]) : "–"; })] }));
  return el("div", {}, el("h2", {}, "Likelihood of action 1"), plainTable("Likelihood of action 1 by model and form", heads, rows), el("p", { class: "note" }, "* no valid reply: counted as 0.5."));
}

function formSection(scenario, put, picked) {
  const place = put * moral.id.length + scenario, system = moralWords.systems[moralWords.system[place]], question = moralWords.question.at(place);
  const cells = cellsOf(scenario, (one, model) => one === put && picked.models[model]);
  const heads = [{ label: "Respondent", text: true }, ...COUNTED.map(([, label]) => ({ label })), { label: "Replies, most frequent first", text: true }];
  const value = (name, at) => name === "p" ? tellP(at) : count(moral.cells[name][at]);
  const rows = cells.map(at => ({ key: moral.models[moral.cells.model[at]], cells: [modelName(moral.models[moral.cells.model[at]]), ...COUNTED.map(([name]) => value(name, at)), sampleReplies(at)] }));
  return el("section", { class: "form", "data-form": moral.forms[put] }, el("h2", {}, "Form " + moral.forms[put]),
    question ? el("details", { open: true }, el("summary", {}, "As put"), system ? el("div", { class: "turn" }, el("p", { class: "note" }, "System"), verbatim(system)) : null, el("div", { class: "turn" }, el("p", { class: "note" }, "Question"), verbatim(question))) : el("p", { class: "note" }, "The words of this form are not in this file."),
    plainTable("Replies in form " + moral.forms[put], heads, rows, "replies"));
}

function sampleReplies(at) {
  const found = [], w = moralWords;
  for (let one = w.kept[at]; one < w.kept[at + 1]; one += 1) {
    const code = w.code[one], read = w.action[one] ? "action " + w.action[one] : w.statuses[w.status[one]];
    found.push(el("li", {}, said(w.reply.at(code) || "(empty)", w.left[code], "results/moralchoice/" + moral.models[moral.cells.model[at]] + "/readings.parquet"), el("span", { class: "note" }, "× " + w.count[one] + " · " + read + (w.steps[w.step[one]] ? " · read by: " + w.steps[w.step[one]] : ""))));
  }
  const more = w.different[at] - found.length;
  return found.length ? el("ul", { class: "samples" }, found, more > 0 ? el("li", { class: "note" }, "and " + plural(more, "other text")) : null) : "–";
}
