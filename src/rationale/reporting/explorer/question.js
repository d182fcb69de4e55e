// One question: its text, options, key and explanation, and what every model replied in every form.
// The form that asks for a number in place of a letter.
const FREE = "free";
const OUTCOME = { 0: ["✗", "wrong"], 1: ["✓", "right"], 2: ["–", "unread"] };

function questionAt(path) {
  const [element, id] = path.length > 3 ? [path[2], path[3]] : [null, path[2]];
  for (let at = 0; at < steer.questions; at += 1) {
    if (steer.ids.at(at) === id && (!element || steer.elements[steer.columns["q.element"][at]].slug === element)) return at;
  }
  return -1;
}

// Parts with their options; letters go on from part to part, as they do when the question is put.
function partsOf(question) {
  let letter = 0;
  const found = [];
  for (let part = steer.parts[question]; part < steer.parts[question + 1]; part += 1) {
    const options = [];
    for (let at = words.options[part]; at < words.options[part + 1]; at += 1) options.push({ letter: LETTERS[letter++ % 26], text: words.option.at(at), behind: words.behind.at(at) });
    found.push({ text: words.text.at(part), options, key: words.key[part], value: words.value[part] });
  }
  return found;
}

function questionView(panel) {
  const at = questionAt(route.path);
  if (at < 0) { panel.replaceChildren(el("h1", { tabindex: -1 }, "No such question"), backToQuestions()); return () => {}; }
  const parts = partsOf(at), bar = filters("Filters", modelPicker(steer.models), formPicker(steer.forms));
  const select = el("select", { on: { change: event => pickNow({ at: event.target.value }) } });
  const matrix = el("div"), shown = el("div"), label = el("label", { class: "choice" }, el("span", { class: "what" }, "Replies under"), select);
  refill(panel, questionHead(at), questionBody(at, parts), el("h2", {}, "Answers"), bar.node, matrix, label, shown);
  return () => { bar.update(); drawAnswers(pickedAnswers(at), parts, { matrix, label, select, shown }); };
}

function pickedAnswers(question) {
  const picked = steerPicked(kept(route.pick, ["model", "form"])), found = [];
  for (let at = steer.answers[question]; at < steer.answers[question + 1]; at += 1) {
    if (picked.models[steer.columns["a.model"][at]] && picked.forms[steer.columns["a.form"][at]]) found.push(at);
  }
  return found;
}

const backToQuestions = () => upLink("← All that match", ["steer", "questions"], [...STEER_KEYS, "outcome", "sort"]);

