// Controls: time, speed, what is shown, and the hand that turns the scene.

const $ = id => document.getElementById(id);
const stage = $("stage"), scrub = $("scrub"), play = $("play"), clock = $("clock");
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const bodies = groups.reduce((sum, g) => sum + g.count, 0);
const show = {
  trails: bodies <= 8, joint: true, floor: head.gravity, gaps: false, reactions: false, forces: false, names: false, frames: false,
  magnification: usualMagnification(), ...head.show,
};
const film = { time: START, playing: false, speed: usualSpeed(), show, camera, gl: Boolean(withGl), frames: 0, follow: head.follow };
window.film = film;
let dirty = true, before = 0;

/** Real time if that is watched in 2 to 30 s, else whatever takes about eight. */
function usualSpeed() {
  const length = END - START || 1;
  if (length >= 2 && length <= 30) return 1;
  return SPEEDS.reduce((best, s) => Math.abs(Math.log(s * 8 / length)) < Math.abs(Math.log(best * 8 / length)) ? s : best);
}

function setTime(t) {
  film.time = Math.min(END, Math.max(START, t));
  scrub.value = Math.round(1000 * (film.time - START) / (END - START || 1));
  const digits = END - START < 1 ? 4 : END - START < 100 ? 2 : 1;
  clock.textContent = film.time.toFixed(digits) + " s";
  scrub.setAttribute("aria-valuetext", clock.textContent);
  dirty = true;
}

function setPlaying(on) {
  film.playing = on;
  play.setAttribute("aria-pressed", String(on)); play.setAttribute("aria-label", on ? "Pause" : "Play");
  if (on && film.time >= END) setTime(START);
}

function resize() {
  const box = stage.getBoundingClientRect(), scale = Math.min(2, window.devicePixelRatio || 1);
  camera.width = Math.max(1, box.width); camera.height = Math.max(1, box.height);
  for (const canvas of [surface, overlay]) { canvas.width = Math.round(box.width * scale); canvas.height = Math.round(box.height * scale); }
  dirty = true;
}

function draw(now) {
  if (film.playing) {
    const passed = Math.min(0.1, (now - before) / 1000);
    setTime(film.time >= END ? START : film.time + passed * film.speed);
  }
  before = now;
  if (dirty) {
    dirty = false; film.frames++;
    groups.forEach(g => setPoses(g, film.time));
    goAlong(film.follow); aim(); placeParts(show); drawSolids(show); drawLines(show);
    if (window.drawPlot) window.drawPlot(film.time);
  }
  requestAnimationFrame(draw);
}

// --- what is shown ---

function addToggle(key, words) {
  const label = document.createElement("label"), box = document.createElement("input");
  box.type = "checkbox"; box.id = "show-" + key; box.checked = show[key];
  box.addEventListener("change", () => { show[key] = box.checked; dirty = true; if (key === "gaps") gapSlider.hidden = !box.checked; });
  label.append(box, words); $("shown").append(label);
}

