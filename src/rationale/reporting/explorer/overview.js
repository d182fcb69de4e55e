// What there is: the studies and who took part in them.
const STUDIES = {
  steer: ["STEER", "steer", found => plural(found.questions, "question") + ", " + plural(found.answers, "answer") + " of " + plural(Object.keys(found.models).length, "respondent") + "."],
  psm: ["The priced survey", "psm", found => plural(found.rounds, "priced round") + ", " + plural(found.respondents.length, "respondent and form", "respondents and forms") + "."],
  moralchoice: ["MoralChoice", "moralchoice", found => plural(found.scenarios, "scenario") + ", " + plural(Object.keys(found.models).length, "respondent") + "."],
};
const ABOUT = {
  steer: "Elements of economic rationality: scores by any cut, the elements and what builds on what, and every question with every reply.",
  psm: "Every priced round with its options in the order shown, and what each respondent chose.",
  moralchoice: "Every scenario under its question forms: the question as put, counts of the actions, sample replies.",
};

function overview(panel) {
  const { steer, psm, moralchoice } = about.studies;
  const cards = Object.entries(STUDIES).filter(([slug]) => about.studies[slug]).map(([slug, [name, path, facts]]) =>
    el("li", { class: "card" }, el("h2", {}, el("a", { href: hashOf([path], new URLSearchParams()) }, name)), el("p", {}, ABOUT[slug]), el("p", { class: "note" }, facts(about.studies[slug]))));
  const link = (path, text) => el("a", { href: "#/" + path }, text);
  const rounds = slug => psm && psm.respondents.filter(one => one[0] === slug);
  const cells = {
    steer: slug => { const found = steer.models[slug]; return found ? link("steer/scores?model=" + encodeURIComponent(slug), count(found[1]) + " of " + count(found[0])) : "–"; },
    accuracy: slug => { const found = steer.models[slug]; return found && found[1] ? share(found[2] / found[1]) : "–"; },
    psm: slug => { const found = rounds(slug); return found.length ? link("psm?model=" + encodeURIComponent(slug), count(found.reduce((sum, one) => sum + one[3], 0)) + " of " + count(found.reduce((sum, one) => sum + one[2], 0))) : "–"; },
    moral: slug => { const found = moralchoice.models[slug]; return found ? link("moralchoice?model=" + encodeURIComponent(slug), count(found[1]) + " of " + count(found[0])) : "–"; },
  };
  const heads = [{ label: "Respondent", text: true }, steer && { label: "STEER: read of put", key: "steer" }, steer && { label: "Accuracy, all forms", key: "accuracy", title: "Right among the answers that could be read" },
    psm && { label: "Priced rounds: read", key: "psm" }, moralchoice && { label: "MoralChoice: valid replies", key: "moral" }].filter(Boolean);
  const rows = [...models.keys()].map(slug => ({ key: slug, cells: [modelName(slug), ...heads.slice(1).map(one => cells[one.key](slug))] }));
  panel.replaceChildren(
    el("h1", { tabindex: -1 }, "Explorer"),
    el("p", { class: "lead" }, "Every question, round and scenario of this run, what was replied, and scores by any cut, in one file. Nothing is loaded from anywhere. What is picked stands in the address, so that any view can be linked."),
    el("ul", { class: "cards" }, cards),
    el("h2", {}, "Respondents"),
    plainTable("Respondents", heads, rows),
    el("p", { class: "note" }, "Simulated respondents are a scale and no findings. A reply that could not be read is neither right nor wrong."));
  return () => {};
}
