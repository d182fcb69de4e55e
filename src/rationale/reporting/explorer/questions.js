// Questions as a list: one line each, with the share of the picked answers that are right.
const OUTCOMES = [["", "any outcome"], ["right", "with a right answer"], ["wrong", "with a wrong answer"], ["unread", "with an unread reply"], ["unasked", "not put"]];
let listed = [];

function questionTable(label, tall) {
  const path = question => ["steer", "questions", steer.elements[steer.columns["q.element"][question]].slug, steer.ids.at(question)];
  const pick = () => kept(route.pick, [...STEER_KEYS, "outcome", "sort"]);
  const table = new Table({ label, tall, onSort: sort => pickNow({ sort }), open: row => { listed = table.rows; go(path(row), pick()); }, href: row => hashOf(path(row), pick()) });
  const draw = picked => {
    const cells = tally(picked, [dimensions().question]), outcome = chosenOf("outcome", OUTCOMES);
    const has = { right: at => cells.right[at] > 0, wrong: at => cells.read[at] > cells.right[at], unread: at => cells.put[at] > cells.read[at], unasked: at => !cells.put[at] }[outcome];
    const rows = [];
    for (let at = 0; at < steer.questions; at += 1) if (picked.questions[at] && (!has || has(at))) rows.push(at);
    table.set({ rows, columns: questionColumns(cells), sort: route.pick.get("sort") });
    listed = table.rows;
    return { rows, cells };
  };
  return { table, draw };
}

function questionColumns(cells) {
  const { columns } = steer, element = at => steer.elements[columns["q.element"][at]].name, domain = at => steer.domains[columns["q.domain"][at]][1];
  const text = (key, label, width, value) => ({ key, label, width, text: true, value, cell: value, tip: value });
  const measure = (name, width) => { const value = at => MEASURES[name][2](cells, at); return { key: name, label: MEASURES[name][0], title: MEASURES[name][1], width, value, cell: at => measured(name, value(at)), shade: name === "accuracy" ? at => shadeOf(value(at)) : null }; };
  return [{ ...text("id", "Question", 16, at => steer.ids.at(at)), cell: shortId }, text("element", "Element", 11, element), text("domain", "Domain", 7, domain),
    { key: "grade", label: "Grade", width: 4.5, value: at => columns["q.grade"][at], cell: at => String(columns["q.grade"][at]) },
    text("text", "Text", 26, textOf), { ...measure("accuracy", 6.5), label: "Right", title: "Share right of the picked answers that could be read" }, measure("unread", 5.5), measure("put", 4.5)];
}

// An id without the name of its element, which stands in the next column.
function shortId(question) {
  const id = steer.ids.at(question), before = steer.elements[steer.columns["q.element"][question]].slug + ".";
  return id.startsWith(before) ? id.slice(before.length) : id;
}

function questionsView(panel) {
  const outcome = choice({ key: "outcome", label: "Outcome", options: OUTCOMES });
  const bar = steerFilters(outcome), list = questionTable("Questions", "74vh"), note = el("p", { class: "note", role: "status" });
  panel.replaceChildren(el("h1", { tabindex: -1 }, "STEER: questions"), bar.node, note, list.table.node,
    el("p", { class: "note" }, "Enter or a click opens a question with its options, key, explanation and every reply."));
  return async () => {
    bar.update();
    const { rows } = list.draw(steerPicked());
    note.textContent = plural(rows.length, "question") + " of " + count(steer.questions) + ".";
  };
}
