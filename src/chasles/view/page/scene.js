// What there is to draw: parts of bodies, springs and rods, arrows, trails.
const INKS = { reaction: "#2f7fd6", moment: "#2f7fd6", force: "#8d4fc4", torque: "#d39a1d", gap: "#d0432a", weight: "#5d6671" };
const SWITCH = { gap: "gaps", reaction: "reactions", moment: "", force: "forces", torque: "forces" };
const AXES = ["#cf4b3f", "#3f9a57", "#3f73b8"], TRAIL = 420, MANY = 8;
const usual = {}, largest = {}; // of arrows of a kind: what most are, since one blow would hide all others; and the most
let parts = [], trails = [];

function makeParts() {
  parts = groups.flatMap(g => g.parts.map(p => ({ ...p, g }))).map((p, id) => {
    const m = p.matrix, paint = rgb(p.colour);
    return { ...p, id, paint, form: head.forms[p.form], matrix: [m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, m[9], m[10], m[11], 1], world: new Float64Array(16), rough: p.metal ? 0.32 : Math.max(...paint) < 0.05 ? 0.75 : 0.48, glow: 0 };
  });
  const sizes = {};
  for (const g of groups) for (const w of g.vectors || []) {
    largest[w.kind] = Math.max(largest[w.kind] || 0, w.largest);
    const stride = 3 * Math.max(1, Math.floor(w.values.length / 600));
    const own = [];
    for (let k = 0; k < w.values.length; k += stride) own.push(w.scale * Math.hypot(w.values[k], w.values[k + 1], w.values[k + 2]));
    w.usual = most(own) || w.largest; (sizes[w.kind] = sizes[w.kind] || []).push(...own);
  }
  for (const kind in sizes) usual[kind] = most(sizes[kind]) || largest[kind];
}
const most = sizes => sizes.sort((a, b) => a - b)[Math.floor(0.93 * (sizes.length - 1))];
const freed = () => film.free && film.selected;
const chosen = (g, body) => film.selected && film.selected.g === g && film.selected.body === body;

