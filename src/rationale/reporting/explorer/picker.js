// Pick several of many: a button that opens a list with a search. Nothing picked means all.
function picker({ key, label, options }) {
  let picked = new Set();
  const summary = el("span", { class: "picked" });
  const button = el("button", { type: "button", "aria-expanded": "false", "aria-haspopup": "dialog", class: "picker" }, el("span", { class: "what" }, label), " ", summary);
  const search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search " + label.toLowerCase() });
  const clear = el("button", { type: "button", class: "quiet", on: { click: () => pickNow({ [key]: [] }) } }, "All");
  const boxes = options.map(one => {
    const box = el("input", { type: "checkbox", value: one.value });
    box.addEventListener("change", () => pickNow({ [key]: boxes.filter(other => other.box.checked).map(other => other.one.value) }));
    return { one, box, node: el("label", {}, box, el("span", {}, one.name || one.label)) };
  });
  const groups = new Map();
  for (const one of boxes) {
    const name = one.one.group || "";
    if (!groups.has(name)) groups.set(name, el("div", { role: "group", "aria-label": name || label }, name ? el("p", { class: "group" }, name) : null));
    groups.get(name).append(one.node);
  }
  const list = el("div", { class: "boxes" }, [...groups.values()]);
  const panel = el("div", { class: "panel", role: "dialog", "aria-label": label, hidden: true }, el("div", { class: "row" }, search, clear), list);
  const node = el("div", { class: "pick", "data-key": key }, button, panel);

  const shown = () => boxes.filter(one => !one.node.hidden).map(one => one.box);
  function open(on) {
    panel.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
    panel.classList.toggle("left", on && node.getBoundingClientRect().left + panel.offsetWidth > innerWidth - 8);
    if (on) search.focus();
  }
  function find() {
    const words = search.value.toLowerCase();
    for (const one of boxes) one.node.hidden = !(one.one.label + " " + (one.one.group || "") + " " + one.one.value).toLowerCase().includes(words);
    for (const group of groups.values()) group.hidden = ![...group.querySelectorAll("label")].some(one => !one.hidden);
  }
  function step(event) {
    if (event.key === "Escape") { event.stopPropagation(); open(false); button.focus(); return; }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const there = shown(), at = there.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (at < 0) search.focus(); else if (there[at]) there[at].focus();
  }
  button.addEventListener("click", () => open(panel.hidden));
  button.addEventListener("keydown", event => { if (event.key === "ArrowDown") { event.preventDefault(); open(true); } });
  search.addEventListener("input", find);
  panel.addEventListener("keydown", step);
  node.addEventListener("focusout", event => { if (event.relatedTarget && !node.contains(event.relatedTarget)) open(false); });
  document.addEventListener("pointerdown", event => { if (!panel.hidden && !node.contains(event.target)) open(false); });

  function update() {
    picked = new Set(route.pick.getAll(key));
    for (const one of boxes) one.box.checked = picked.has(one.one.value);
    const there = boxes.filter(one => one.box.checked);
    summary.textContent = !there.length ? "all" : there.length === 1 ? there[0].one.label : there.length + " of " + boxes.length;
    button.classList.toggle("on", there.length > 0);
  }
  return { node, update, key, told: () => label + " " + summary.textContent };
}

// One of a few: a select whose value stands in the hash unless it is the first.
function choice({ key, label, options }) {
  const select = el("select", {}, options.map(([value, name]) => el("option", { value }, name)));
  select.addEventListener("change", () => pickNow({ [key]: select.value === options[0][0] ? [] : select.value }));
  const node = el("label", { class: "choice", "data-key": key }, el("span", { class: "what" }, label), select);
  const update = () => { select.value = chosenOf(key, options); };
  return { node, update, key, select, told: () => label + " " + select.selectedOptions[0].textContent };
}
function chosenOf(key, options) {
  const found = route.pick.get(key);
  return options.some(([value]) => value === found) ? found : options[0][0];
}

// A text to find; what is typed counts after a short pause.
function finder({ key, label, hint }) {
  let waiting = 0;
  const input = el("input", { type: "search", placeholder: hint || "", autocomplete: "off", spellcheck: "false" });
  const take = () => { clearTimeout(waiting); if (input.value !== (route.pick.get(key) || "")) pickNow({ [key]: input.value || [] }); };
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(take, 200); });
  input.addEventListener("keydown", event => { if (event.key === "Enter") take(); });
  const node = el("label", { class: "choice find", "data-key": key }, el("span", { class: "what" }, label), input);
  const update = () => { if (document.activeElement !== input) input.value = route.pick.get(key) || ""; };
  return { node, update, key, told: () => label + " “" + (route.pick.get(key) || "") + "”" };
}

// On a narrow page filters fold away.
const narrow = matchMedia("(max-width: 48rem)");
narrow.addEventListener("change", () => { for (const one of document.querySelectorAll(".filterbox")) one.open = !narrow.matches; redraw(); });

// A row of them with a button that lets everything in again.
function filters(label, ...made) {
  const keys = made.map(one => one.key);
  const reset = el("button", { type: "button", class: "quiet reset", on: { click: () => pickNow(Object.fromEntries(keys.map(key => [key, []]))) } }, "Reset");
  const told = el("span", { class: "note" });
  const node = el("details", { class: "filterbox", open: !narrow.matches }, el("summary", {}, label, " ", told), el("div", { class: "filters", role: "group", "aria-label": label }, made.map(one => one.node), reset));
  const update = () => {
    made.forEach(one => one.update());
    const set = made.filter(one => route.pick.has(one.key));
    reset.disabled = !set.length;
    told.textContent = set.length ? set.map(one => one.told()).join(", ") : "none";
  };
  return { node, update };
}
