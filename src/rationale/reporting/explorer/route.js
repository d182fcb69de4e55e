// Where the reader is: a path and what is picked, both in the hash, so that a view can be linked.
function readHash() {
  const [path, query] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
  const safely = part => { try { return decodeURIComponent(part); } catch { return part; } };
  return { path: path.split("/").filter(Boolean).map(safely), pick: new URLSearchParams(query || "") };
}

function hashOf(path, pick) {
  const query = new URLSearchParams();
  for (const [key, value] of pick) if (value !== "") query.append(key, value);
  const text = query.toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

function changed(pick, changes) {
  const found = new URLSearchParams(pick);
  for (const [key, value] of Object.entries(changes)) {
    found.delete(key);
    for (const one of value === null ? [] : [value].flat()) found.append(key, one);
  }
  return found;
}

// Only these keys of what is picked, to carry along to another view.
function kept(pick, keys) {
  return new URLSearchParams([...pick].filter(([key]) => keys.includes(key)));
}

// A link up to a list, with these keys of what is picked by the time it is followed.
function upLink(text, path, keys) {
  const link = el("a", { "data-up": true }, text);
  link.renew = () => { link.href = hashOf(path, kept(route.pick, keys)); };
  link.renew();
  return link;
}

let route = readHash();
let redraw = () => {};

function go(path, pick = new URLSearchParams()) { location.hash = hashOf(path, pick); }

// Changes of what is picked replace the entry in the history: going back leaves the view.
function pickNow(changes) {
  route = { path: route.path, pick: changed(route.pick, changes) };
  history.replaceState(null, "", hashOf(route.path, route.pick));
  redraw();
}
