// The camera: where it looks from, how it frames the scene, and the light that stands in the world.
const FIELD = Math.tan(0.5 * 0.52), LOOKS = 48, MOST_POINTS = 60000;
const camera = { azimuth: 0, elevation: 0, zoom: 1, target: [0, 0, 0], gone: [0, 0, 0], width: 1, height: 1, distance: 1, shift: [0, 0], fitted: null };
let E1, E2, UP, cloud = null, fitRadius = 1, sun = [0, 0, 1], v = null;

function axes(a = camera.azimuth, e = camera.elevation) {
  const back = add(add(scaled(E1, Math.cos(a) * Math.cos(e)), E2, Math.sin(a) * Math.cos(e)), UP, Math.sin(e)), right = add(scaled(E1, -Math.sin(a)), E2, Math.cos(a));
  return { back, right, top: cross(back, right) };
}
/** Directions over the sphere, evenly. */
const directions = count => Array.from({ length: count }, (_, k) => { const z = 1 - 2 * (k + 0.5) / count, r = Math.sqrt(1 - z * z), a = 2.399963 * k; return [r * Math.cos(a), r * Math.sin(a), z]; });
const ALL_AROUND = directions(140), AROUND = directions(26);
/** The points of a list that are furthest in some directions. */
function furthest(points, ways) {
  const picked = new Set();
  for (const d of ways) { let best = -Infinity, at = 0; points.forEach((p, k) => { const s = dot(p, d); if (s > best) { best = s; at = k; } }); picked.add(at); }
  return [...picked].map(k => points[k]);
}
/** How far a body of the first group has come from its start. */
const goneBy = body => body < 0 ? [0, 0, 0] : add(originOf(groups[0], body), placeOf(groups[0], 0, body), -1);
/** The outermost points of everything at some times, as a camera sees them that moves with the body it follows. */
function reached() {
  const outer = new Map(), own = form => { const key = form.join(); if (!outer.has(key)) { const { p } = surfaceOf(form, false), points = []; for (let k = 0; k < p.length; k += 3) points.push([p[k], p[k + 1], p[k + 2]]); outer.set(key, furthest(points, AROUND)); } return outer.get(key); };
  const each = parts.reduce((sum, p) => sum + own(p.form).length, 1), looks = Math.max(6, Math.min(LOOKS, Math.floor(MOST_POINTS / each)));
  let out = [];
  for (let k = 0; k <= looks; k++) {
    if (!head.live) groups.forEach(g => setPoses(g, START + (END - START) * k / looks));
    const gone = head.live ? [0, 0, 0] : goneBy(film.follow);
    for (const p of parts) {
      if (film.follow >= 0 && p.body < 0) continue;
      const m = product(matrixOf(p.g, p.body), p.matrix);
      for (const c of own(p.form)) out.push(add(moved(m, c), gone, -1));
    }
    if (film.follow < 0) for (const g of groups) for (const tie of g.ties) out.push(moved(matrixOf(g, tie.a), tie.at_a), moved(matrixOf(g, tie.b), tie.at_b));
    if (out.length > 20000) out = furthest(out, ALL_AROUND);
  }
  return furthest(head.fit ? out.concat(head.fit) : out, ALL_AROUND);
}
/** Target and distance so that all points fill the part of the window that nothing covers. */
function fit() {
  cloud = cloud || reached();
  const phone = camera.width <= 720, deck = $("deck").getBoundingClientRect(), panel = $("panel"), box = panel.getBoundingClientRect(), covered = panel.hidden || phone ? 0 : box.right + 10;
  const low = camera.height - deck.top + 8 + (phone ? (panel.hidden ? 46 : box.height + 60) : 0), high = phone ? 58 : 62;
  camera.shift = [covered / camera.width, (low - high) / camera.height];
  const share = [0.82 * (1 - camera.shift[0]), 0.86 * Math.max(0.3, 1 - (low + high) / camera.height)], aspect = camera.width / camera.height, { back, right, top } = axes();
  let target = scaled(cloud.reduce((a, b) => add(a, b), [0, 0, 0]), 1 / cloud.length), distance = 3 * head.size;
  for (let lap = 0; lap < 24; lap++) {
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (const p of cloud) {
      const d = add(p, target, -1), z = Math.max(distance - dot(d, back), 0.02 * distance), x = dot(d, right) / z / FIELD / aspect, y = dot(d, top) / z / FIELD;
      x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    target = add(add(target, right, (x0 + x1) / 2 * FIELD * aspect * distance), top, (y0 + y1) / 2 * FIELD * distance);
    distance *= Math.max((x1 - x0) / 2 / share[0], (y1 - y0) / 2 / share[1], 1e-3) ** 0.8;
  }
  fitRadius = Math.max(0.05 * head.size, cloud.reduce((a, p) => Math.max(a, norm(add(p, target, -1))), 0));
  camera.fitted = { target, distance: Math.max(distance, 0.2 * head.size) };
}
/** Back to the first view; the sun stands in its upper left, and in the world from then on. */
function resetCamera() {
  Object.assign(camera, { azimuth: head.camera.azimuth, elevation: head.camera.elevation, zoom: 1 });
  fit(); camera.gone = [0, 0, 0]; camera.target = [...camera.fitted.target]; camera.distance = camera.fitted.distance;
  const { right, back } = axes(), flat = unit(add(back, UP, -dot(back, UP)));
  sun = unit(add(add(scaled(UP, 1.15), right, -0.62), flat, 0.38));
}
/** The camera goes as far as the body that it follows, or stays; it keeps a free body before it. */
function goAlong() {
  if (freed()) { const at = originOf(film.selected.g, film.selected.body); camera.target = camera.along ? add(camera.target, add(at, camera.along, -1)) : at; camera.along = at; return; }
  if (film.follow < 0 || head.live) return;
  const gone = goneBy(film.follow);
  camera.target = add(camera.target, add(gone, camera.gone, -1)); camera.gone = gone;
}
const THEMES = {
  light: { paper: [0.972, 0.978, 0.986], horizon: [0.885, 0.906, 0.932], lineInk: [0.74, 0.775, 0.82], shadowInk: [0.82, 0.84, 0.87], skyTint: [0.60, 0.635, 0.69], earthTint: [0.36, 0.355, 0.35], sunTint: [0.66, 0.63, 0.58], dark: 0 },
  dark: { paper: [0.098, 0.114, 0.137], horizon: [0.062, 0.072, 0.088], lineInk: [0.235, 0.27, 0.32], shadowInk: [0.06, 0.07, 0.085], skyTint: [0.25, 0.29, 0.37], earthTint: [0.085, 0.09, 0.105], sunTint: [0.86, 0.80, 0.72], dark: 1 },
};
/** The next of 1, 2, 5, 10, ... */
const nice = x => { const ten = 10 ** Math.floor(Math.log10(x)); return ten * ([1, 2, 5].find(k => k * ten >= x) || 10); };
/** Everything that the shaders want to know, from the target on. */
function aim() {
  const { back, right, top } = axes(), aspect = camera.width / camera.height, distance = camera.distance / camera.zoom, origin = camera.target, eye = scaled(back, distance);
  const near = Math.max(0.04 * distance, distance - 2.2 * fitRadius), far = distance + 30 * fitRadius, lens = perspective(1 / FIELD, aspect, near, far);
  lens[8] = -camera.shift[0]; lens[9] = -camera.shift[1];
  const view = product(lens, lookAt(eye, right, top, back)), R = 1.2 * fitRadius, level = head.level - dot(origin, UP);
  const gone = freed() && !head.live ? goneBy(film.follow) : camera.gone, centre = add(add(camera.fitted.target, gone), origin, -1), sunRight = unit(cross(UP, sun));
  const sunView = product(orthographic(R, -3 * R, 3 * R), lookAt(centre, sunRight, cross(sun, sunRight), sun)), skyView = product(orthographic(R, -3 * R, 3 * R), lookAt(centre, E1, E2, UP));
  const cell = nice(0.17 * fitRadius), node = e => { const s = dot(origin, e); return Math.round(s / (5 * cell)) * 5 * cell - s; };
  const slope = scaled(sun, 1 / dot(sun, UP)), flatten = [0, 1, 2].flatMap(c => [0, 1, 2].map(r => +(r === c) - slope[r] * UP[c]).concat(0)).concat(scaled(slope, level), 1);
  v = { ...THEMES[root.classList.contains("dark") ? "dark" : "light"], origin, view, eye, right, top, ahead: scaled(back, -1), sun, up: UP, sunView, skyView, flatten, level, size: head.size, reach: fitRadius, soft: 0.42, field: [FIELD * aspect, FIELD], shift: camera.shift, range: [near, far],
    end: distance + 1.6 * fitRadius, radius: 0.16 * Math.min(head.size, fitRadius), cell, zero: add(scaled(E1, node(E1)), E2, node(E2)), e1: E1, e2: E2, middle: centre, far: 6 * R, ground: 0.5 - (level - dot(centre, UP)) / (6 * R), floorOn: show.floor && dot(eye, UP) > level ? 1 : 0, gridOn: 1 };
}
/** A point of the world on the page: x and y in CSS pixels, and its depth. */
function project(p) {
  const q = add(p, v.origin, -1), m = v.view, w = m[3] * q[0] + m[7] * q[1] + m[11] * q[2] + m[15];
  return [(1 + (m[0] * q[0] + m[4] * q[1] + m[8] * q[2] + m[12]) / w) * camera.width / 2, (1 - (m[1] * q[0] + m[5] * q[1] + m[9] * q[2] + m[13]) / w) * camera.height / 2, w];
}
