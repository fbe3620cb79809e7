// Without WebGL 2: triangles from far to near on a plain canvas. Slower, and wrong where bodies cross, but it shows the motion.
function makePlain(canvas) {
  const pen = canvas.getContext("2d"), surfaces = new Map(), here = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  let faces = [];
  const css = c => "rgb(" + c.map(x => Math.round(255 * Math.min(1, encoded(Math.max(0, x))))).join() + ")", given = c => "rgb(" + c.map(x => Math.round(255 * x)).join() + ")";
  function surface(form) { const key = form.join(); if (!surfaces.has(key)) surfaces.set(key, surfaceOf(form, false)); return surfaces.get(key); }
  function frame(things, lines, ribbons, v) {
    const w = canvas.width, h = canvas.height, m = v.view, ratio = w / canvas.clientWidth;
    const seen = p => { const d = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15]; return [(1 + (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / d) * w / 2, (1 - (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / d) * h / 2, d]; };
    const stroke = (a, b) => { pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke(); };
    pen.fillStyle = given(v.paper); pen.fillRect(0, 0, w, h); pen.lineJoin = pen.lineCap = "round";
    if (v.floorOn) {
      const floor = floorLines(v); pen.strokeStyle = given(v.lineInk); pen.lineWidth = ratio;
      for (let k = 0; k < floor.length; k += 8) { const a = seen(floor.slice(k, k + 3)), b = seen(floor.slice(k + 4, k + 7)); pen.globalAlpha = 0.6 * floor[k + 3]; if (a[2] > 0 && b[2] > 0) stroke(a, b); }
      pen.globalAlpha = 1;
    }
    faces = [];
    const draw = ({ p, n, f }, world, o) => {
      const at = [];
      for (let k = 0; k < p.length; k += 3) at.push(seen(add(moved(world, [p[k], p[k + 1], p[k + 2]]), v.origin, -1)));
      for (let k = 0; k < f.length; k += 3) {
        const i = f[k], a = at[i], b = at[f[k + 1]], c = at[f[k + 2]];
        if (a[2] <= 0 || b[2] <= 0 || c[2] <= 0 || (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0) continue;
        const light = dot(unit(turned(world, [n[3 * i], n[3 * i + 1], n[3 * i + 2]])), v.sun), glow = o.glow ? 0.15 : 0;
        faces.push([(a[2] + b[2] + c[2]) * (o.over ? 1e-3 : 1), a, b, c, css(add(scaled(o.paint, 0.62 + 0.45 * Math.max(0, light)), [1, 1, 1], glow)), o.id ?? -1]);
      }
    };
    for (const o of things) draw(surface(o.form), o.world, o);
    for (const line of lines) draw(tube(line.points, line.radius, 5), here, line);
    faces.sort((a, b) => b[0] - a[0]);
    pen.lineWidth = 0.7;
    for (const [, a, b, c, ink] of faces) { pen.fillStyle = pen.strokeStyle = ink; pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.lineTo(c[0], c[1]); pen.closePath(); pen.fill(); pen.stroke(); }
    for (const trail of ribbons) {
      pen.strokeStyle = given(trail.paint); pen.lineWidth = trail.wide * ratio; let last = null;
      for (let k = 1; k <= trail.count; k++) { const p = seen(trail.points.subarray(3 * k, 3 * k + 3)); pen.globalAlpha = trail.alpha * (k / trail.count) ** 2; if (last && last[2] > 0 && p[2] > 0) stroke(last, p); last = p; }
      pen.globalAlpha = 1;
    }
  }
  function pick(x, y) {
    const side = (a, b) => (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    for (let k = faces.length - 1; k >= 0; k--) { const [, a, b, c, , id] = faces[k]; if (side(a, b) <= 0 && side(b, c) <= 0 && side(c, a) <= 0) return id; }
    return -1;
  }
  return { plain: true, frame, pick, wait() {}, stats: () => ({ triangles: faces.length }), sized(w, h) { if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; } } };
}
