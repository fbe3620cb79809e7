// What the page holds: a head in JSON and arrays behind it, deflated together; poses of bodies at a time.
const KINDS = { f8: Float64Array, f4: Float32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
let head = null, buffer = null, base = 0, groups = [], START = 0, END = 1;

async function unpack() {
  const text = atob(document.getElementById("data").textContent.trim()), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  buffer = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  const length = new Uint32Array(buffer, 0, 1)[0];
  head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  base = 8 + length;
  groups = head.groups.map(g => ({
    ...g, count: g.bodies.length, matrices: g.bodies.map(() => new Float64Array(16)),
    home: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...g.offset, 1], frame: 0, share: 0,
  }));
  if (head.live) return;
  for (const g of groups) Object.assign(g, { t: timesOf(g.t), x: array(g.x), q: array(g.q), vectors: g.vectors.map(v => ({ ...v, values: array(v.key) })) });
  START = Math.min(...groups.map(g => g.t[0]));
  END = Math.max(...groups.map(g => g.t[g.t.length - 1]));
}

function array(key) {
  const [kind, offset, length, rows] = head.arrays[key];
  return kind === "d2" ? track(offset, length, rows) : new KINDS[kind](buffer, base + offset, length);
}
/** Whole numbers over time from their second differences: low bytes, then high ones, each number's times together. */
function track(offset, length, rows) {
  const bytes = new Uint8Array(buffer, base + offset, 2 * length), out = new Int16Array(length), each = length / rows;
  for (let c = 0, k = 0; c < each; c++) {
    let value = 0, step = 0;
    for (let r = 0; r < rows; r++, k++) {
      step += bytes[k] + 256 * bytes[length + k]; value = (value + step) & 0xffff;
      out[r * each + c] = value;
    }
  }
  return out;
}
/** [first, last, count] of even times, or the key of an array. */
function timesOf(t) {
  if (typeof t === "string") return array(t);
  return Float64Array.from({ length: t[2] }, (_, k) => t[0] + (t[1] - t[0]) * k / (t[2] - 1));
}

/** The saved time at or before t, and how far it is to the next. */
function frameAt(t, times) {
  let low = 0, high = times.length - 1;
  if (t >= times[high]) return [high, 0];
  while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle; else high = middle; }
  return [low, Math.max(0, (t - times[low]) / (times[high] - times[low] || 1))];
}
/** Where a body is at a saved time, in the film's world. */
function placeOf(g, frame, body) {
  const at = 3 * (frame * g.count + body);
  return [0, 1, 2].map(k => g.low[k] + g.grid[k] * g.x[at + k] + g.offset[k]);
}
/** Matrices of all bodies of a group at time t: straight between saved times, on the short arc. */
function setPoses(g, t) {
  const [frame, share] = frameAt(t, g.t), next = Math.min(frame + 1, g.t.length - 1), { x, q, low, grid, offset } = g, rest = 1 - share;
  g.frame = frame; g.share = share;
  for (let b = 0; b < g.count; b++) {
    const i = frame * g.count + b, j = next * g.count + b;
    let w = rest * q[4 * i] + share * q[4 * j], a = rest * q[4 * i + 1] + share * q[4 * j + 1], c = rest * q[4 * i + 2] + share * q[4 * j + 2], d = rest * q[4 * i + 3] + share * q[4 * j + 3];
    const n = Math.sqrt(w * w + a * a + c * c + d * d) || 1, at = k => low[k] + grid[k] * (rest * x[3 * i + k] + share * x[3 * j + k]) + offset[k];
    poseMatrix(w / n, a / n, c / n, d / n, at(0), at(1), at(2), g.matrices[b]);
  }
}
/** The matrix of a body; body -1 is the ground. */
const matrixOf = (g, body) => body < 0 ? g.home : g.matrices[body];
const originOf = (g, body) => { const m = matrixOf(g, body); return [m[12], m[13], m[14]]; };
/** A track of vectors at the time of the last setPoses. */
function vectorAt(g, v) {
  const i = 3 * g.frame, j = 3 * Math.min(g.frame + 1, g.t.length - 1);
  return [0, 1, 2].map(k => v.scale * ((1 - g.share) * v.values[i + k] + g.share * v.values[j + k]));
}