const gapSlider = document.createElement("label");
function addMagnification() {
  const slider = document.createElement("input"), said = document.createElement("output");
  const say = () => { said.textContent = "× 10" + String(show.magnification).replace(/[-0-9]/g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹"["0123456789".indexOf(c)] || "⁻"); };
  Object.assign(slider, { type: "range", id: "magnification", min: 0, max: Math.max(1, usualMagnification() + 2), step: 1, value: show.magnification });
  slider.setAttribute("aria-label", "Magnification of gaps, as a power of ten");
  slider.addEventListener("input", () => { show.magnification = Number(slider.value); say(); dirty = true; });
  say(); gapSlider.append(slider, said); gapSlider.hidden = !show.gaps; $("shown").append(gapSlider);
}

addToggle("trails", "trails");
if (parts.some(p => p.role === "joint")) addToggle("joint", "joints");
addToggle("floor", "floor"); addToggle("frames", "frames"); addToggle("names", "names");
if (LARGEST.reaction) addToggle("reactions", "reactions");
if (LARGEST.force || LARGEST.torque) addToggle("forces", LARGEST.torque ? "forces, torques" : "forces");
if (LARGEST.gap) { addToggle("gaps", "joint gaps, magnified"); addMagnification(); }

const MOST_FOLLOWED = 40; // names that a list can show
function addFollow() {
  const label = document.createElement("label"), list = document.createElement("select");
  list.id = "follow"; list.setAttribute("aria-label", "Body that the camera follows");
  ["none", ...groups[0].bodies].forEach((name, k) => list.add(new Option(name, k - 1, false, k - 1 === film.follow)));
  list.addEventListener("change", () => {
    film.follow = Number(list.value);
    if (film.follow >= 0) camera.moved = gone(film.follow); // from where it is now
    dirty = true;
  });
  label.append("follow", list); $("shown").append(label);
}
if (groups[0].count <= MOST_FOLLOWED) addFollow();

for (const speed of SPEEDS) {
  const option = document.createElement("option");
  option.value = speed; option.textContent = speed + "×"; option.selected = speed === film.speed; $("speed").append(option);
}
if (groups.length > 1) for (const g of groups) {
  const item = document.createElement("li"), swatch = document.createElement("i");
  swatch.style.background = g.colour; item.append(swatch, g.label); $("legend").append(item);
}
if (!withGl) { $("note").hidden = false; $("note").textContent = "Drawn without WebGL: slower, and bodies that cross may hide each other."; }

// --- hands ---

play.addEventListener("click", () => { setPlaying(!film.playing); film.stopped = !film.playing; });
scrub.addEventListener("input", () => { setPlaying(false); setTime(START + (END - START) * scrub.value / 1000); });
$("speed").addEventListener("change", event => { film.speed = Number(event.target.value); });
$("home").addEventListener("click", () => { resetCamera(); dirty = true; });

const pointers = new Map();
function turn(dx, dy) {
  camera.azimuth -= dx * 0.008;
  camera.elevation = Math.min(1.55, Math.max(-1.55, camera.elevation + dy * 0.008));
}
function pan(dx, dy) {
  camera.target = along(along(camera.target, -dx * camera.metre, camera.right), dy * camera.metre, camera.top);
}
const zoom = factor => { camera.zoom = Math.min(200, Math.max(0.05, camera.zoom * factor)); dirty = true; };

stage.addEventListener("pointerdown", event => {
  stage.setPointerCapture(event.pointerId); pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
stage.addEventListener("pointermove", event => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const here = [event.clientX, event.clientY], dx = here[0] - last[0], dy = here[1] - last[1];
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const wide = p => Math.hypot(p[0] - other[0], p[1] - other[1]);
    zoom(wide(here) / (wide(last) || 1)); pan(dx / 2, dy / 2);
  } else if (event.shiftKey || event.buttons & 6) pan(dx, dy);
  else turn(dx, dy);
  pointers.set(event.pointerId, here); dirty = true;
});
for (const kind of ["pointerup", "pointercancel"]) stage.addEventListener(kind, event => pointers.delete(event.pointerId));
stage.addEventListener("contextmenu", event => event.preventDefault());
stage.addEventListener("wheel", event => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.0015)); }, { passive: false });
stage.addEventListener("keydown", event => {
  const step = (END - START) / 200, keys = {
    " ": () => setPlaying(!film.playing), ArrowRight: () => { setPlaying(false); setTime(film.time + step); },
    ArrowLeft: () => { setPlaying(false); setTime(film.time - step); }, "+": () => zoom(1.2), "=": () => zoom(1.2), "-": () => zoom(1 / 1.2),
    0: () => { resetCamera(); dirty = true; }, ArrowUp: () => turn(0, 12), ArrowDown: () => turn(0, -12),
  };
  if (!keys[event.key]) return;
  event.preventDefault(); keys[event.key](); dirty = true;
});

new ResizeObserver(resize).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { dirty = true; });
resetCamera(); resize(); setTime(START);
const moving = !matchMedia("(prefers-reduced-motion: reduce)").matches && location.hash !== "#still";
if (window.parent === window) setPlaying(moving);
else new IntersectionObserver(seen => { // within another page, only while it is seen
  const here = seen[seen.length - 1].isIntersecting;
  if (here ? moving && !film.stopped : film.playing) setPlaying(here);
}, { threshold: 0.25 }).observe(stage);
requestAnimationFrame(now => { before = now; draw(now); document.documentElement.dataset.ready = "yes"; });
