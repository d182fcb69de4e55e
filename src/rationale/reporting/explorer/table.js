// A table that sorts, works by keyboard, and draws only the rows in sight.
const ROW = 32, AROUND = 12, PRINTED = 400;
let tables = 0;
const drawnTables = new Set();

function compare(one, other) {
  const gone = value => value === null || value === undefined || Number.isNaN(value);
  if (gone(one) || gone(other)) return gone(one) - gone(other) || 0;
  return typeof one === "string" ? collator.compare(one, other) : one - other;
}

function sorted(rows, columns, sort) {
  const key = (sort || "").replace(/^-/, ""), column = columns.find(one => one.key === key);
  if (!column) return rows;
  const keyed = rows.map((row, place) => [column.value(row), place, row]);
  const sign = sort.startsWith("-") ? -1 : 1;
  const missing = value => value === null || value === undefined || Number.isNaN(value);
  keyed.sort((a, b) => missing(a[0]) || missing(b[0]) ? compare(a[0], b[0]) || a[1] - b[1]
    : sign * compare(a[0], b[0]) || a[1] - b[1]);
  return keyed.map(one => one[2]);
}

class Table {
  // label names it; open(row) is what Enter or a click does; href(row) is where that leads.
  constructor({ label, open, href, onSort, tall = "70vh" }) {
    Object.assign(this, { open, href, onSort, rows: [], columns: [], active: 0, id: "table-" + (tables += 1) });
    this.head = el("tr", { "aria-rowindex": 1 });
    this.body = el("tbody");
    this.above = el("tbody", { "aria-hidden": "true" });
    this.below = el("tbody", { "aria-hidden": "true" });
    this.cols = el("colgroup");
    this.grid = el("table", { role: "grid", "aria-label": label, tabindex: 0, class: "virtual", id: this.id },
      this.cols, el("thead", { role: "rowgroup" }, this.head), this.above, this.body, this.below);
    this.note = el("p", { class: "note printed" });
    this.box = el("div", { class: "scroll tall" }, this.grid);
    this.box.style.maxHeight = tall;
    this.node = el("div", { class: "table" }, this.box, this.note);
    this.box.addEventListener("scroll", () => this.later());
    this.grid.addEventListener("keydown", event => this.key(event));
    this.body.addEventListener("click", event => this.click(event));
    drawnTables.add(this);
  }
  set({ columns, rows, sort }) {
    this.columns = columns = narrow.matches ? columns.map(one => ({ ...one, width: one.text ? Math.min(one.width, 5 + one.width / 4) : one.width })) : columns;
    this.sort = sort || "";
    this.rows = sorted(rows, columns, this.sort);
    this.active = Math.min(this.active, Math.max(0, this.rows.length - 1));
    this.box.style.setProperty("--width", columns.reduce((sum, one) => sum + one.width, 0) + "rem");
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
    this.grid.setAttribute("aria-colcount", columns.length);
    this.cols.replaceChildren(...columns.map(one => { const made = el("col"); made.style.width = one.width + "rem"; return made; }));
    this.heads();
    this.drawn = null;
    this.draw();
  }
  heads() {
    const place = [...this.head.querySelectorAll("button")].indexOf(document.activeElement);
    const asked = this.sort.replace(/^-/, "");
    this.head.replaceChildren(...this.columns.map((one, at) => {
      const order = one.key !== asked ? null : this.sort.startsWith("-") ? "descending" : "ascending";
      const button = el("button", { type: "button", tabindex: at ? -1 : 0, title: one.title, on: { click: () => this.resort(one) } },
        one.head || one.label, el("span", { class: "order", "aria-hidden": "true" }, order ? (order === "ascending" ? " ▲" : " ▼") : ""));
      return el("th", { role: "columnheader", scope: "col", class: one.text ? "text" : null, "aria-sort": order || "none" }, button);
    }));
    if (place >= 0) (this.head.querySelectorAll("button")[place] || this.grid).focus();
  }
  resort(column) {
    const first = column.text ? column.key : "-" + column.key;
    const other = column.text ? "-" + column.key : column.key;
    this.onSort(this.sort === first ? other : first);
  }
  later() {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }
  window() {
    if (this.printing) return [0, Math.min(this.rows.length, PRINTED)];
    const top = Math.floor(this.box.scrollTop / ROW), seen = Math.ceil(Math.max(this.box.clientHeight, innerHeight) / ROW);
    return [Math.max(0, top - AROUND), Math.min(this.rows.length, top + seen + AROUND)];
  }
  draw() {
    const [first, last] = this.window();
    if (this.drawn !== first + "-" + last) {
      this.drawn = first + "-" + last;
      this.body.replaceChildren(...this.empty(), ...this.rows.slice(first, last).map((row, place) => this.line(row, first + place)));
      this.above.replaceChildren(...this.gap(first));
      this.below.replaceChildren(...this.gap(this.printing ? 0 : this.rows.length - last));
    }
    this.mark();
  }
  empty() {
    return this.rows.length ? [] : [el("tr", { class: "empty" }, el("td", { colspan: this.columns.length, class: "text" }, "Nothing matches what is picked."))];
  }
  gap(rows) {
    if (!rows) return [];
    const made = el("tr");
    made.style.height = rows * ROW + "px";
    return [made];
  }
  line(row, place) {
    return el("tr", { id: this.id + "-" + place, role: "row", "aria-rowindex": place + 2, "data-place": place },
      this.columns.map((one, at) => {
        const found = one.cell(row);
        const inside = at === 0 && this.href ? el("a", { href: this.href(row), tabindex: -1 }, found) : found;
        const cell = el("td", { role: at ? "gridcell" : "rowheader", class: one.text ? "text" : null, title: one.tip ? one.tip(row) : null }, inside);
        if (one.shade) { const back = one.shade(row); if (back) cell.style.background = back; }
        return cell;
      }));
  }
  mark() {
    for (const line of this.body.children) line.classList.toggle("active", +line.dataset.place === this.active);
    const there = document.getElementById(this.id + "-" + this.active);
    if (there) { this.grid.setAttribute("aria-activedescendant", there.id); there.setAttribute("aria-selected", "true"); }
    else this.grid.removeAttribute("aria-activedescendant");
  }
  move(to) {
    this.active = Math.max(0, Math.min(this.rows.length - 1, to));
    const head = this.head.parentNode.offsetHeight, top = this.active * ROW, room = this.box.clientHeight - head;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ROW > this.box.scrollTop + room) this.box.scrollTop = top + ROW - room;
    this.draw();
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("thead")) { this.headKey(event); return; }
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 2);
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: this.rows.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); this.move(to); }
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.box.scrollLeft += event.key === "ArrowRight" ? 80 : -80;
    else if (event.key === "Enter" && this.open && this.rows.length) { event.preventDefault(); this.open(this.rows[this.active]); }
  }
  headKey(event) {
    const buttons = [...this.head.querySelectorAll("button")], at = buttons.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === "ArrowDown") { event.preventDefault(); this.grid.focus(); }
    if (to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons.forEach((one, place) => { one.tabIndex = place === to ? 0 : -1; });
    buttons[to].focus();
  }
  click(event) {
    const line = event.target.closest("tr[data-place]");
    if (!line || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.active = +line.dataset.place;
    this.mark();
    if (this.open) this.open(this.rows[this.active]);
  }
  print(on) {
    this.printing = on;
    this.note.textContent = on && this.rows.length > PRINTED ? "The first " + PRINTED + " of " + count(this.rows.length) + " rows." : "";
    this.drawn = null;
    this.draw();
  }
}

addEventListener("beforeprint", () => drawnTables.forEach(one => one.node.isConnected && one.print(true)));
addEventListener("afterprint", () => drawnTables.forEach(one => one.node.isConnected && one.print(false)));
addEventListener("resize", () => drawnTables.forEach(one => one.node.isConnected && one.later()));
