// The film itself: time, frames, how much picture the machine can draw, and the start.
const $ = id => document.getElementById(id), root = document.documentElement, stage = $("stage");
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const SLOW = 0.036, LOOK = 10, RESTS = 450; // s of a frame that is slow, frames to judge by, ms until a still is drawn finely
const show = { trails: true, joints: true, floor: true, frames: false, names: false, reactions: false, forces: false, gaps: false, magnification: 0 };
const film = { time: 0, playing: false, seen: true, lost: false, speed: 1, frames: 0, selected: null, free: false, follow: -1, quality: 3, finest: 3, level: 3, fixed: false, show };
window.film = film;
let canvas = $("solids"), renderer = null, dirty = true, before = 0, lastTouch = 0, rested = false;
const recent = [];

const touched = () => { dirty = true; rested = false; lastTouch = performance.now(); };
/** The power of ten that makes the largest gap a fifth of the scene. */
const usualMagnification = () => largest.gap > 0 ? Math.max(0, Math.floor(Math.log10(0.3 * head.size / largest.gap))) : 0;
/** Real time if that is watched in 2 to 30 s, else whatever takes about eight. */
function usualSpeed() {
  const length = END - START || 1, off = s => Math.abs(Math.log(s * 8 / length));
  return length >= 2 && length <= 30 ? 1 : SPEEDS.reduce((best, s) => off(s) < off(best) ? s : best);
}
function setTime(t) {
  film.time = Math.min(END, Math.max(START, t));
  const length = END - START, words = film.time.toFixed(length < 1 ? 4 : length < 100 ? 2 : 1) + " s";
  $("clock").textContent = words; $("plot").setAttribute("aria-valuenow", film.time.toFixed(4)); $("plot").setAttribute("aria-valuetext", words);
  touched();
}
function setPlaying(on) {
  film.playing = on; $("play").setAttribute("aria-pressed", String(on)); $("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (on && !head.live && film.time >= END) setTime(START);
  touched();
}
function paintFrame() {
  if (!head.live) groups.forEach(g => setPoses(g, film.time));
  goAlong(); aim();
  const [solid, lines] = things();
  renderer.frame(solid, lines, ribbons(), v); film.frames++;
  if (head.live) live.draw(); else drawPlot();
  drawTags(); drawAxes(); fillCard();
}
function sizePicture(level) {
  const box = stage.getBoundingClientRect(), ratio = Math.min(QUALITY[level].ratio, devicePixelRatio || 1);
  film.level = level; renderer.sized(Math.max(1, Math.round(box.width * ratio)), Math.max(1, Math.round(box.height * ratio)), level);
}
function resize() {
  const box = stage.getBoundingClientRect(), old = camera.fitted && camera.fitted.target;
  camera.width = Math.max(1, box.width); camera.height = Math.max(1, box.height); root.style.setProperty("--deck", $("deck").offsetHeight + "px");
  sizePicture(film.quality); fit();
  camera.target = old ? add(camera.target, add(camera.fitted.target, old, -1)) : camera.fitted.target; camera.distance = camera.fitted.distance;
  touched();
}
/** One level down after ten slow frames; a still is drawn as finely as the machine can afford. */
function adapt(passed, now) {
  if (film.fixed) return;
  if (film.playing) {
    recent.push(passed);
    if (recent.length >= LOOK) { const mean = recent.reduce((a, b) => a + b) / recent.length; recent.length = 0; if (mean > SLOW && film.quality > 0) film.quality--; }
    return;
  }
  recent.length = 0;
  if (!rested && now - lastTouch > RESTS) { rested = true; if (film.finest !== film.level) { sizePicture(film.finest); paintFrame(); } }
}
function loop(now) {
  const passed = Math.max(0, (now - before) / 1000); before = now;
  if (film.playing) { if (head.live) live.tick(Math.min(0.05, passed) * film.speed); else setTime(film.time >= END ? START : film.time + Math.min(0.1, passed) * film.speed); }
  if (dirty && !document.hidden && (film.seen || !film.lost)) { dirty = false; if (film.lost) revive(); if (film.level !== film.quality && !film.fixed) sizePicture(film.quality); paintFrame(); }
  if (!film.lost) adapt(passed, now);
  requestAnimationFrame(loop);
}
/** A page of many films has more pictures than a browser keeps: one that it took away is made again when it is seen. */
function revive() {
  const other = canvas.cloneNode(); canvas.replaceWith(other); canvas = other; renderer = null; film.lost = false;
  makeCanvas(); sizePicture(film.quality);
}
/** WebGL where there is one, else a plain canvas. */
function makeCanvas() {
  try { if (location.hash !== "#canvas") renderer = makeRenderer(canvas); } catch (error) { console.error(error); }
  if (!renderer) {
    const other = canvas.cloneNode(); canvas.replaceWith(other); canvas = other; renderer = makePlain(canvas);
    $("note").hidden = false; $("note").textContent = "Drawn without WebGL: slower, and bodies that cross may hide each other.";
  }
  film.gl = !renderer.plain;
  canvas.addEventListener("webglcontextlost", event => { event.preventDefault(); film.lost = true; touched(); });
  if (renderer.plain || renderer.software) { film.quality = 0; film.finest = renderer.plain ? 0 : 2; root.classList.add("slow"); }
  else if (matchMedia("(pointer: coarse)").matches) film.quality = 2;
}
function setScheme() {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  darken(prefers.matches); prefers.addEventListener("change", e => darken(e.matches));
}
/** Within another page a film plays only while it is seen. */
function startPlaying() {
  const moving = !matchMedia("(prefers-reduced-motion: reduce)").matches && location.hash !== "#still";
  if (window.parent === window) { setPlaying(moving); return; }
  new IntersectionObserver(seen => {
    const here = film.seen = seen[seen.length - 1].isIntersecting;
    if (here && film.lost) touched();
    if (here ? moving && !film.stopped : film.playing) setPlaying(here);
  }, { threshold: 0.25 }).observe(stage);
}
async function start() {
  if (!window.DecompressionStream) { $("note").hidden = false; $("note").textContent = "This browser is too old for this film: it has no DecompressionStream."; return; }
  await unpack();
  [E1, E2, UP] = head.camera.basis; film.follow = head.follow;
  makeParts(); makeCanvas(); setScheme();
  Object.assign(show, { trails: groups.reduce((sum, g) => sum + g.count, 0) <= 40, floor: head.floor, magnification: usualMagnification() }, head.show);
  film.time = START; film.speed = head.live ? 1 : usualSpeed();
  if (head.live) await live.start(); else timeline.chosen = Math.max(0, head.curves.findIndex(c => c.name === head.show.curve));
  fillMenu(); listenStage(); listenKeys(); listenDeck(); resize(); resetCamera();
  if (!head.live) { $("plot").setAttribute("aria-valuemin", START); $("plot").setAttribute("aria-valuemax", END); setTime(START); }
  new ResizeObserver(resize).observe(stage); startPlaying();
  requestAnimationFrame(now => { before = now; loop(now); root.dataset.ready = "yes"; });
}
start();
