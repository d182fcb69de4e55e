// Scores by any cut, counted anew from the answers that are picked.
const CUTS = [["element", "Element"], ["module", "Module"], ["setting", "Setting"], ["domain", "Domain"], ["grade", "Grade"], ["form", "Form"], ["model", "Model"], ["origin", "Origin"]];
const COLUMNS = [["model", "Models"], ["measures", "All measures"], ["form", "Forms"], ["domain", "Domains"], ["grade", "Grades"], ["setting", "Settings"]];

function scores(panel) {
  const shown = Object.entries(MEASURES).map(([key, [label]]) => [key, label]);
  const controls = {
    rows: choice({ key: "rows", label: "Rows", options: CUTS }),
    then: choice({ key: "then", label: "and by", options: [["", "nothing else"], ...CUTS] }),
    columns: choice({ key: "columns", label: "Columns", options: COLUMNS }),
    measure: choice({ key: "measure", label: "Measure", options: shown }),
    named: finder({ key: "named", label: "Rows named", hint: "part of a name" }),
  };
  const bar = steerFilters();
  const table = new Table({ label: "Scores", onSort: sort => pickNow({ sort }), open: row => go(["steer", "questions"], row.pick), href: row => hashOf(["steer", "questions"], row.pick) });
  const note = el("p", { class: "note", role: "status" });
  panel.replaceChildren(el("h1", { tabindex: -1 }, "STEER: scores"), bar.node,
    el("div", { class: "filters second", role: "group", "aria-label": "How to cut" }, Object.values(controls).map(one => one.node)),
    note, table.node,
    el("p", { class: "note" }, "Counted here from the answers that are picked; every answer weighs the same. Accuracy is of the answers that could be read; what is unread is neither right nor wrong. Enter or a click shows the questions behind a row."));
  return async () => {
    await wordsIfSearched();
    bar.update();
    Object.values(controls).forEach(one => one.update());
    drawScores(table, note, controls);
  };
}

function drawScores(table, note, controls) {
  const all = dimensions(), picked = steerPicked();
  const rows = chosenOf("rows", CUTS), asked = chosenOf("then", [["", ""], ...CUTS]), columns = chosenOf("columns", COLUMNS);
  const cuts = asked && asked !== rows ? [rows, asked] : [rows];
  const measure = route.pick.get("measure") in MEASURES ? route.pick.get("measure") : "accuracy";
  controls.measure.select.disabled = columns === "measures";
  const across = columns !== "measures" && !cuts.includes(columns) ? columns : null;
  const cells = tally(picked, [...cuts.map(cut => all[cut]), ...(across ? [all[across]] : [])]);
  const sums = across ? tally(picked, cuts.map(cut => all[cut])) : cells;
  const lines = scoreLines(cuts, all, sums);
  table.set({ rows: lines, columns: scoreColumns(cuts, all, sums, across, cells, measure), sort: route.pick.get("sort") });
  const put = sums.put.reduce((sum, one) => sum + one, 0), read = sums.read.reduce((sum, one) => sum + one, 0);
  note.textContent = plural(lines.length, "row") + "; " + plural(put, "answer") + " picked, " + count(read) + " read" + (across ? "; cells: " + MEASURES[measure][1].toLowerCase() + "." : ".");
}

function scoreLines(cuts, all, sums) {
  const find = (route.pick.get("named") || "").toLowerCase(), lines = [];
  const last = cuts.length > 1 ? all[cuts[1]].size : 1;
  for (let cell = 0; cell < sums.put.length; cell += 1) {
    if (!sums.put[cell]) continue;
    const places = cuts.length > 1 ? [Math.floor(cell / last), cell % last] : [cell];
    const names = places.map((place, at) => all[cuts[at]].label(place));
    if (find && !names.join(" ").toLowerCase().includes(find)) continue;
    const pick = changed(kept(route.pick, STEER_KEYS), Object.fromEntries(places.map((place, at) => [cuts[at], slugOf[cuts[at]](place)])));
    lines.push({ cell, places, names, pick });
  }
  return lines;
}

function scoreColumns(cuts, all, sums, across, cells, measure) {
  const labels = Object.fromEntries(CUTS);
  const named = cuts.map((cut, at) => ({ key: cut, label: labels[cut], text: true, width: cut === "grade" ? 6 : 15,
    value: row => cut === "grade" ? row.places[at] : row.names[at], tip: row => row.names[at],
    cell: row => cut === "model" ? modelName(steer.models[row.places[at]]) : row.names[at] }));
  const one = (key, label, title, name, table, place, head) => {
    const value = row => MEASURES[name][2](table, place(row));
    return { key, label, title, head, width: head ? 7.5 : 6.5, value, cell: row => measured(name, value(row)), shade: name === "accuracy" || name === "normalised" ? row => shadeOf(value(row)) : null };
  };
  if (!across) return [...named, ...Object.keys(MEASURES).map(name => one(name, MEASURES[name][0], MEASURES[name][1], name, sums, row => row.cell))];
  const size = all[across].size, there = [...Array(size).keys()].filter(at => Array.from(sums.put.keys()).some(row => cells.put[row * size + at]));
  return [...named, one("all", "All", MEASURES[measure][1], measure, sums, row => row.cell),
    ...there.map(at => one("c:" + slugOf[across](at), all[across].label(at), MEASURES[measure][1], measure, cells, row => row.cell * size + at, across === "model" ? modelName(steer.models[at]) : all[across].label(at))),
    ...(COUNTS.has(measure) ? [] : [one("put", "Put", MEASURES.put[1], "put", sums, row => row.cell)])];
}
