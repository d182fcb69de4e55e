// The taxonomy and the graph of what builds on what; one element with scores and questions.
function elementsView(panel) {
  const choose = slug => go(["steer", "elements", ...(slug && route.path[2] !== slug ? [slug] : [])], route.pick);
  const graph = new Graph(choose), tree = new Tree(choose);
  const bar = steerFilters();
  const view = choice({ key: "show", label: "Graph", options: [["all", "every element"], ["near", "the chosen one's relatives"], ["none", "hidden"]] });
  const legend = el("p", { class: "note legend" }), details = el("section", { class: "details", "aria-live": "polite" });
  const questions = questionTable("Questions of the element", "50vh");
  const under = el("section", {}, el("h2", {}, "Its questions"), questions.table.node);
  panel.replaceChildren(el("h1", { tabindex: -1 }, "STEER: elements"), bar.node, el("div", { class: "filters second" }, view.node), legend, graph.box,
    el("div", { class: "halves" }, el("nav", { class: "tree", "aria-label": "Settings, modules, elements" }, tree.node), details), under);
  let shownFor = null;
  return async () => {
    const chosen = steer.elementOf.has(route.path[2]) ? route.path[2] : null;
    await wordsIfSearched();
    if (chosen) await loadWords();
    bar.update(); view.update();
    const picked = steerPicked(), wide = steerPicked(route.pick, ["setting", "module", "element"]), all = dimensions();
    const cells = tally(wide, [all.element, all.model]), shown = [...picked.models.keys()].filter(at => picked.models[at]);
    const accuracy = element => shown.map(model => MEASURES.accuracy[2](cells, element * all.model.size + model));
    const how = chosenOf("show", [["all"], ["near"], ["none"]]);
    graph.box.hidden = legend.hidden = how === "none";
    graph.update(chosen, shown, accuracy, picked.elements, how === "near");
    legend.replaceChildren();
    put(legend, graphLegend(shown));
    tree.update(chosen, picked.elements, accuracy, shown);
    details.replaceChildren(...(chosen ? elementDetails(chosen, cells, shown, choose) : [el("p", { class: "note" }, "Choose an element, in the graph or in the list, to see what it builds on, what builds on it, and its questions.")]));
    under.hidden = !chosen;
    if (chosen) questions.draw(steerPicked(changed(route.pick, { element: chosen, module: [], setting: [] })));
    if (chosen && chosen !== shownFor) graph.reveal(chosen);
    shownFor = chosen;
  };
}

function graphLegend(shown) {
  const order = shown.length > 1 ? ["Cells from left to right: ", shown.flatMap((at, place) => [place ? ", " : "", modelName(steer.models[at])]), ". "] : shown.length ? ["Scores of ", modelName(steer.models[shown[0]]), ". "] : [];
  return ["Prerequisites stand above what builds on them. ", ...order, "Darker is more accurate; – is not put or not read."];
}

const elementName = slug => steer.elements[steer.elementOf.get(slug)].name;

function elementDetails(slug, cells, shown, choose) {
  const one = steer.elements[steer.elementOf.get(slug)], size = steer.models.length, at = steer.elementOf.get(slug);
  const list = (title, found, none) => {
    const items = [...found].sort((a, b) => a[1] - b[1]).map(([name, far]) => el("li", {}, el("a", { href: hashOf(["steer", "elements", name], route.pick) }, elementName(name)), far > 1 ? el("span", { class: "note" }, " through others") : null));
    return el("div", {}, el("h3", {}, title), items.length ? el("ul", { class: "plainlist" }, items) : el("p", { class: "note" }, none));
  };
  const heads = [{ label: "Respondent", text: true }, ...Object.values(MEASURES).map(([label, title]) => ({ label, title }))];
  const rows = shown.map(model => ({ key: steer.models[model], cells: [modelName(steer.models[model]), ...Object.entries(MEASURES).map(([name, found]) => measured(name, found[2](cells, at * size + model)))] }));
  const grades = Object.entries(one.grades).map(([grade, text]) => el("li", {}, "Grade " + grade + ": " + text));
  return [el("h2", {}, one.name), el("p", { class: "note" }, nameIn(steer.settings, one.setting) + " › " + nameIn(steer.modules, one.module)), el("p", {}, one.ability), el("ul", { class: "plainlist" }, grades),
    el("div", { class: "pair" }, list("Prerequisites", prerequisitesOf(slug), "It builds on no other element."), list("What builds on it", builtOn(slug), "No other element builds on it.")),
    plainTable("Scores on " + one.name, heads, rows),
    el("p", {}, el("a", { href: hashOf(["steer", "questions"], changed(kept(route.pick, STEER_KEYS), { element: slug, module: [], setting: [] })) }, "Its questions"), " · ",
      el("a", { href: hashOf(["steer", "scores"], changed(kept(route.pick, STEER_KEYS), { element: [slug, ...prerequisitesOf(slug).keys()], module: [], setting: [] })) }, "Scores with its prerequisites"), " · ",
      el("button", { type: "button", class: "link", on: { click: () => choose(null) } }, "Clear"))];
}

