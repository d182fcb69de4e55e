// STEER's answers in columns, and scores of any cut of them.
const STEER_KEYS = ["model", "form", "setting", "module", "element", "domain", "grade", "origin", "q"];
const UNREAD = 2;
let steer = null, words = null, replies = null, searched = null;

async function loadSteer() {
  if (steer) return;
  const found = await block("steer"), facts = found.facts;
  const place = (names, name) => names.findIndex(([slug]) => slug === name);
  const columns = Object.fromEntries(["q.element", "q.domain", "q.origin", "q.grade", "a.model", "a.form", "a.status", "a.right", "a.guess"].map(name => [name, found.column(name)]));
  const elementModule = Uint8Array.from(facts.elements, one => place(facts.modules, one.module));
  const elementSetting = Uint8Array.from(facts.elements, one => place(facts.settings, one.setting));
  const ids = found.texts("q.id"), parts = starts(found.column("q.parts")), answers = starts(found.column("q.answers"));
  const grades = [...new Set(columns["q.grade"])].sort((a, b) => a - b);
  steer = { ...facts, guesses: facts.guesses.map(rate => rate === null ? NaN : rate), columns, ids, parts, answers, grades, questions: ids.length, elementModule, elementSetting,
    elementOf: new Map(facts.elements.map((one, at) => [one.slug, at])), buildsOn: buildsOn(facts.elements) };
}

function buildsOn(elements) {
  const found = new Map(elements.map(one => [one.slug, []]));
  for (const one of elements) for (const needed of one.requires) found.get(needed).push(one.slug);
  return found;
}

async function loadWords() {
  if (words) return;
  const found = await block("questions");
  const columns = Object.fromEntries(["rule", "guess", "key", "value"].map(name => [name, found.column(name)]));
  words = { rules: found.facts.rules, ...columns, options: starts(found.column("options.n")) };
  for (const name of ["template", "person", "explanation", "text", "option", "behind"]) words[name] = found.texts(name);
}

async function loadReplies() {
  if (replies) return;
  const found = await block("replies");
  replies = { ...found.facts, step: found.column("step"), key: found.column("key"), shots: found.column("shots"), wanted: found.column("wanted"),
    chosen: found.lists("chosen"), p: found.lists("p"), none: found.lists("none"), turns: starts(found.column("texts.n")),
    code: found.column("text.code"), text: found.texts("text"), left: found.column("text.left") };
}

const textOf = question => words.text.at(steer.parts[question]);

// What can be searched of each question, in small letters: its id, texts and options.
function searchable() {
  if (searched) return searched;
  searched = Array.from({ length: steer.questions }, (_, question) => {
    const found = [steer.ids.at(question)];
    for (let part = steer.parts[question]; part < steer.parts[question + 1]; part += 1) {
      found.push(words.text.at(part));
      for (let option = words.options[part]; option < words.options[part + 1]; option += 1) found.push(words.option.at(option));
    }
    return found.join("\n").toLowerCase();
  });
  return searched;
}

// A byte for each of the names: 1 where it is picked, or where nothing is.
function mask(names, key, pick = route.pick) {
  const picked = new Set(pick.getAll(key)), found = Uint8Array.from(names, name => +picked.has(String(name)));
  return found.includes(1) ? found : found.fill(1);
}

function steerPicked(pick = route.pick, leave = []) {
  const left = kept(pick, STEER_KEYS.filter(key => !leave.includes(key)));
  const of = (names, key) => mask(names, key, left);
  const { columns } = steer, slugs = pairs => pairs.map(pair => pair[0]);
  const settings = of(slugs(steer.settings), "setting"), modules = of(slugs(steer.modules), "module");
  const chosen = of(steer.elements.map(one => one.slug), "element");
  const elements = chosen.map((on, at) => on & settings[steer.elementSetting[at]] & modules[steer.elementModule[at]]);
  const domains = of(slugs(steer.domains), "domain"), grades = new Set(left.getAll("grade").map(Number)), origins = of(steer.origins, "origin");
  const find = (left.get("q") || "").toLowerCase(), texts = find && searchable();
  const questions = new Uint8Array(steer.questions);
  for (let at = 0; at < questions.length; at += 1) {
    questions[at] = elements[columns["q.element"][at]] & domains[columns["q.domain"][at]] & origins[columns["q.origin"][at]]
      & (!grades.size || grades.has(columns["q.grade"][at])) & (!find || texts[at].includes(find));
  }
  return { models: of(steer.models, "model"), forms: of(steer.forms, "form"), elements, questions };
}

// A way to cut: how many parts, the name of each, and the part of a question or of an answer.
function dimensions() {
  const { columns } = steer, of = (size, label, question, answer) => ({ size, label, question, answer });
  const element = columns["q.element"];
  return {
    element: of(steer.elements.length, at => steer.elements[at].name, q => element[q]),
    module: of(steer.modules.length, at => steer.modules[at][1], q => steer.elementModule[element[q]]),
    setting: of(steer.settings.length, at => steer.settings[at][1], q => steer.elementSetting[element[q]]),
    domain: of(steer.domains.length, at => steer.domains[at][1], q => columns["q.domain"][q]),
    grade: of(steer.grades.length, at => "Grade " + steer.grades[at], q => steer.grades.indexOf(columns["q.grade"][q])),
    origin: of(steer.origins.length, at => steer.origins[at], q => columns["q.origin"][q]),
    question: of(steer.questions, at => steer.ids.at(at), q => q),
    form: of(steer.forms.length, at => steer.forms[at], null, a => columns["a.form"][a]),
    model: of(steer.models.length, at => plainName(steer.models[at]), null, a => columns["a.model"][a]),
  };
}
const slugOf = {
  element: at => steer.elements[at].slug, module: at => steer.modules[at][0], setting: at => steer.settings[at][0], domain: at => steer.domains[at][0],
  grade: at => String(steer.grades[at]), origin: at => steer.origins[at], form: at => steer.forms[at], model: at => steer.models[at],
};

