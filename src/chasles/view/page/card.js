// Words over the picture: a selected body's numbers and what acts on it, names, the axes of the world.
const digits = x => { const a = Math.abs(x); return a === 0 ? "0" : a >= 1e5 || a < 1e-3 ? written(x) : String(Number(x.toPrecision(4))); };
/** Speed and rate of rotation of a body, from the saved states around the time. */
function ratesOf(g, body) {
  const a = Math.max(0, g.frame - (g.share < 0.5)), b = Math.min(g.t.length - 1, a + 2), dt = g.t[b] - g.t[a] || 1, i = 4 * (a * g.count + body), j = 4 * (b * g.count + body);
  let cosine = 0, one = 0, two = 0;
  for (let k = 0; k < 4; k++) { cosine += g.q[i + k] * g.q[j + k]; one += g.q[i + k] ** 2; two += g.q[j + k] ** 2; }
  return [norm(add(placeOf(g, b, body), placeOf(g, a, body), -1)) / dt, 2 * Math.acos(Math.min(1, Math.abs(cosine) / Math.sqrt(one * two))) / dt];
}
function rowsOf(g, body) {
  const m = matrixOf(g, body), rows = [["mass", digits(g.masses[body]) + " kg"], ["place", [12, 13, 14].map((k, c) => (m[k] - g.offset[c]).toFixed(3).replace(/^-0\.000$/, "0.000").replace("-", "−")).join(", ") + " m"]];
  if (head.live) return rows;
  const [speed, rate] = ratesOf(g, body);
  return [...rows, ["speed", digits(speed) + " m/s"], ["rate of rotation", digits(rate) + " rad/s"]];
}
function element(name, text, parent, kind = "") { const e = document.createElement(name); e.textContent = text; e.className = kind; parent.append(e); return e; }
let cardSaid = "";
function fillCard() {
  const card = $("card"), s = film.selected;
  card.hidden = !s;
  if (!s) { cardSaid = ""; return; }
  const acting = loads().filter(l => norm(l.value) > 0).map(l => [l.name, digits(norm(l.value)) + (turns(l.kind) ? " N m" : " N"), INKS[l.kind]]);
  const name = s.g.bodies[s.body] + (groups.length > 1 && s.g.label ? " · " + s.g.label : ""), rows = rowsOf(s.g, s.body), text = JSON.stringify([name, rows, acting, film.free]);
  if (text === cardSaid) return;
  cardSaid = text;
  $("card-name").textContent = name; $("card-free").setAttribute("aria-pressed", String(film.free)); $("card-free").hidden = !acting.length;
  const list = $("card-rows"); list.replaceChildren();
  for (const [what, value] of rows) { element("dt", what, list); element("dd", value, list); }
  const forces = $("card-loads"); forces.replaceChildren(); forces.hidden = !film.free;
  for (const [what, value, ink] of acting) { const dt = element("dt", what, forces); dt.style.setProperty("--ink-of", ink); element("dd", value, forces); }
}
/** A little further on from a through b, on the page. */
const beyond = (a, b) => { const l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, s = 26 / l; return [b[0] + 1.6 * s * (b[0] - a[0]), b[1] + s * (b[1] - a[1]) + 16, b[2]]; };
function drawTags() {
  const want = [];
  if (groups.length > 1 && head.apart) for (const g of groups) want.push([g.label, project(add(g.middle, g.offset)), "big", g.colour]);
  if (freed()) for (const l of loadArrows()) { if (l.thing) want.push([l.name + " " + digits(norm(l.value)) + (turns(l.kind) ? " N m" : " N"), beyond(project(l.at), project(l.thing.tip)), "", ""]); }
  else if (show.names) for (const g of groups) {
    g.bodies.forEach((name, b) => want.push([name, project(originOf(g, b)), "", ""]));
    g.spots.forEach(s => want.push([s.name, project(moved(matrixOf(g, s.body), s.at)), "joint", ""]));
  }
  const box = $("tags"), taken = [];
  while (box.children.length < want.length) box.append(document.createElement("span"));
  while (box.children.length > want.length) box.lastChild.remove();
  want.forEach(([text, p, kind, ink], k) => {
    const s = box.children[k], half = 4 * text.length + 8;
    let y = p[1];
    for (let tries = 0; tries < 6 && taken.some(o => Math.abs(o[0] - p[0]) < o[2] + half && Math.abs(o[1] - y) < 19); tries++) y += (tries % 2 ? -1 : 1) * 20 * (tries + 1);
    taken.push([p[0], y, half]);
    if (s.textContent !== text) s.textContent = text;
    s.className = kind; s.style.transform = `translate(-50%,-150%) translate(${p[0].toFixed(1)}px,${(kind === "big" ? Math.max(70, y) : y).toFixed(1)}px)`; s.style.setProperty("--own", ink || "inherit"); s.hidden = !(p[2] > 0);
  });
}
/** The world's axes above the deck. */
function drawAxes() {
  const c = $("axes"), ratio = Math.min(2, devicePixelRatio || 1), pen = c.getContext("2d"), { right, top, back } = axes(), key = [...right, ...top, root.className].map(x => typeof x === "number" ? x.toFixed(3) : x).join();
  if (c.said === key) return;
  c.said = key; c.width = c.height = 64 * ratio; pen.scale(ratio, ratio); pen.translate(32, 32); pen.lineWidth = 2; pen.lineCap = "round"; pen.font = "600 11px " + inkOf("--sans"); pen.textAlign = "center"; pen.textBaseline = "middle";
  [0, 1, 2].sort((a, b) => back[a] - back[b]).forEach(k => {
    const x = 21 * right[k], y = -21 * top[k];
    pen.strokeStyle = pen.fillStyle = AXES[k]; pen.beginPath(); pen.moveTo(0, 0); pen.lineTo(x, y); pen.stroke();
    if (Math.hypot(x, y) > 7) pen.fillText("xyz"[k], 1.36 * x, 1.36 * y);
  });
}