// Settings, modules and elements as a tree: arrows walk, left and right close and open, Enter chooses.
class Tree {
  constructor(choose) {
    this.choose = choose;
    this.items = new Map();
    this.closed = new Set();
    const settings = steer.settings.filter(([slug]) => steer.elements.some(one => one.setting === slug));
    this.node = el("ul", { role: "tree", "aria-label": "Settings, modules, elements" }, settings.map(([slug, name]) => this.branch("setting:" + slug, name, 1,
      steer.modules.filter(([module]) => steer.elements.some(one => one.module === module && one.setting === slug)).map(([module, label]) => this.branch("module:" + module, label, 2,
        steer.elements.filter(one => one.module === module).map(one => this.leaf(one)))))));
    this.node.addEventListener("keydown", event => this.key(event));
    this.node.addEventListener("click", event => this.click(event));
    this.focused = [...this.items.keys()][0];
    this.place();
  }
  branch(key, name, level, children) {
    const inside = el("ul", { role: "group" }, children), score = el("span", { class: "score" });
    const item = el("li", { role: "treeitem", "aria-level": level, "aria-expanded": "true", tabindex: -1, "data-key": key }, el("span", { class: "line" }, el("span", { class: "name" }, name), score), inside);
    this.items.set(key, { item, score, inside, elements: [...inside.querySelectorAll("[data-element]")].map(one => steer.elementOf.get(one.dataset.element)) });
    return item;
  }
  leaf(one) {
    const score = el("span", { class: "score" });
    const item = el("li", { role: "treeitem", "aria-level": 3, tabindex: -1, "data-key": "element:" + one.slug, "data-element": one.slug }, el("span", { class: "line" }, el("span", { class: "name" }, one.name), score));
    this.items.set("element:" + one.slug, { item, score, elements: [steer.elementOf.get(one.slug)] });
    return item;
  }
  update(chosen, elements, accuracy) {
    for (const [key, { item, score, elements: own }] of this.items) {
      item.hidden = !own.some(at => elements[at]);
      if (item.dataset.element) {
        item.setAttribute("aria-selected", String(item.dataset.element === chosen));
        const values = accuracy(own[0]).filter(value => value !== null);
        score.textContent = values.length ? share(values.reduce((sum, one) => sum + one, 0) / values.length, 0) : "–";
        score.title = "Mean of the picked models' accuracies";
      } else score.textContent = count(own.filter(at => elements[at]).length);
      if (key === "element:" + chosen) this.focused = key;
    }
    this.place();
  }
  place() { for (const [key, { item }] of this.items) item.tabIndex = key === this.focused ? 0 : -1; }
  seen() { return [...this.node.querySelectorAll("[role=treeitem]")].filter(one => one.offsetParent !== null); }
  focus(item) { if (item) { this.focused = item.dataset.key; this.place(); item.focus(); } }
  open(item, on) { item.setAttribute("aria-expanded", String(on)); item.querySelector("ul").hidden = !on; }
  act(item) {
    if (item.dataset.element) this.choose(item.dataset.element);
    else this.open(item, item.getAttribute("aria-expanded") !== "true");
  }
  click(event) {
    const item = event.target.closest("[role=treeitem]");
    if (item) { this.focused = item.dataset.key; this.place(); this.act(item); }
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = event.target.closest("[role=treeitem]"), seen = this.seen(), at = seen.indexOf(item), open = item.getAttribute("aria-expanded");
    const acts = {
      ArrowDown: () => this.focus(seen[at + 1]), ArrowUp: () => this.focus(seen[at - 1]), Home: () => this.focus(seen[0]), End: () => this.focus(seen.at(-1)),
      ArrowRight: () => open === "false" ? this.open(item, true) : open && this.focus(seen[at + 1]),
      ArrowLeft: () => open === "true" ? this.open(item, false) : this.focus(item.parentNode.closest("[role=treeitem]")),
      Enter: () => this.act(item), " ": () => this.act(item),
    };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  }
}
