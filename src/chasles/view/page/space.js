"use strict";
// Data, poses and the camera. Matrices are column by column, as WebGL has them.

const head = JSON.parse(document.getElementById("head").textContent);
const buffer = (() => {
  const text = atob(document.getElementById("data").textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes.buffer;
})();
const KINDS = { f8: Float64Array, f4: Float32Array, i2: Int16Array, i1: Int8Array, u2: Uint16Array, u4: Uint32Array };
const array = key => { const [kind, offset, length] = head.arrays[key]; return new KINDS[kind](buffer, offset, length); };

const groups = head.groups.map(g => ({
  ...g, t: array(g.t), x: array(g.x), q: array(g.q), count: g.bodies.length,
  matrices: g.bodies.map(() => new Float32Array(16)), home: translation(g.offset),
  vectors: g.vectors.map(v => ({ ...v, values: array(v.key) })),
}));
const END = Math.max(...groups.map(g => g.t[g.t.length - 1])), START = Math.min(...groups.map(g => g.t[0]));

function translation([x, y, z]) {
  return new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);
}

function product(a, b, out) {
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++)
    out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
  return out;
}

function moved(m, p) {
  return [0, 1, 2].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
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
  const [frame, share] = frameAt(t, g.t), next = Math.min(frame + 1, g.t.length - 1);
  g.frame = frame; g.share = share;
  for (let b = 0; b < g.count; b++) {
    const p = placeOf(g, frame, b), r = placeOf(g, next, b), m = g.matrices[b];
    const i = 4 * (frame * g.count + b), j = 4 * (next * g.count + b);
    let [w, x, y, z] = [0, 1, 2, 3].map(k => (1 - share) * g.q[i + k] + share * g.q[j + k]);
    const n = Math.hypot(w, x, y, z) || 1; w /= n; x /= n; y /= n; z /= n;
    m[0] = 1 - 2 * (y * y + z * z); m[1] = 2 * (x * y + w * z); m[2] = 2 * (x * z - w * y);
    m[4] = 2 * (x * y - w * z); m[5] = 1 - 2 * (x * x + z * z); m[6] = 2 * (y * z + w * x);
    m[8] = 2 * (x * z + w * y); m[9] = 2 * (y * z - w * x); m[10] = 1 - 2 * (x * x + y * y);
    for (let k = 0; k < 3; k++) m[12 + k] = (1 - share) * p[k] + share * r[k];
    m[15] = 1;
  }
}

/** The matrix of a body; body -1 is the ground. */
const matrixOf = (g, body) => body < 0 ? g.home : g.matrices[body];

/** A track of vectors at the time of the last setPoses. */
function vectorAt(g, v) {
  const i = 3 * g.frame, j = 3 * Math.min(g.frame + 1, g.t.length - 1);
  return [0, 1, 2].map(k => v.scale * ((1 - g.share) * v.values[i + k] + g.share * v.values[j + k]));
}

// --- camera ---

const FIELD = 0.5; // radians, from top to bottom
const camera = { ...head.camera, width: 1, height: 1, view: new Float32Array(16), eye: [0, 0, 1] };
const unit = v => { const n = Math.hypot(...v) || 1; return v.map(c => c / n); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const along = (a, s, b) => a.map((c, k) => c + s * b[k]);

function resetCamera() {
  Object.assign(camera, { azimuth: head.camera.azimuth, elevation: head.camera.elevation, target: [...head.camera.target], zoom: 1 });
  camera.moved = [0, 0, 0];
}

/** How far a body of the first result has come from its start. */
function gone(body) {
  const m = groups[0].matrices[body], start = placeOf(groups[0], 0, body);
  return [0, 1, 2].map(k => m[12 + k] - start[k]);
}

/** The camera goes as far as the body that it follows; it stays where it is when it follows none. */
function goAlong(body) {
  if (body < 0) return;
  const here = gone(body);
  camera.target = camera.target.map((c, k) => c + here[k] - camera.moved[k]);
  camera.moved = here;
}

function aim() {
  const [e1, e2, up] = head.camera.basis, { azimuth: a, elevation: e } = camera;
  const back = along(along(e1.map(c => c * Math.cos(a) * Math.cos(e)), Math.sin(a) * Math.cos(e), e2), Math.sin(e), up);
  const right = along(e1.map(c => -c * Math.sin(a)), Math.cos(a), e2), top = cross(back, right);
  const aspect = camera.width / camera.height;
  const [wide, tall, deep] = head.camera.half, fitting = Math.max(tall, wide / aspect, 0.2 * head.size);
  const reach = (1.12 * fitting / Math.tan(FIELD / 2) + deep) / camera.zoom;
  const eye = along(camera.target, reach, back), f = 1 / Math.tan(FIELD / 2);
  const near = Math.max(reach - 3 * head.camera.radius, reach * 0.05), far = reach + 6 * head.camera.radius;
  const look = new Float32Array([
    right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
    -dot(right, eye), -dot(top, eye), -dot(back, eye), 1]);
  const lens = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
  product(lens, look, camera.view);
  Object.assign(camera, { eye, right, top, back, reach, metre: 2 * reach * Math.tan(FIELD / 2) / camera.height });
}

/** A point of the world on the page: x and y in CSS pixels, and its depth. */
function project(p) {
  const v = camera.view;
  const w = v[3] * p[0] + v[7] * p[1] + v[11] * p[2] + v[15];
  const x = (v[0] * p[0] + v[4] * p[1] + v[8] * p[2] + v[12]) / w, y = (v[1] * p[0] + v[5] * p[1] + v[9] * p[2] + v[13]) / w;
  return [(x + 1) / 2 * camera.width, (1 - y) / 2 * camera.height, w];
}