function questionHead(question) {
  const one = steer.elements[steer.columns["q.element"][question]], grade = steer.columns["q.grade"][question];
  const about = [["Element", el("a", { href: hashOf(["steer", "elements", one.slug], kept(route.pick, ["model", "form"])) }, one.name)], ["Module", nameIn(steer.modules, one.module)],
    ["Domain", steer.domains[steer.columns["q.domain"][question]][1]], ["Grade", grade + (one.grades[grade] ? ": " + one.grades[grade] : "")], ["Story", words.template.at(question) || "–"],
    ["Origin", steer.origins[steer.columns["q.origin"][question]] || "–"], ["Guess rate", share(words.guess[question])]];
  return el("div", {}, steps(question), el("h1", { tabindex: -1, class: "id" }, steer.ids.at(question)),
    el("dl", { class: "facts" }, about.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function steps(question) {
  const at = listed.indexOf(question), rows = at < 0 ? [...Array(steer.questions).keys()] : listed, place = at < 0 ? question : at;
  return stepsBar(backToQuestions(), place, rows.length, to => {
    const other = rows[to];
    go(["steer", "questions", steer.elements[steer.columns["q.element"][other]].slug, steer.ids.at(other)], route.pick);
  });
}

// Back to the list, and one on or back in it; the keys [ and ] press the buttons.
function stepsBar(back, place, total, to) {
  const button = (text, step, key) => el("button", { type: "button", "data-step": key, disabled: !(place + step >= 0 && place + step < total), on: { click: () => to(place + step) } }, text, el("kbd", {}, key));
  return el("div", { class: "steps" }, back, button("Previous", -1, "["), button("Next", 1, "]"), el("span", { class: "note" }, count(place + 1) + " of " + count(total)));
}

function questionBody(question, parts) {
  const [rule, ruleText] = words.rules[words.rule[question]] || ["", ""], explanation = words.explanation.at(question);
  return [parts.map((part, at) => el("section", { class: "part" }, parts.length > 1 ? el("h2", {}, "Part " + (at + 1)) : null, verbatim(part.text, "asked"),
    el("ul", { class: "options" }, part.options.map((option, place) => optionItem(option, part.key === place + 1))),
    Number.isNaN(part.value) ? null : el("p", { class: "note" }, "As a number: " + part.value))),
  rule ? el("p", { class: "note" }, "Graded by the rule “" + rule + "”: " + ruleText) : null,
  explanation ? el("div", {}, el("h2", {}, "Explanation"), verbatim(explanation, "asked")) : null].flat(2).filter(Boolean);
}

function optionItem(option, key) {
  return el("li", { class: key ? "key" : null }, el("b", {}, option.letter + "."), " ", el("span", { class: "words" }, option.text),
    key ? el("span", { class: "behind" }, "the key") : option.behind ? el("span", { class: "behind" }, option.behind) : null);
}

const formOf = at => steer.forms[steer.columns["a.form"][at]];

function drawAnswers(answers, parts, { matrix, label, select, shown }) {
  const forms = [...new Set(answers.map(formOf))].sort((a, b) => steer.forms.indexOf(a) - steer.forms.indexOf(b));
  const asked = route.pick.get("at"), at = asked === "all" || forms.includes(asked) ? asked : forms[0];
  label.hidden = !answers.length;
  refill(select, forms.map(name => el("option", { value: name }, name)), el("option", { value: "all" }, "all forms"));
  select.value = at;
  refill(matrix, answers.length ? answerMatrix(answers, forms) : el("p", { class: "note" }, "No answer of what is picked."));
  refill(shown, answers.filter(one => at === "all" || formOf(one) === at).map(one => replyCard(one, parts)));
}

function answerMatrix(answers, forms) {
  const there = [...new Set(answers.map(at => steer.columns["a.model"][at]))].sort((a, b) => a - b);
  const by = new Map(answers.map(at => [steer.columns["a.model"][at] + "/" + steer.columns["a.form"][at], at]));
  const cell = (model, name) => {
    const at = by.get(model + "/" + steer.forms.indexOf(name));
    if (at === undefined) return el("span", { class: "note" }, "not put");
    const said = plainName(steer.models[model]) + ", " + name + ": " + OUTCOME[steer.columns["a.right"][at]][1] + "; show the reply";
    return el("button", { type: "button", class: "link", "aria-label": said, on: { click: () => { pickNow({ at: name }); setTimeout(() => showReply(at), 50); } } }, mark(at), " ", chosenLetters(at) || "");
  };
  return plainTable("Answers by model and form", [{ label: "Respondent", text: true }, ...forms.map(label => ({ label }))],
    there.map(model => ({ key: steer.models[model], cells: [modelName(steer.models[model]), ...forms.map(name => cell(model, name))] })), "matrix");
}

function showReply(at) {
  const there = document.getElementById("reply-" + at);
  if (there) { there.scrollIntoView({ block: "center" }); there.focus(); }
}

function mark(at) {
  const [sign, word] = OUTCOME[steer.columns["a.right"][at]];
  return el("span", { class: "mark " + word, title: word }, sign);
}

// The letters that were chosen, or the number where one was asked for.
function chosenLetters(at) {
  const chosen = replies.chosen.at(at);
  if (!chosen.length) return "";
  if (formOf(at) === FREE) return chosen.map(value => String(value)).join(", ");
  const question = questionOfAnswer(at);
  let first = 0;
  return chosen.map((place, n) => {
    const letter = LETTERS[(first + place - 1) % 26], part = steer.parts[question] + n;
    first += words.options[part + 1] - words.options[part];
    return letter;
  }).join(", ");
}

function questionOfAnswer(at) {
  let low = 0, high = steer.questions;
  while (high - low > 1) { const middle = (low + high) >> 1; if (steer.answers[middle] <= at) low = middle; else high = middle; }
  return low;
}

function replyCard(at, parts) {
  const model = steer.models[steer.columns["a.model"][at]], form = formOf(at), status = steer.statuses[steer.columns["a.status"][at]];
  const step = replies.steps[replies.step[at]], outcome = OUTCOME[steer.columns["a.right"][at]][1], letters = chosenLetters(at);
  const facts = [status !== "answered" ? status : null, letters ? (form === FREE ? "number " : "chose ") + letters : null, step ? "read by: " + step : null, shotsOf(at)].filter(Boolean).join(" · ");
  return el("article", { class: "reply " + outcome, id: "reply-" + at, tabindex: -1, "data-model": model, "data-form": form },
    el("h3", {}, mark(at), " ", modelName(model), " ", el("span", { class: "note" }, form + " · " + outcome)),
    el("p", { class: "note" }, facts), noneNote(at, parts), probabilities(at), turnsOf(at));
}

function shotsOf(at) {
  const wanted = replies.wanted[at];
  return wanted ? plural(replies.shots[at], "example") + " shown" + (replies.shots[at] < wanted ? " of " + wanted + " asked for" : "") : null;
}

function noneNote(at, parts) {
  const places = replies.none.at(at);
  if (!places.length) return null;
  let first = 0;
  const letters = places.map((place, n) => { const found = LETTERS[(first + place - 1) % 26]; first += parts[n] ? parts[n].options.length : 0; return found; });
  return el("p", { class: "note" }, "In this form option " + letters.join(" and ") + " read that none of the other options is correct.");
}

function probabilities(at) {
  const found = replies.p.at(at);
  if (!found.length) return null;
  const key = replies.key[at];
  return el("ul", { class: "bars", "aria-label": "Probabilities of the letters" }, found.map((value, place) => {
    const bar = el("span", { class: "bar", "aria-hidden": "true" }), p = value / replies.probabilities;
    bar.style.width = (100 * p).toFixed(1) + "%";
    return el("li", { class: place + 1 === key ? "key" : null }, el("b", {}, LETTERS[place]), el("span", { class: "track" }, bar), el("span", { class: "p" }, number(p)), place + 1 === key ? el("span", { class: "note" }, "key") : null);
  }));
}

function turnsOf(at) {
  const first = replies.turns[at], last = replies.turns[at + 1];
  if (first === last) return el("p", { class: "note" }, "No reply came.");
  return Array.from({ length: last - first }, (_, turn) => {
    const code = replies.code[first + turn], model = steer.models[steer.columns["a.model"][at]];
    return el("div", { class: "turn" }, last - first > 1 ? el("p", { class: "note" }, "Turn " + (turn + 1)) : null,
      said(replies.text.at(code), replies.left[code], "results/steer/" + model + "/graded.parquet"));
  });
}