// Counts of the picked answers in every cell of a table with these dimensions, the last the fastest.
function tally(picked, dims) {
  const total = dims.reduce((size, one) => size * one.size, 1);
  const cells = { put: new Uint32Array(total), read: new Uint32Array(total), right: new Uint32Array(total), guess: new Float64Array(total) };
  const { columns, answers, guesses } = steer, model = columns["a.model"], form = columns["a.form"], right = columns["a.right"], guess = columns["a.guess"];
  const byQuestion = dims.map(one => one.question), byAnswer = dims.map(one => one.answer), sizes = dims.map(one => one.size), parts = new Array(dims.length);
  for (let question = 0; question < steer.questions; question += 1) {
    if (!picked.questions[question]) continue;
    for (let at = 0; at < dims.length; at += 1) parts[at] = byQuestion[at] ? byQuestion[at](question) : 0;
    for (let answer = answers[question]; answer < answers[question + 1]; answer += 1) {
      if (!picked.models[model[answer]] || !picked.forms[form[answer]]) continue;
      let cell = 0;
      for (let at = 0; at < dims.length; at += 1) cell = cell * sizes[at] + (byAnswer[at] ? byAnswer[at](answer) : parts[at]);
      cells.put[cell] += 1;
      if (right[answer] === UNREAD) continue;
      cells.read[cell] += 1;
      cells.right[cell] += right[answer];
      cells.guess[cell] += guesses[guess[answer]];
    }
  }
  return cells;
}

const MEASURES = {
  accuracy: ["Accuracy", "Share right of the answers that could be read", (cells, at) => cells.read[at] ? cells.right[at] / cells.read[at] : null],
  normalised: ["Normalised", "Accuracy beyond guessing: (a − r) / (1 − r), with r the mean guess rate", (cells, at) => {
    if (!cells.read[at]) return null;
    const guess = cells.guess[at] / cells.read[at];
    return guess < 1 ? (cells.right[at] / cells.read[at] - guess) / (1 - guess) : null; // null as well where a guess rate is unknown
  }],
  guess: ["Guess rate", "Mean chance of a right answer by guessing, over the answers that could be read", (cells, at) => cells.guess[at] >= 0 && cells.read[at] ? cells.guess[at] / cells.read[at] : null],
  unread: ["Unread", "Share of what was put that could not be read: refused, invalid, cut off, failed", (cells, at) => cells.put[at] ? 1 - cells.read[at] / cells.put[at] : null],
  read: ["Read", "Answers that could be read", (cells, at) => cells.read[at]],
  put: ["Put", "Questions put", (cells, at) => cells.put[at]],
};
const COUNTS = new Set(["read", "put"]);
const measured = (name, value) => value === null ? "–" : COUNTS.has(name) ? count(value) : share(value);
const shadeOf = value => value === null ? null : "rgb(90 165 196 / " + Math.max(0, Math.min(1, 0.8 * value)).toFixed(3) + ")";

const pairs = (key, label, options) => picker({ key, label, options: options.map(([value, name]) => ({ value: String(value), label: name })) });
const modelPicker = slugs => picker({ key: "model", label: "Models", options: slugs.map(slug => ({ value: slug, label: labelOf(slug), name: modelName(slug) })) });
const formPicker = names => pairs("form", "Forms", names.map(name => [name, name]));

function steerFilters(...more) {
  return filters("Filters", modelPicker(steer.models), formPicker(steer.forms),
    pairs("setting", "Settings", steer.settings),
    picker({ key: "module", label: "Modules", options: steer.modules.map(([value, label], at) => ({ value, label, group: moduleSetting(at) })) }),
    picker({ key: "element", label: "Elements", options: steer.elements.map(one => ({ value: one.slug, label: one.name, group: nameIn(steer.modules, one.module) })) }),
    pairs("domain", "Domains", steer.domains),
    pairs("grade", "Grades", steer.grades.map(grade => [grade, "Grade " + grade])),
    ...(steer.origins.length > 1 ? [pairs("origin", "Origins", steer.origins.map(name => [name, name || "unknown"]))] : []),
    ...more,
    finder({ key: "q", label: "Words", hint: "in text, options, id" }));
}
const nameIn = (pairs, slug) => (pairs.find(([one]) => one === slug) || [slug, slug])[1];
function moduleSetting(at) {
  const one = steer.elements.find(element => element.module === steer.modules[at][0]);
  return one ? nameIn(steer.settings, one.setting) : "";
}

// The words are needed as soon as something is searched in them.
async function wordsIfSearched() { if (route.pick.get("q")) await loadWords(); }
