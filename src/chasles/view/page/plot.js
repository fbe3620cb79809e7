// The time line: a curve that is also where time is chosen. What stays is drawn once; a frame only moves the line.
const MARGIN = { right: 10, top: 20, bottom: 18 }, ROW = 15, DASHES = [[], [7, 3], [2, 3]], NOTHING = -16.999; // power of ten that stands for zero
const timeline = { chosen: 0, made: null, key: "" };
/** A colour of the page by its name, or one of a run, which is lighter on dark paper. */
function inkOf(name) {
  if (name.startsWith("--")) return getComputedStyle(root).getPropertyValue(name).trim();
  if (!root.classList.contains("dark") || !/^#[0-9a-f]{6}$/i.test(name)) return name;
  return "#" + name.slice(1).replace(/../g, c => Math.round(0.62 * parseInt(c, 16) + 0.38 * 255).toString(16).padStart(2, "0"));
}
const raised = n => String(n).replace(/[-0-9]/g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
/** A number as an axis says it. */
function written(x) {
  if (x === 0) return "0";
  if (Math.abs(x) < 1e4 && Math.abs(x) >= 1e-2) return String(Number(x.toPrecision(3))).replace("-", "−");
  const [m, e] = x.toExponential(1).split("e"), digits = m.replace(".0", "");
  return ((/^-?1$/.test(digits) ? digits.slice(0, -1) : digits + "×") + "10" + raised(Number(e))).replace(/^-/, "−");
}
/** A number of an axis whose ticks are a step apart: as many digits as tell them apart. */
function tick(x, step) {
  if (Math.abs(x) < 1e-6 * step) return "0";
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Math.abs(x) < 1e6 && places <= 3 ? x.toFixed(places).replace("-", "−") : written(x);
}
/** Values of a series, as logarithms where its axis has them. */
const valuesOf = s => s.values = s.values || Float64Array.from(array(s.key), x => s.middle + s.grid * x);

function rangeOf(series, log) {
  let low = Infinity, high = -Infinity;
  for (const s of series) for (const x of s.v) { if (x < low) low = x; if (x > high) high = x; }
  if (!(high >= low)) return [0, 1];
  if (log) { low = Math.floor(low); return [low, Math.max(low + 1, Math.ceil(high))]; }
  const room = high > low ? 0.08 * (high - low) : Math.abs(high) || 1;
  return [low - room, high + room];
}
/** Whether nothing but zeros is there, of which an axis would tell nothing. */
const isZero = (series, log) => series.length > 0 && series.every(s => s.v.length > 0 && s.v.every(x => log ? x <= NOTHING : x === 0));
/** A sheet of the plot's size in which lengths are CSS pixels. */
function sheet(w, h, ratio) {
  const c = document.createElement("canvas"); c.width = Math.round(w * ratio); c.height = Math.round(h * ratio);
  const pen = c.getContext("2d"); pen.scale(ratio, ratio); pen.font = "11px " + inkOf("--sans"); pen.lineJoin = "round";
  return { c, pen };
}
/** Axes, words, and the curves faint and full, over t0..t1; series are [{label, colour, t, v}]. */
function drawCurves(w, h, ratio, series, t0, t1, { log, title }) {
  const { right, bottom } = MARGIN, ground = sheet(w, h, ratio), faint = sheet(w, h, ratio), full = sheet(w, h, ratio), [low, high] = rangeOf(series, log), pen = ground.pen;
  const apart = h >= 84 && needsRow(pen, w, series, title), top = MARGIN.top + (apart ? ROW : 0), zero = isZero(series, log), room = Math.min(1, (h - top - bottom) / 58), ticks = []; // fewer numbers where they would touch
  let step = log ? Math.max(1, Math.min(high - low, Math.round((high - low) / (2.2 * room)))) : nice((high - low) / (2.6 * room));
  while (!log && !zero && Math.floor(high / step) <= Math.ceil(low / step)) step = nice(step / 2.6); // one number is no scale
  const from = log ? low : Math.ceil(low / step) * step, skipped = Math.ceil(11 * (high - low) / (step * (h - top - bottom))); // 11 px apart
  for (let k = 0; !zero && from + k * step <= high && ticks.length < 20; k += skipped) ticks.push([from + k * step, log ? "10" + raised(Math.round(from + k * step)) : tick(from + k * step, step)]);
  const left = Math.max(46, ...ticks.map(([, text]) => pen.measureText(text).width + 10)), X = t => left + (w - left - right) * (t - t0) / (t1 - t0 || 1), Y = x => top + (h - top - bottom) * (1 - (x - low) / (high - low));
  pen.strokeStyle = inkOf("--grid"); pen.fillStyle = inkOf("--muted"); pen.textAlign = "right"; pen.textBaseline = "middle";
  for (const [x, text] of ticks) { const y = Math.round(Y(x)) + 0.5; pen.beginPath(); pen.moveTo(left, y); pen.lineTo(w - right, y); pen.stroke(); pen.fillText(text, left - 6, y); }
  const every = nice((t1 - t0) / Math.max(2, Math.floor(w / 110)) * 0.999);
  pen.textBaseline = "alphabetic"; pen.textAlign = "center";
  for (let k = Math.ceil(t0 / every - 1e-9); k * every <= t1 + 1e-9 * every; k++) pen.fillText(written(Number((k * every).toPrecision(6))) + " s", Math.min(w - 16, X(k * every)), h - 4);
  if (zero) pen.fillText("zero throughout", (left + w - right) / 2, (top + h - bottom) / 2 + 4);
  else series.forEach((s, j) => {
    for (const { pen } of [faint, full]) {
      pen.strokeStyle = inkOf(s.colour); pen.lineWidth = 1.75; pen.setLineDash(DASHES[series.length > 1 ? j % 3 : 0]); pen.beginPath();
      const stride = Math.max(1, Math.floor(s.v.length / (4 * w)));
      for (let k = 0; k < s.v.length; k += stride) pen.lineTo(X(s.t[k]), Y(s.v[k]));
      pen.stroke();
    }
  });
  legend(pen, left, w, series, title, apart);
  return { ground: ground.c, faint: faint.c, full: full.c, X, top, w, h, ratio, at: px => t0 + (t1 - t0) * Math.min(1, Math.max(0, (px - left) / (w - left - right))) };
}
const bold = () => "600 11.5px " + inkOf("--sans"), plain = () => "11px " + inkOf("--sans");
const wideTitle = (pen, text) => { pen.font = bold(); const own = pen.measureText(text).width + 14; pen.font = plain(); return own; };
const shortened = (series, most) => series.map(s => s.label.length > most ? s.label.slice(0, Math.max(0, most - 1)) + (most ? "…" : "") : s.label);
const wideNames = (pen, labels) => labels.reduce((sum, label) => sum + pen.measureText(label).width + 32, -12);
/** Whether the names of curves, cut to nine letters, find no room beside the title. */
const needsRow = (pen, w, series, title) => series.length > 1 && 46 + wideTitle(pen, title.split(",")[0]) + wideNames(pen, shortened(series, 9)) > w;
/** The title, and what each curve is, beside it or `apart` in a row below: with names as long as there is room for, and none left out. */
function legend(pen, x, w, series, title, apart) {
  const many = series.length > 1, beside = most => many && !apart ? wideNames(pen, shortened(series, most)) : -14;
  let most = 24;
  if (x + wideTitle(pen, title) + beside(most) > w) title = title.split(",")[0];
  while (most > 0 && x + wideTitle(pen, title) + beside(most) > w) most--;
  while (apart && most > 0 && wideNames(pen, shortened(series, most)) > w) most--;
  pen.textAlign = "left"; pen.textBaseline = "middle"; pen.fillStyle = inkOf("--ink"); pen.font = bold(); pen.fillText(title, x, 8);
  pen.font = plain(); x = apart ? Math.max(0, Math.min(x, w - wideNames(pen, shortened(series, most)))) : x + wideTitle(pen, title);
  const y = apart ? 8 + ROW : 8;
  if (many) shortened(series, most).forEach((text, j) => {
    pen.strokeStyle = inkOf(series[j].colour); pen.lineWidth = 2; pen.setLineDash(DASHES[j % 3]); pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x + 14, y); pen.stroke(); pen.setLineDash([]);
    pen.fillStyle = inkOf("--muted"); pen.fillText(text, x + 18, y); x += pen.measureText(text).width + 32;
  });
}
/** Put a drawn plot onto its canvas: the past full, the rest faint, and a line at `now`. */
function showCurves(canvas, made, now) {
  const { top, h, ratio } = made, pen = canvas.getContext("2d"), x = made.X(now), cut = Math.round(x * ratio), W = made.ground.width, H = made.ground.height;
  if (canvas.width !== W || canvas.height !== H) { canvas.width = W; canvas.height = H; }
  pen.setTransform(1, 0, 0, 1, 0, 0); pen.clearRect(0, 0, W, H); pen.drawImage(made.ground, 0, 0);
  if (cut > 0) pen.drawImage(made.full, 0, 0, cut, H, 0, 0, cut, H);
  if (cut < W) { pen.globalAlpha = 0.34; pen.drawImage(made.faint, cut, 0, W - cut, H, cut, 0, W - cut, H); pen.globalAlpha = 1; }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.strokeStyle = pen.fillStyle = inkOf("--ink"); pen.lineWidth = 1.5;
  pen.beginPath(); pen.moveTo(x, top - 2); pen.lineTo(x, h - MARGIN.bottom); pen.stroke(); pen.beginPath(); pen.arc(x, top - 2, 4, 0, 7); pen.fill();
}
function drawPlot() {
  const canvas = $("plot"), w = canvas.clientWidth, h = canvas.clientHeight, ratio = Math.min(2, devicePixelRatio || 1), key = [timeline.chosen, w, h, ratio, root.className].join();
  if (!w) return;
  if (key !== timeline.key) {
    const c = head.curves[timeline.chosen], series = c.series.map(s => ({ label: s.label, colour: s.colour, t: groups[s.group].t, v: valuesOf(s) }));
    timeline.made = drawCurves(w, h, ratio, series, START, END, { log: c.log, title: c.name + ", " + c.unit }); timeline.key = key;
  }
  showCurves(canvas, timeline.made, film.time);
}
