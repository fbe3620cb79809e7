// A model that runs here: its recorded step as WebAssembly, from starts that Python has set up.
const MOST_ROWS = 900, MOST_TRAIL = 900, CALM = 1e-17;
const live = { time: 0, runs: [], at: [], log: [], spent: 0 };

/** A simulator of a group: its memory, with the block, the parameters and what is read. */
async function makeRun(g, m) {
  const memory = new WebAssembly.Memory({ initial: 32 }), base = array(m.base), count = 12 * g.count + m.words.length, env = environment(memory);
  let next = 1024;
  const room = n => { const at = next; next += 8 * Math.max(1, n); return new Float64Array(memory.buffer, at, n); };
  const run = { g, m, base, memory, state: room(m.width), parameters: room(base.length - m.width), out: room(count), saved: room(m.kept), ends: room(1), ways: [], index: 0, way: 0, switched: 0, stopped: false, trails: g.bodies.map(() => []) };
  for (const w of m.ways) run.ways.push((await WebAssembly.instantiate(array(w), { env })).instance.exports.chasles_run);
  run.read = (await WebAssembly.instantiate(array(m.read), { env })).instance.exports.chasles_read;
  m.tables.forEach(t => { t.values = array(t.rows); });
  return run;
}
function environment(memory) {
  const env = { __linear_memory: memory, __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, memory.buffer.byteLength - 16), __indirect_function_table: new WebAssembly.Table({ initial: 4, element: "anyfunc" }),
    memcpy: (a, b, n) => { new Uint8Array(memory.buffer).copyWithin(a, b, b + n); return a; } };
  for (const name of ["sin", "cos", "tan", "tanh", "exp", "log", "atan", "asin", "acos", "atan2"]) env[name] = Math[name];
  return env;
}
/** First block and parameters at the sliders' positions; what several sliders move only judges a run, and is added up. */
function startOf(run) {
  const all = Float64Array.from(run.base);
  for (const t of run.m.tables) {
    const row = t.sliders.reduce((sum, s, k) => sum * t.counts[k] + live.at[s], 0);
    t.columns.forEach((c, k) => { const value = t.values[row * t.columns.length + k]; all[c] = Object.is(all[c], run.base[c]) ? value : all[c] + value - run.base[c]; });
  }
  return all;
}
function restart() {
  live.time = 0; live.log = []; $("note").hidden = true;
  for (const run of live.runs) {
    const all = startOf(run);
    run.state.set(all.subarray(0, run.m.width)); run.parameters.set(all.subarray(run.m.width));
    Object.assign(run, { index: 0, way: 0, switched: 0, stopped: false }); run.trails.forEach(t => { t.length = 0; });
    look(run); run.first = energies(run);
  }
  note(); touched();
}
/** Parameters alone may change while it runs; a start begins again. */
function moveSlider(slider, position) {
  live.at[slider] = position;
  const starts = live.runs.some(run => run.m.tables.some(t => t.sliders.includes(slider) && t.columns.some(c => c < run.m.kept)));
  if (starts) { restart(); return; }
  for (const run of live.runs) { run.parameters.set(startOf(run).subarray(run.m.width)); look(run); run.first = energies(run); }
  touched();
}
/** Steps up to `last`: one whose guards fail in a recorded way is tried in the others; where all fail, the run stops and says so. */
function advance(run, last) {
  const never = 1n << 62n;
  while (run.index < last && !run.stopped) {
    let reached = run.index;
    for (let k = 0; k < run.ways.length && reached === run.index; k++) {
      const number = (run.way + k) % run.ways.length, ends = run.ends.byteOffset;
      run.ways[number](run.state.byteOffset, run.parameters.byteOffset, run.saved.byteOffset, ends, 0, 0, run.m.step, BigInt(run.index), BigInt(last), never, never, 0n);
      reached = Number(new BigInt64Array(run.memory.buffer, ends, 1)[0]);
      if (reached !== run.index && k) { run.way = number; run.switched++; }
    }
    if (reached === run.index) { run.stopped = true; $("note").hidden = false; $("note").textContent = `Stopped at ${(run.index * run.m.step).toFixed(2)} s: this state is outside of what was recorded. Restart, or run it in Python.`; }
    run.index = reached;
  }
}
/** Poses and numbers of a state. */
function look(run) {
  const { g, out } = run, o = g.offset;
  run.read(run.state.byteOffset, run.index * run.m.step, run.parameters.byteOffset, out.byteOffset);
  for (let b = 0; b < g.count; b++) {
    const p = out.subarray(12 * b, 12 * b + 12), m = g.matrices[b];
    for (let r = 0; r < 3; r++) { for (let c = 0; c < 3; c++) m[4 * c + r] = p[3 * r + c]; m[12 + r] = p[9 + r] + o[r]; }
    m[15] = 1;
  }
}
const energies = run => [run.out[12 * run.g.count], run.out[12 * run.g.count + 1]];
const gapOf = run => run.out.subarray(12 * run.g.count + 2).reduce((a, b) => Math.max(a, b), 0);
live.tick = passed => {
  const began = performance.now(), pieces = Math.max(1, Math.ceil(passed * 500));
  for (let k = 0; k < pieces && performance.now() - began < 25; k++) {
    live.time += passed / pieces;
    for (const run of live.runs) {
      advance(run, Math.floor(live.time / run.m.step + 1e-9)); look(run);
      run.trails.forEach((trail, b) => { trail.push(originOf(run.g, b)); if (trail.length > MOST_TRAIL) trail.shift(); });
    }
  }
  if (live.runs.every(run => run.stopped)) { live.time = Math.max(...live.runs.map(run => run.index * run.m.step)); setPlaying(false); }
  live.spent = performance.now() - began; note(); touched();
};
live.trailOf = (g, body) => live.runs.find(run => run.g === g).trails[body];
/** A row of the curves: time, then of every run kinetic and potential energy, that off its start, and the gap. */
function note() {
  const row = [live.time];
  for (const run of live.runs) { const [t, u] = energies(run), e0 = run.first[0] + run.first[1], scale = Math.max(Math.abs(run.first[0]), Math.abs(t), Math.abs(u), 1e-300); row.push(t, u, Math.abs(t + u - e0) / scale, gapOf(run)); }
  live.log.push(row); if (live.log.length > MOST_ROWS) live.log.shift();
  $("clock").textContent = live.time.toFixed(2) + " s";
}
/** Energies or their error, and gaps; of one run that keeps its energy, its error instead of gaps that are rounding. */
function liveCurves() {
  const L = live.log, t = L.map(r => r[0]), of = (k, column) => L.map(r => r[1 + 4 * k + column]), logs = (k, column) => of(k, column).map(x => Math.log10(Math.max(x, CALM))), alone = live.runs.length === 1;
  const each = make => live.runs.map((run, k) => ({ label: run.g.label, colour: alone ? "--a" : run.g.colour, t, v: make(k) }));
  const error = { title: "Energy error, relative", log: true, series: each(k => logs(k, 2)) }, gaps = { title: "Joint gap, m", log: true, series: each(k => logs(k, 3)) };
  const kinetic = { title: "Kinetic energy, J", series: each(k => of(k, 0)) }, parts = { title: "Energy, J", series: ["kinetic", "potential"].map((label, c) => ({ label, colour: c ? "--b" : "--a", t, v: of(0, c) })) };
  const closed = L.every(r => live.runs.every((_, k) => r[4 + 4 * k] === 0)), potential = { title: "Potential energy, J", series: each(k => of(k, 1)) };
  return head.live.conserved ? (alone ? [parts, error] : [error, gaps]) : [kinetic, closed ? potential : gaps];
}
live.draw = () => {
  const t0 = live.log[0][0], t1 = Math.max(t0 + 4, live.time), ratio = Math.min(2, devicePixelRatio || 1);
  liveCurves().forEach((c, k) => { const canvas = $(k ? "plot2" : "plot"), w = canvas.clientWidth; if (w) showCurves(canvas, drawCurves(w, canvas.clientHeight, ratio, c.series, t0, t1, c), live.time); });
};
function addSlider(s, k) {
  const label = element("label", "", $("panel")), input = document.createElement("input"), said = document.createElement("output");
  element("span", s.name, label); label.append(said, input);
  Object.assign(input, { type: "range", min: 0, max: s.values.length - 1, step: 1, value: s.at, id: "slider-" + k });
  const say = () => { said.textContent = Number(s.values[input.value].toPrecision(4)) + " " + s.unit; input.setAttribute("aria-valuetext", said.textContent); };
  input.setAttribute("aria-label", s.name); input.addEventListener("input", () => { moveSlider(k, Number(input.value)); say(); }); say(); live.at[k] = s.at;
}
live.start = async () => {
  root.classList.add("live"); $("panel").hidden = false; $("curves").hidden = true; $("plot").setAttribute("role", "img"); $("plot").removeAttribute("tabindex");
  head.live.sliders.forEach(addSlider);
  const button = element("button", "Restart", $("panel")); button.type = "button"; button.id = "restart"; button.addEventListener("click", () => { restart(); setPlaying(true); });
  element("p", head.live.words, $("panel"));
  for (const [k, g] of groups.entries()) live.runs.push(await makeRun(g, head.live.modules[k]));
  $("plot2").hidden = false; restart();
};
/** For tests: numbers of run k after n steps from the sliders' start, as integers of their bits. */
live.bitsAfter = (k, n) => {
  restart();
  const run = live.runs[k];
  advance(run, n); look(run);
  return { index: run.index, switched: run.switched, bits: [...new BigInt64Array(run.memory.buffer, run.state.byteOffset, run.m.kept)].map(String), out: [...run.out] };
};
