"use strict";
// Vectors and matrices in doubles; matrices are 4 x 4, column by column.
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => { const n = norm(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
function product(a, b, out = new Float64Array(16)) {
  for (let c = 0; c < 16; c += 4) for (let r = 0; r < 4; r++)
    out[c + r] = a[r] * b[c] + a[4 + r] * b[c + 1] + a[8 + r] * b[c + 2] + a[12 + r] * b[c + 3];
  return out;
}
const moved = (m, p) => [m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12], m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13], m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]];
const turned = (m, p) => [m[0] * p[0] + m[4] * p[1] + m[8] * p[2], m[1] * p[0] + m[5] * p[1] + m[9] * p[2], m[2] * p[0] + m[6] * p[1] + m[10] * p[2]];
function poseMatrix(w, x, y, z, px, py, pz, m) {
  m[0] = 1 - 2 * (y * y + z * z); m[1] = 2 * (x * y + w * z); m[2] = 2 * (x * z - w * y); m[3] = 0;
  m[4] = 2 * (x * y - w * z); m[5] = 1 - 2 * (x * x + z * z); m[6] = 2 * (y * z + w * x); m[7] = 0;
  m[8] = 2 * (x * z + w * y); m[9] = 2 * (y * z - w * x); m[10] = 1 - 2 * (x * x + y * y); m[11] = 0;
  m[12] = px; m[13] = py; m[14] = pz; m[15] = 1;
  return m;
}
/** A direction across another. */
const across = z => unit(cross(Math.abs(z[2]) < 0.9 * norm(z) ? [0, 0, 1] : [1, 0, 0], z));
/** A matrix whose z is along a direction, at a place, with lengths of x, y and z. */
function alongMatrix(at, way, thick, long) {
  const z = unit(way), x = across(z), y = cross(z, x);
  return [...scaled(x, thick), 0, ...scaled(y, thick), 0, ...scaled(z, long), 0, ...at, 1];
}
const lookAt = (eye, right, top, back) => [right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0, -dot(right, eye), -dot(top, eye), -dot(back, eye), 1];
const perspective = (f, aspect, near, far) => [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
const orthographic = (r, near, far) => [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const encoded = c => c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
const rgb = text => [1, 3, 5].map(k => linear(parseInt(text.slice(k, k + 2), 16) / 255));
