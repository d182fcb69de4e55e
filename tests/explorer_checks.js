// What the tests ask of a view: contrast, names of controls, what Tab should reach, visible focus.
globalThis.checks = (() => {
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const over = (top, under, opacity = 1) => {
    const a = (top.length > 3 ? top[3] : 1) * opacity;
    return [0, 1, 2].map(n => top[n] * a + under[n] * (1 - a));
  };
  const WHITE = [255, 255, 255];

  function behind(node) {
    const found = [];
    for (let at = node; at; at = at.parentElement) found.unshift(rgb(getComputedStyle(at).backgroundColor));
    return found.reduce((under, top) => (top.length ? over(top, under) : under), WHITE);
  }
  function behindMark(text) {
    const cell = text.matches(".score") && text.parentElement.querySelector(".cell");
    if (!cell) return WHITE;
    const style = getComputedStyle(cell);
    return style.fill === "none" ? WHITE : over(rgb(style.fill), WHITE, Number(style.opacity));
  }
  function luminance(colour) {
    const [r, g, b] = colour.map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  const told = node => [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim())
    && node.getClientRects().length && !node.closest("script, style, title");

  // Texts with a contrast of less than 4.5 to 1 (WCAG 2, AA).
  function contrast() {
    const poor = new Set();
    for (const node of document.querySelectorAll("body *")) {
      if (!told(node)) continue;
      const style = getComputedStyle(node), inside = node.closest("svg");
      const under = inside ? behindMark(node) : behind(node);
      const own = over(rgb(inside ? style.fill : style.color), under);
      const [dark, light] = [luminance(own), luminance(under)].sort((a, b) => a - b);
      const found = (light + 0.05) / (dark + 0.05);
      if (found < 4.5) poor.add(`${node.tagName}.${node.getAttribute("class")} ${found.toFixed(2)} ${node.textContent.slice(0, 30)}`);
    }
    return [...poor];
  }

  // Controls that a screen reader could not name.
  function nameless() {
    const named = one => one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.textContent.trim()
      || (one.closest("label") && one.closest("label").textContent.trim());
    const controls = "a, button, input, select, [role=grid], [role=dialog], svg[role], [role=button]";
    return [...document.querySelectorAll(controls)].filter(one => !named(one)).map(one => one.outerHTML.slice(0, 100));
  }

  // How many controls of the view Tab should stop at.
  function reachable() {
    const controls = "main a, main button, main input, main select, main summary, main [tabindex='0']";
    return [...document.querySelectorAll(controls)].filter(one => one.tabIndex === 0 && !one.disabled && one.getClientRects().length).length;
  }

  const outlined = node => getComputedStyle(node).outlineStyle !== "none";
  function focusSeen() {
    const it = document.activeElement;
    if (it === document.body || outlined(it)) return true;
    if (it.matches(".node")) return Number.parseFloat(getComputedStyle(it.querySelector(".frame")).strokeWidth) >= 4;
    if (it.matches(".virtual")) return outlined(it.parentElement);
    return it.matches("[role=treeitem]") && outlined(it.querySelector(".line"));
  }

  const met = new Map();
  // A number for what has the focus, the same each time; -1 outside the view.
  function place() {
    const it = document.activeElement;
    if (!it.closest("main")) return -1;
    if (!met.has(it)) met.set(it, met.size);
    return met.get(it);
  }
  return { contrast, nameless, reachable, focusSeen, place };
})();