const turns = kind => kind === "torque" || kind === "moment";
/** An arrow of a length in the scene at a place; torques have two heads. */
function arrow(at, value, scale, kind, ink = INKS[kind]) {
  const length = Math.min(0.55 * head.size, norm(value) * scale);
  if (!(length > 0.012 * head.size)) return null;
  const thick = Math.min(0.22 * head.size, 0.5 * length + 0.06 * head.size);
  return { form: [turns(kind) ? "torque" : "arrow"], world: alongMatrix(at, value, thick, length), paint: rgb(ink), rough: 0.4, metal: 0, tip: add(at, unit(value), length) };
}
/** What acts on the selected body: joints, forces and its weight, each with the sign that it has there. */
function loads() {
  const { g, body } = film.selected, out = [];
  for (const w of g.vectors || []) {
    if (w.kind === "gap" || (w.on !== body && w.against !== body)) continue;
    const tie = w.on !== body && g.ties.find(t => t.name === w.name), at = tie ? moved(matrixOf(g, body), tie.a === body ? tie.at_a : tie.at_b) : moved(matrixOf(g, w.body), w.at);
    out.push({ kind: w.kind, name: w.name, at, value: scaled(vectorAt(g, w), w.on === body ? 1 : -1) });
  }
  if (norm(head.gravity)) out.push({ kind: "weight", name: "weight", at: originOf(g, body), value: scaled(head.gravity, g.masses[body]) });
  return out;
}
/** Forces on one body to one scale, so that they add up as drawn, and seen through the body. */
function loadArrows() {
  const { g, body } = film.selected, own = (g.vectors || []).filter(w => w.kind !== "gap" && (w.on === body || w.against === body)), of = turning => own.filter(w => turns(w.kind) === turning).map(w => w.usual);
  const push = 0.34 * head.size / Math.max(1e-300, norm(head.gravity) * g.masses[body], ...of(false)), turn = 0.34 * head.size / Math.max(1e-300, ...of(true));
  return loads().map(l => { const thing = arrow(l.at, l.value, turns(l.kind) ? turn : push, l.kind); return { ...l, thing: thing && { ...thing, over: true } }; });
}
function things() {
  const out = [], lines = [], size = head.size, metal = { rough: 0.32, metal: 1 }, coarse = film.level === 0 || renderer.plain;
  for (const p of parts) {
    product(matrixOf(p.g, p.body), p.matrix, p.world);
    if ((p.role === "joint" && !show.joints) || (freed() && !chosen(p.g, p.body))) continue;
    p.glow = chosen(p.g, p.body) && p.role === "body" && !film.free ? 0.8 : 0;
    out.push(p);
  }
  if (freed()) { out.push(...loadArrows().map(l => l.thing).filter(Boolean)); return [out, lines]; }
  for (const g of groups) {
    for (const tie of g.ties) {
      const a = moved(matrixOf(g, tie.a), tie.at_a), b = moved(matrixOf(g, tie.b), tie.at_b);
      lines.push(tie.spring ? { points: coil(a, b, 0.028 * size, 9, coarse ? 8 : 20), radius: 0.006 * size, sides: coarse ? 4 : 7, paint: rgb("#aeb7c2"), ...metal } : { points: [a, b], radius: 0.008 * size, sides: 12, paint: rgb("#5d6671"), ...metal });
    }
    for (const w of g.vectors || []) {
      if (!show[SWITCH[w.kind]]) continue;
      const at = moved(matrixOf(g, w.body), w.at), value = vectorAt(g, w);
      if (w.kind === "gap") { const to = add(at, value, 10 ** show.magnification); if (norm(add(to, at, -1)) > 1e-3 * size) lines.push({ points: [at, to], radius: 0.006 * size, sides: 8, paint: rgb(INKS.gap), rough: 0.5, metal: 0 }); continue; }
      const made = arrow(at, value, 0.36 * size / (usual[w.kind] || 1), w.kind);
      if (made) out.push(made);
    }
    if (show.frames) for (const m of g.matrices) AXES.forEach((ink, k) => out.push(arrow([m[12], m[13], m[14]], [m[4 * k], m[4 * k + 1], m[4 * k + 2]], 0.14 * size, "force", ink)));
  }
  return [out, lines];
}
/** Where bodies were, over two fifths of the film; of many bodies only the selected one, or the last. */
function ribbons() {
  if (!show.trails || freed()) return [];
  const out = [];
  let k = 0;
  for (const g of groups) for (let b = 0; b < g.count; b++) {
    if (g.count > MANY && b !== (film.selected ? film.selected.body : g.count - 1)) continue;
    const list = trails[k] = trails[k] || { points: new Float32Array(3 * (TRAIL + 4)), wide: 1.7, alpha: 0.9 }; k++;
    const places = wayOf(g, b), n = Math.min(places.length, TRAIL), first = places.length - n;
    if (n < 2) continue;
    list.paint = trailInk(g.trails[b]); list.count = n;
    for (let i = -1; i <= n; i++) { const p = places[first + Math.min(n - 1, Math.max(0, i))]; for (let c = 0; c < 3; c++) list.points[3 * (i + 1) + c] = p[c] - v.origin[c]; }
    out.push(list);
  }
  return out;
}
function wayOf(g, body) {
  if (head.live) return live.trailOf(g, body);
  const places = [], from = frameAt(film.time - 0.4 * (END - START), g.t)[0], stride = Math.max(1, Math.ceil((g.frame - from) / (TRAIL - 3)));
  for (let f = from; f <= g.frame; f += stride) places.push(placeOf(g, f, body));
  places.push(originOf(g, body));
  return places;
}
const trailInk = colour => rgb(colour).map(x => encoded(root.classList.contains("dark") ? Math.min(1, 1.5 * x + 0.06) : 0.62 * x));
