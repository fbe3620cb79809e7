// What is drawn over the solids: trails, springs, gaps, arrows, names and axes.

const overlay = document.getElementById("lines"), pen = overlay.getContext("2d");
const scheme = getComputedStyle(document.documentElement);
const colourOf = name => scheme.getPropertyValue(name).trim();
const TRAIL_POINTS = 12000; // of all bodies together: a frame stays below a few milliseconds
const largest = kind => Math.max(0, ...groups.flatMap(g => g.vectors.filter(v => v.kind === kind).map(v => v.largest)));
const LARGEST = Object.fromEntries(["gap", "reaction", "force", "torque"].map(kind => [kind, largest(kind)]));
const ARROWS = { gap: "--product", reaction: "--se3", force: "--other", torque: "--y" };
const SWITCH = { gap: "gaps", reaction: "reactions", force: "forces", torque: "forces" };
/** The power of ten that makes the largest gap a fifth of the scene. */
const usualMagnification = () => LARGEST.gap > 0 ? Math.floor(Math.log10(0.3 * head.size / LARGEST.gap)) : 0;

function path(points) {
  pen.beginPath();
  points.forEach((p, k) => k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]));
  pen.stroke();
}

function drawTrails() {
  const every = groups.reduce((sum, g) => sum + g.count * g.t.length, 0), stride = Math.max(1, Math.ceil(every / TRAIL_POINTS));
  pen.lineWidth = 1.5;
  for (const g of groups) for (let b = 0; b < g.count; b++) {
    const points = [];
    for (let f = 0; f <= g.frame; f += stride) points.push(project(placeOf(g, f, b)));
    const m = g.matrices[b];
    points.push(project([m[12], m[13], m[14]]));
    pen.strokeStyle = g.trails[b]; pen.globalAlpha = 0.75; path(points); pen.globalAlpha = 1;
  }
}

function drawTies() {
  for (const g of groups) for (const tie of g.ties) {
    const a = project(moved(matrixOf(g, tie.a), tie.at_a)), b = project(moved(matrixOf(g, tie.b), tie.at_b));
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]), along = [(b[0] - a[0]) / (length || 1), (b[1] - a[1]) / (length || 1)];
    pen.strokeStyle = tie.spring ? colourOf("--chosen") : head.rod.colour; pen.lineWidth = 2;
    if (!tie.spring) { pen.lineWidth = Math.max(2, 2 * head.rod.radius / camera.metre); path([a, b]); continue; }
    const points = [a], wide = 6;
    for (let k = 0; k <= 14; k++) {
      const s = (0.12 + 0.76 * k / 14) * length, side = k === 0 || k === 14 ? 0 : k % 2 ? wide : -wide;
      points.push([a[0] + s * along[0] - side * along[1], a[1] + s * along[1] + side * along[0]]);
    }
    path([...points, b]);
  }
}

function arrow(from, to, colour, headed) {
  const a = project(from), b = project(to), length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (length < 1.5) return;
  const u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], size = Math.min(9, 0.6 * length);
  pen.strokeStyle = pen.fillStyle = colour; pen.lineWidth = 2;
  path([a, headed ? [b[0] - u[0] * size * 0.8, b[1] - u[1] * size * 0.8] : b]);
  pen.beginPath();
  if (headed) {
    pen.moveTo(b[0], b[1]);
    pen.lineTo(b[0] - size * u[0] - 0.45 * size * u[1], b[1] - size * u[1] + 0.45 * size * u[0]);
    pen.lineTo(b[0] - size * u[0] + 0.45 * size * u[1], b[1] - size * u[1] - 0.45 * size * u[0]);
  } else pen.arc(b[0], b[1], 3.5, 0, 7);
  pen.fill();
}

function drawVectors(show) {
  for (const g of groups) for (const v of g.vectors) {
    if (!show[SWITCH[v.kind]]) continue;
    const from = moved(matrixOf(g, v.body), v.at), value = vectorAt(g, v);
    const factor = v.kind === "gap" ? 10 ** show.magnification : 0.3 * head.size / (LARGEST[v.kind] || 1);
    const to = along(from, factor, value), colour = colourOf(ARROWS[v.kind]);
    arrow(from, to, colour, v.kind !== "gap");
    if (v.kind === "torque") arrow(from, along(from, 0.86 * factor, value), colour, true); // a second head
  }
}

function drawNames() {
  pen.font = "12px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "bottom"; pen.lineJoin = "round";
  const taken = [];
  const name = (text, p, colour) => {
    const width = pen.measureText(text).width;
    for (const dy of [-8, 20, -24, 36]) {
      const box = [p[0] - width / 2, p[1] + dy - 14, p[0] + width / 2, p[1] + dy];
      if (dy !== 36 && taken.some(o => o[0] < box[2] && o[2] > box[0] && o[1] < box[3] && o[3] > box[1])) continue;
      taken.push(box);
      pen.lineWidth = 3; pen.strokeStyle = colourOf("--paper"); pen.strokeText(text, p[0], p[1] + dy);
      pen.fillStyle = colour; pen.fillText(text, p[0], p[1] + dy);
      return;
    }
  };
  for (const g of groups) {
    g.bodies.forEach((text, b) => { const m = g.matrices[b]; name(text, project([m[12], m[13], m[14]]), colourOf("--se3")); });
    g.spots.forEach(s => name(s.name, project(moved(matrixOf(g, s.body), s.at)), colourOf("--ink")));
  }
}

function drawFrames() {
  for (const g of groups) for (const m of g.matrices) {
    const from = [m[12], m[13], m[14]];
    ["--x", "--y", "--z"].forEach((colour, k) => arrow(from, along(from, 0.12 * head.size, [m[4 * k], m[4 * k + 1], m[4 * k + 2]]), colourOf(colour), true));
  }
}

/** The world's axes in the lower left corner. */
function drawWorld() {
  const corner = [44, camera.height - 40], reach = 28;
  pen.font = "italic 12px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineWidth = 2;
  ["x", "y", "z"].forEach((text, k) => {
    const x = camera.right[k] * reach, y = -camera.top[k] * reach;
    pen.strokeStyle = pen.fillStyle = colourOf("--" + text);
    path([corner, [corner[0] + x, corner[1] + y]]);
    if (Math.hypot(x, y) > 8) pen.fillText(text, corner[0] + 1.32 * x, corner[1] + 1.32 * y);
  });
}

function groupNames() {
  if (groups.length < 2 || !head.apart) return;
  pen.font = "600 14px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "top";
  for (const g of groups) {
    const p = project(along(g.middle, 1, g.offset));
    pen.fillStyle = g.colour; pen.fillText(g.label, p[0], Math.max(10, p[1]));
  }
}

function drawLines(show) {
  const scale = overlay.width / camera.width;
  pen.setTransform(scale, 0, 0, scale, 0, 0); pen.clearRect(0, 0, camera.width, camera.height);
  pen.lineCap = pen.lineJoin = "round";
  if (show.trails) drawTrails();
  drawTies(); drawVectors(show);
  if (show.frames) drawFrames();
  if (show.names) drawNames();
  drawWorld(); groupNames();
}
