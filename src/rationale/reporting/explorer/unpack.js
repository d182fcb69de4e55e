// Blocks of columns: base64, gzip, a JSON header, typed arrays (packing.py says how).
const about = JSON.parse(document.getElementById("about").textContent);
const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
const blocks = new Map();

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function starts(lengths) {
  const found = new Uint32Array(lengths.length + 1);
  for (let row = 0; row < lengths.length; row += 1) found[row + 1] = found[row] + lengths[row];
  return found;
}

class Texts {
  constructor(bytes, lengths) { this.bytes = bytes; this.starts = starts(lengths); this.decoder = new TextDecoder(); }
  get length() { return this.starts.length - 1; }
  at(row) { return this.decoder.decode(this.bytes.subarray(this.starts[row], this.starts[row + 1])); }
  all() { return Array.from({ length: this.length }, (_, row) => this.at(row)); }
}

class Lists {
  constructor(items, lengths) { this.items = items; this.starts = starts(lengths); }
  at(row) { return Array.from(this.items.subarray(this.starts[row], this.starts[row + 1])); }
}

class Block {
  constructor(buffer) {
    const size = new DataView(buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
    this.facts = header.facts;
    this.places = header.columns;
    this.buffer = buffer;
    this.first = 4 + size;
  }
  column(name) {
    const [type, offset, length] = this.places[name];
    return new TYPES[type](this.buffer, this.first + offset, length);
  }
  texts(name) { return new Texts(this.column(name), this.column(name + ".n")); }
  lists(name) { return new Lists(this.column(name), this.column(name + ".n")); }
}

async function unpack(name) {
  const place = document.getElementById("block-" + name);
  const text = place.textContent;
  place.remove();
  return new Block(await gunzip(bytesOf(text)));
}

function block(name) {
  if (!blocks.has(name)) blocks.set(name, unpack(name));
  return blocks.get(name);
}
