// The dependency graph, drawn where the layout (layout.py) put nodes and edges.
const STRIP = 12, CELLS_WITH_NUMBERS = 5;

function relatives(start, step) {
  const found = new Map(), waiting = step(start).map(one => [one, 1]);
  while (waiting.length) {
    const [one, far] = waiting.shift();
    if (found.has(one)) continue;
    found.set(one, far);
    waiting.push(...step(one).map(next => [next, far + 1]));
  }
  return found;
}
const prerequisitesOf = slug => relatives(slug, one => steer.elements[steer.elementOf.get(one)].requires);
const builtOn = slug => relatives(slug, one => steer.buildsOn.get(one));

function curve(points) {
  let path = "M" + points[0].join(" ");
  for (let at = 1; at < points.length; at += 1) {
    const [x, y] = points[at - 1], [u, v] = points[at], middle = (y + v) / 2;
    path += "C" + [x, middle, u, middle, u, v].join(" ");
  }
  return path;
}

// A name on at most two lines of a node; the whole name is in the node's title.
function twoLines(name, room = 19) {
  const lines = [""];
  for (const word of name.split(" ")) {
    if ((lines.at(-1) + " " + word).trim().length <= room || !lines.at(-1)) lines.push((lines.pop() + " " + word).trim());
    else lines.push(word);
  }
  const cut = text => text.length > room + 1 ? text.slice(0, room) + "…" : text;
  return lines.length > 2 ? [cut(lines[0]), cut(lines[1] + " " + lines[2])] : lines.map(cut);
}

class Graph {
  constructor(choose) {
    this.choose = choose;
    const { width, height, node, edges } = steer.drawing;
    this.nodes = new Map();
    this.edges = edges.map(([from, to, points]) => ({ from, to, line: svg("path", { d: curve(points), class: "edge" }) }));
    const marks = steer.elements.map(one => this.node(one, node));
    this.picture = svg("svg", { viewBox: [-4, -4, width + 8, height + 8].join(" "), width: width + 8, height: height + 8, role: "group", "aria-label": "Which element builds on which; prerequisites are above" },
      svg("g", {}, this.edges.map(one => one.line)), svg("g", {}, marks));
    this.box = el("div", { class: "graph" }, this.picture);
    this.picture.addEventListener("keydown", event => this.key(event));
    this.focused = steer.elements[0].slug;
  }
  node(one, [width, height]) {
    const [x, y] = one.at, lines = twoLines(one.name), title = svg("title", {}, one.name);
    const cells = svg("g", { class: "cells", transform: "translate(0 " + (height - STRIP) + ")" });
    const mark = svg("g", { class: "node s" + steer.elementSetting[steer.elementOf.get(one.slug)], transform: "translate(" + x + " " + y + ")", role: "button", tabindex: -1, "data-slug": one.slug },
      title, svg("rect", { class: "body", width, height, rx: 4 }),
      lines.map((text, at) => svg("text", { x: width / 2, y: (lines.length === 1 ? 22 : 15) + 13 * at }, text)), cells,
      svg("rect", { class: "frame", width, height, rx: 4 }));
    mark.addEventListener("click", () => this.choose(one.slug));
    this.nodes.set(one.slug, { mark, cells, one, title, width });
    return mark;
  }
  // Scores are by element and model: rows of accuracies, one a picked model.
  update(chosen, shown, accuracy, elements, alone) {
    const before = chosen ? prerequisitesOf(chosen) : new Map(), after = chosen ? builtOn(chosen) : new Map();
    const near = slug => slug === chosen || before.has(slug) || after.has(slug);
    if (chosen) this.focused = chosen;
    for (const [slug, { mark, cells, one, title, width }] of this.nodes) {
      const values = accuracy(steer.elementOf.get(slug)), out = !elements[steer.elementOf.get(slug)];
      const relation = slug === chosen ? "chosen" : before.has(slug) ? "before" : after.has(slug) ? "after" : "";
      mark.setAttribute("class", mark.getAttribute("class").split(" ").slice(0, 2).join(" ") + " " + relation + (chosen ? (near(slug) ? "" : " faint") : out ? " faint" : ""));
      mark.style.display = alone && chosen && !near(slug) ? "none" : "";
      mark.setAttribute("tabindex", slug === this.focused ? 0 : -1);
      mark.setAttribute("aria-pressed", String(slug === chosen));
      const told = shown.map((model, at) => plainName(steer.models[model]) + " " + share(values[at], 0)).join(", ");
      mark.setAttribute("aria-label", one.name + (relation === "before" ? ", a prerequisite" : relation === "after" ? ", builds on it" : "") + ": " + told);
      title.textContent = one.name + "\n" + told.replaceAll(", ", "\n");
      cells.replaceChildren(...scoreCells(values, width));
    }
    for (const { from, to, line } of this.edges) {
      const on = chosen && (from === chosen || before.has(from)) && (to === chosen || before.has(to)) ? "before"
        : chosen && (from === chosen || after.has(from)) && (to === chosen || after.has(to)) ? "after" : "";
      line.setAttribute("class", "edge " + on + (chosen && !on ? " faint" : ""));
      line.style.display = alone && chosen && !on ? "none" : "";
    }
  }
  reveal(slug) {
    const { at } = this.nodes.get(slug).one, scale = this.picture.getBoundingClientRect().width / (steer.drawing.width + 8);
    this.box.scrollLeft = at[0] * scale - this.box.clientWidth / 2 + 60;
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.choose(this.focused); return; }
    const to = this.next(event.key);
    if (!to) return;
    event.preventDefault();
    this.nodes.get(this.focused).mark.setAttribute("tabindex", -1);
    this.focused = to;
    this.nodes.get(to).mark.setAttribute("tabindex", 0);
    this.nodes.get(to).mark.focus();
  }
  // The nearest node in the direction of an arrow.
  next(key) {
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] || [0, 0];
    if (!dx && !dy) return null;
    const [x, y] = this.nodes.get(this.focused).one.at;
    const rest = [...this.nodes].filter(([slug, found]) => slug !== this.focused && found.mark.style.display !== "none")
      .map(([slug, { one: { at: [u, v] } }]) => ({ slug, along: dx * (u - x) + dy * (v - y), aside: Math.abs(dy * (u - x)) + Math.abs(dx * (v - y)) * 9 }))
      .filter(one => one.along > 1 && (dy || one.aside < 1)).sort((a, b) => (dy ? a.along * 3 + a.aside : a.along) - (dy ? b.along * 3 + b.aside : b.along));
    return rest.length ? rest[0].slug : null;
  }
}

function scoreCells(values, width) {
  const each = width / Math.max(1, values.length), numbers = values.length <= CELLS_WITH_NUMBERS;
  return values.map((value, at) => svg("g", { transform: "translate(" + at * each + " 0)" },
    svg("rect", { width: each, height: STRIP, class: value === null ? "cell none" : "cell", fill: shadeOf(value) || "none" }),
    numbers || (value === null && each >= 8) ? svg("text", { x: each / 2, y: 9.5, class: "score" }, value === null ? "–" : Math.round(100 * value)) : null));
}
