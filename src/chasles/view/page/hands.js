// Hands: pointer, wheel, keys, buttons and lists.
const pointers = new Map();
let pressed = null;
const turn = (dx, dy) => { camera.azimuth -= 0.007 * dx; camera.elevation = Math.min(1.55, Math.max(-1.5, camera.elevation + 0.007 * dy)); touched(); };
const pan = (dx, dy) => { const { right, top } = axes(), metre = 2 * camera.distance / camera.zoom * FIELD / camera.height; camera.target = add(add(camera.target, right, -dx * metre), top, dy * metre); touched(); };
const zoom = factor => { camera.zoom = Math.min(60, Math.max(0.1, camera.zoom * factor)); touched(); };
const home = () => { resetCamera(); touched(); };

function select(g, body) { film.selected = g && body >= 0 ? { g, body } : null; if (!film.selected) setFree(false); const list = $("select-body"); if (list) list.value = film.selected && g === groups[0] ? body : -1; touched(); }
/** The selected body alone, from near; what the camera saw before comes back afterwards. */
function setFree(on) {
  on = Boolean(on && film.selected);
  if (on === film.free) return;
  film.free = on;
  if (on) { setFree.before = { target: [...camera.target], zoom: camera.zoom, gone: [...camera.gone] }; camera.zoom *= 1.6; camera.target = originOf(film.selected.g, film.selected.body); camera.along = null; }
  else { const { target, zoom, gone } = setFree.before; Object.assign(camera, { target: add(target, add(camera.gone, gone, -1)), zoom }); }
  touched();
}
function pickAt(x, y) {
  const ratio = canvas.width / camera.width, p = parts[renderer.pick(Math.round(x * ratio), Math.round(y * ratio), v)];
  select(p && p.g, p ? p.body : -1);
}
function follow(body) { film.follow = body; cloud = null; const t = film.time; camera.gone = [0, 0, 0]; fit(); if (!head.live) groups.forEach(g => setPoses(g, t)); camera.target = [...camera.fitted.target]; camera.distance = camera.fitted.distance; touched(); }
function darken(on) { root.classList.toggle("dark", on); touched(); }
function openMenu(on) { $("menu").hidden = !on; $("shows").setAttribute("aria-expanded", String(on)); }

function listenStage() {
  stage.addEventListener("pointerdown", e => { stage.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); pressed = pointers.size === 1 ? [e.clientX, e.clientY] : null; });
  stage.addEventListener("pointermove", e => {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last[0], dy = e.clientY - last[1];
    if (pointers.size === 2) { const other = [...pointers].find(([id]) => id !== e.pointerId)[1], wide = (x, y) => Math.hypot(x - other[0], y - other[1]); zoom(wide(e.clientX, e.clientY) / (wide(...last) || 1)); pan(dx / 2, dy / 2); }
    else if (e.shiftKey || e.buttons & 6) pan(dx, dy);
    else turn(dx, dy);
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
  });
  for (const kind of ["pointerup", "pointercancel"]) stage.addEventListener(kind, e => {
    pointers.delete(e.pointerId);
    if (kind === "pointerup" && pressed && Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) < 5) pickAt(e.clientX, e.clientY);
    pressed = null;
  });
  stage.addEventListener("contextmenu", e => e.preventDefault());
  stage.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(-0.0014 * e.deltaY)); }, { passive: false });
}
const stepBy = share => { setPlaying(false); setTime(film.time + share * (END - START)); };
const KEYS = {
  " ": () => setPlaying(!film.playing), "+": () => zoom(1.2), "=": () => zoom(1.2), "-": () => zoom(1 / 1.2), 0: () => home(), d: () => darken(), ArrowUp: () => turn(0, 12), ArrowDown: () => turn(0, -12),
  Escape: () => { select(null); openMenu(false); }, b: () => setFree(!film.free),
};
const FILM_KEYS = { ArrowRight: () => stepBy(1 / 200), ArrowLeft: () => stepBy(-1 / 200), PageUp: () => stepBy(0.1), PageDown: () => stepBy(-0.1), Home: () => setTime(START), End: () => setTime(END), f: () => follow(film.selected ? film.selected.body : -1) };
function listenKeys() {
  addEventListener("keydown", e => {
    const tag = e.target.tagName, act = KEYS[e.key] || (head.live ? null : FILM_KEYS[e.key]);
    if (!act || tag === "SELECT" || (tag === "INPUT" && e.key !== "Escape") || e.ctrlKey || e.metaKey || e.altKey || (e.key === " " && tag === "BUTTON")) return;
    e.preventDefault(); act();
  });
}
function listenDeck() {
  $("play").addEventListener("click", () => { setPlaying(!film.playing); film.stopped = !film.playing; });
  $("home").addEventListener("click", home); $("dark").addEventListener("click", () => darken());
  $("shows").addEventListener("click", () => openMenu($("menu").hidden));
  $("card-close").addEventListener("click", () => select(null)); $("card-free").addEventListener("click", () => setFree(!film.free));
  $("speed").addEventListener("change", e => { film.speed = Number(e.target.value); });
  for (const s of SPEEDS) $("speed").add(new Option(s + "×", s, false, s === film.speed));
  if (head.live) return;
  const plot = $("plot"), go = e => { setPlaying(false); setTime(timeline.made.at(e.clientX - plot.getBoundingClientRect().left)); };
  plot.addEventListener("pointerdown", e => { plot.setPointerCapture(e.pointerId); go(e); }); plot.addEventListener("pointermove", e => { if (e.buttons) go(e); });
  head.curves.forEach((c, k) => $("curve").add(new Option(c.name, k, false, k === timeline.chosen)));
  $("curve").addEventListener("change", e => { timeline.chosen = Number(e.target.value); touched(); });
}
function addToggle(key, words) {
  const label = element("label", "", $("menu")), box = document.createElement("input");
  Object.assign(box, { type: "checkbox", id: "show-" + key, checked: show[key] });
  box.addEventListener("change", () => { show[key] = box.checked; if (key === "gaps") $("magnify").hidden = !box.checked; touched(); });
  label.append(box, words);
}
function addList(id, words, names, value, act) {
  const label = element("label", words, $("menu")), list = document.createElement("select");
  list.id = id; names.forEach((name, k) => list.add(new Option(name, k - 1, false, k - 1 === value)));
  list.addEventListener("change", () => act(Number(list.value))); label.append(list);
}
function fillMenu() {
  addToggle("trails", "trails");
  if (parts.some(p => p.role === "joint")) addToggle("joints", "joints");
  addToggle("floor", "floor"); addToggle("frames", "frames"); addToggle("names", "names");
  if (largest.reaction) addToggle("reactions", "reactions");
  if (largest.force || largest.torque) addToggle("forces", largest.torque ? "forces, torques" : "forces");
  if (largest.gap) {
    addToggle("gaps", "joint gaps, magnified");
    const label = element("label", "", $("menu")), slider = document.createElement("input"), said = element("output", "", label), say = () => { said.textContent = "× 10" + raised(show.magnification); };
    Object.assign(slider, { type: "range", id: "magnification", min: 0, max: Math.max(1, usualMagnification() + 2), step: 1, value: show.magnification }); slider.setAttribute("aria-label", "Magnification of gaps, as a power of ten");
    slider.addEventListener("input", () => { show.magnification = Number(slider.value); say(); touched(); }); say(); label.prepend(slider); label.id = "magnify"; label.hidden = !show.gaps;
  }
  const names = ["none", ...groups[0].bodies];
  addList("select-body", "body", names, -1, k => select(groups[0], k));
  if (!head.live) addList("follow", "follow", names, film.follow, follow);
}
