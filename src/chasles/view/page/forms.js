// Surfaces of the forms: points and normals by vertex, triangles by index; z is a form's axis.
// Fine ones have corners that are a little round, so that they catch the light.
const HALF = Math.PI / 2;

/** What a profile of [radius, height, normal r, normal z] sweeps about z. */
function lathe(profile, around) {
  const p = [], n = [], f = [];
  for (const [r, h, nr, nz] of profile) for (let k = 0; k <= around; k++) {
    const a = 2 * Math.PI * k / around, c = Math.cos(a), s = Math.sin(a);
    p.push(r * c, r * s, h); n.push(nr * c, nr * s, nz);
  }
  for (let j = 0; j + 1 < profile.length; j++) {
    const [r, h] = profile[j], [r1, h1] = profile[j + 1];
    if (r === r1 && h === h1) continue; // a corner without a bevel
    for (let k = 0; k < around; k++) {
      const a = j * (around + 1) + k, b = a + around + 1;
      if (r > 0) f.push(a, a + 1, b + 1);
      if (r1 > 0) f.push(a, b + 1, b);
    }
  }
  return { p, n, f };
}
/** A profile through corners [r, h], each rounded by a bevel; flat between, with the outside to the right. */
function rounded(corners, bevel, closed) {
  const out = [], m = corners.length, last = closed ? m : m - 1;
  for (let k = 0; k < last; k++) {
    const a = corners[k], b = corners[(k + 1) % m], l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, dr = (b[0] - a[0]) / l, dh = (b[1] - a[1]) / l;
    const e = Math.min(bevel, 0.45 * l), first = closed || k > 0 ? e : 0, end = closed || k < last - 1 ? e : 0;
    out.push([a[0] + first * dr, a[1] + first * dh, dh, -dr], [b[0] - end * dr, b[1] - end * dh, dh, -dr]);
  }
  if (closed) out.push(out[0]);
  return out;
}
/** Points of an arc of radius r about (0, h). */
const arc = (r, from, to, count, h) => Array.from({ length: count + 1 }, (_, k) => {
  const a = from + (to - from) * k / count, c = Math.cos(a), s = Math.sin(a);
  return [Math.max(0, r * c), h + r * s, c, s];
});
const barrel = (r, l) => [[0, -l / 2], [r, -l / 2], [r, l / 2], [0, l / 2]];

/** A box: each side a grid of `rows` lines, pulled onto the round edges; two lines are a plain side. */
function box(x, y, z, fine) {
  const h = [x / 2, y / 2, z / 2], thin = Math.min(x, y, z), long = Math.max(x, y, z), p = [], n = [], f = [];
  const r = fine ? 0.07 * thin + (thin > 0.2 * long ? 0.004 * long : 0) : 0, lines = h.map(e => r ? [-e, -(e - 0.3 * r), -(e - r), e - r, e - 0.3 * r, e] : [-e, e]), rows = lines[0].length;
  for (let axis = 0; axis < 3; axis++) for (const side of [-1, 1]) {
    const u = (axis + 1) % 3, v = (axis + 2) % 3, first = p.length / 3;
    for (const b of lines[v]) for (const a of lines[u]) {
      const q = [0, 0, 0]; q[axis] = side * h[axis]; q[u] = a; q[v] = b;
      const flat = [0, 0, 0]; flat[axis] = side;
      const inner = q.map((c, k) => Math.max(r - h[k], Math.min(h[k] - r, c))), way = r ? unit(add(q, inner, -1)) : flat;
      p.push(...add(inner, way, r)); n.push(...way);
    }
    for (let j = 0; j + 1 < rows; j++) for (let i = 0; i + 1 < rows; i++) {
      const a = first + rows * j + i, b = a + rows;
      f.push(...(side > 0 ? [a, a + 1, b + 1, a, b + 1, b] : [a, b + 1, a + 1, a, b, b + 1]));
    }
  }
  return { p, n, f };
}
/** A mesh from a file: whole numbers on a grid about its centre. */
function mesh(grid, x, y, z, points, normals, faces) {
  const at = [x, y, z];
  return { p: Float32Array.from(array(points), (c, k) => at[k % 3] + grid * c), n: Float32Array.from(array(normals), c => c / 127), f: array(faces) };
}
const FORMS = {
  box: (l, fine) => box(...l, fine),
  sphere: ([r], fine) => lathe(arc(r, -HALF, HALF, fine ? 32 : 14, 0), fine ? 56 : 26),
  cylinder: ([r, l], fine) => lathe(rounded(barrel(r, l), fine ? 0.09 * Math.min(r, l) : 0), r < l / 8 ? (fine ? 32 : 16) : fine ? 72 : 40),
  rod: ([r, l], fine) => lathe(rounded(barrel(r, l), fine ? 0.3 * Math.min(r, l) : 0), fine ? 28 : 14),
  capsule: ([r, l], fine) => lathe([...arc(r, -HALF, 0, fine ? 12 : 6, -l / 2), ...arc(r, 0, HALF, fine ? 12 : 6, l / 2)], fine ? 40 : 20),
  cone: ([r, l], fine) => lathe(rounded([[0, -l / 4], [r, -l / 4], [0, 0.75 * l]], fine ? 0.05 * Math.min(r, l) : 0), fine ? 56 : 32),
  ring: ([o, i, l], fine) => lathe(rounded([[i, -l / 2], [o, -l / 2], [o, l / 2], [i, l / 2]], fine ? 0.12 * Math.min(o - i, l) : 0, true), fine ? 96 : 48),
  mesh: l => mesh(...l),
  arrow: (l, fine) => lathe(rounded([[0, 0], [0.05, 0], [0.05, 0.72], [0.14, 0.72], [0, 1]], 0.008), fine ? 28 : 12),
  torque: (l, fine) => lathe(rounded([[0, 0], [0.05, 0], [0.05, 0.5], [0.14, 0.5], [0.05, 0.72], [0.14, 0.72], [0, 1]], 0.008), fine ? 28 : 12),
};
const surfaceOf = ([kind, ...lengths], fine) => FORMS[kind](lengths, fine);

/** A tube along points of the world, with frames carried along; for springs and rods. */
function tube(points, radius, sides) {
  const p = [], n = [], f = [], last = points.length - 1;
  let side = null;
  points.forEach((at, k) => {
    const way = unit(add(points[Math.min(last, k + 1)], points[Math.max(0, k - 1)], -1));
    side = unit(add(side = side || across(way), way, -dot(side, way)));
    const other = cross(way, side);
    for (let j = 0; j <= sides; j++) {
      const a = 2 * Math.PI * j / sides, d = add(scaled(side, Math.cos(a)), other, Math.sin(a));
      p.push(...add(at, d, radius)); n.push(...d);
      if (k < last && j < sides) { const i = k * (sides + 1) + j, b = i + sides + 1; f.push(i, i + 1, b + 1, i, b + 1, b); }
    }
  });
  return { p, n, f };
}
/** A coil from a to b that keeps its turns: straight ends, a helix between. */
function coil(a, b, radius, turns, each) {
  const way = add(b, a, -1), length = norm(way), z = unit(way), x = across(z), y = cross(z, x), count = turns * each, out = [a];
  for (let k = 0; k <= count; k++) {
    const s = k / count, grow = radius * Math.min(1, 8 * s, 8 * (1 - s)), t = 2 * Math.PI * turns * s;
    out.push(add(add(add(a, z, (0.1 + 0.8 * s) * length), x, grow * Math.cos(t)), y, grow * Math.sin(t)));
  }
  return [...out, b];
}
