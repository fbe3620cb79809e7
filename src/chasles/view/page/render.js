// The renderer: one call draws a frame. What is alike is drawn at once; places are taken from the camera's target in doubles.
const QUALITY = [
  { ratio: 1, fine: false }, // no shadow, nothing after the picture: for machines without a graphics card
  { ratio: 1, fine: true, taps: 8, map: 1024, shade: 0, samples: 0 },
  { ratio: 1.5, fine: true, taps: 14, map: 1024, shade: 1, samples: 4 },
  { ratio: 2, fine: true, taps: 32, map: 2048, shade: 1, samples: 4 },
];
const EACH = 24; // floats of an instance: matrix, paint and pattern, kind

function makeRenderer(canvas) {
  const kit = makeGl(canvas);
  if (!kit) return null;
  const { gl, use, bind } = kit;
  const shapes = new Map(), tubes = [], instances = gl.createBuffer(), nothing = gl.createVertexArray(), lineBuffer = gl.createBuffer(), arrays = { trail: gl.createVertexArray(), line: gl.createVertexArray() };
  const one = kit.target(kit.texture(gl.RGBA8, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, gl.NEAREST), kit.depths(1, 1));
  let t = {}, W = 0, H = 0, level = -1, data = new Float32Array(0), triangles = 0, used = 0;

  function upload(shape, surface, usage) {
    [surface.p, surface.n].forEach((values, place) => {
      shape.buffers[place] = shape.buffers[place] || gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, shape.buffers[place]); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), usage);
      gl.enableVertexAttribArray(place); gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    });
    if (shape.count === surface.f.length) return;
    shape.buffers[2] = shape.buffers[2] || gl.createBuffer(); shape.count = surface.f.length;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, shape.buffers[2]); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(surface.f), gl.STATIC_DRAW);
  }
  function shapeOf(form, fine) {
    const key = form.join() + fine;
    if (!shapes.has(key)) {
      const shape = { array: gl.createVertexArray(), buffers: [], list: [], count: 0, first: 0 };
      gl.bindVertexArray(shape.array); upload(shape, surfaceOf(form, fine), gl.STATIC_DRAW); gl.bindVertexArray(null);
      shapes.set(key, shape);
    }
    return shapes.get(key);
  }
  /** Things are {form, world, paint, pattern, rough, metal, id, glow, over}; lines {points, radius, sides, paint, rough, metal}. */
  function collect(things, lines, origin, fine) {
    let k = 0;
    triangles = 0; used = lines.length;
    for (const s of shapes.values()) s.list.length = 0;
    for (const thing of things) shapeOf(thing.form, fine).list.push(thing);
    if (data.length < things.length * EACH) data = new Float32Array(things.length * EACH);
    for (const s of shapes.values()) {
      s.first = k; triangles += s.count / 3 * s.list.length;
      for (const o of s.list) {
        const w = o.world, at = k++ * EACH;
        for (let i = 0; i < 12; i++) data[at + i] = w[i];
        for (let i = 0; i < 3; i++) { data[at + 12 + i] = w[12 + i] - origin[i]; data[at + 16 + i] = o.paint[i]; }
        data[at + 15] = 1; data[at + 19] = o.pattern || 0; data[at + 20] = o.rough; data[at + 21] = o.metal; data[at + 22] = (o.id ?? -1) + 1; data[at + 23] = o.glow || 0;
      }
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, instances); gl.bufferData(gl.ARRAY_BUFFER, data.subarray(0, k * EACH), gl.DYNAMIC_DRAW);
    while (tubes.length < lines.length) tubes.push({ array: gl.createVertexArray(), buffers: [], count: 0 });
    lines.forEach((line, j) => {
      const surface = tube(line.points.map(p => add(p, origin, -1)), line.radius, line.sides);
      gl.bindVertexArray(tubes[j].array); upload(tubes[j], surface, gl.DYNAMIC_DRAW); tubes[j].line = line; triangles += surface.f.length / 3;
    });
    gl.bindVertexArray(null);
  }
  function solids() {
    for (const s of shapes.values()) {
      if (!s.list.length) continue;
      gl.bindVertexArray(s.array); gl.bindBuffer(gl.ARRAY_BUFFER, instances);
      for (let k = 0; k < 6; k++) { gl.enableVertexAttribArray(2 + k); gl.vertexAttribPointer(2 + k, 4, gl.FLOAT, false, EACH * 4, (s.first * EACH + 4 * k) * 4); gl.vertexAttribDivisor(2 + k, 1); }
      gl.depthRange(0, s.list[0].over ? 0.3 : 1); // arrows on a free body are seen through it
      gl.drawElementsInstanced(gl.TRIANGLES, s.count, gl.UNSIGNED_INT, 0, s.list.length);
    }
    gl.depthRange(0, 1);
    for (let j = 0; j < used; j++) {
      const { array: own, line, count } = tubes[j];
      gl.bindVertexArray(own);
      for (let k = 0; k < 4; k++) gl.vertexAttrib4f(2 + k, +(k === 0), +(k === 1), +(k === 2), +(k === 3));
      gl.vertexAttrib4f(6, ...line.paint, 0); gl.vertexAttrib4f(7, line.rough, line.metal, 0, 0);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    }
    gl.bindVertexArray(null);
  }
  const blending = on => { if (on) { gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); } else gl.disable(gl.BLEND); gl.depthMask(!on); };
  /** Ribbons in space: {points from the origin with both ends twice, count, paint, wide, alpha}. */
  function trails(list, view) {
    blending(true); gl.bindVertexArray(arrays.trail);
    for (const trail of list) {
      gl.bindBuffer(gl.ARRAY_BUFFER, lineBuffer); gl.bufferData(gl.ARRAY_BUFFER, trail.points.subarray(0, 3 * (trail.count + 2)), gl.DYNAMIC_DRAW);
      for (let k = 0; k < 4; k++) { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 12, 12 * k); gl.vertexAttribDivisor(k, 1); }
      use("trail", { view, screen: [W / 2, H / 2], count: trail.count - 1, wide: trail.wide * W / canvas.clientWidth, ink: [...trail.paint, trail.alpha] });
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, trail.count - 1);
    }
    gl.bindVertexArray(null); blending(false);
  }
  const picture = () => { gl.bindVertexArray(nothing); gl.drawArrays(gl.TRIANGLES, 0, 3); };

  /** Solids in one light, a flat shadow, and the floor as lines. */
  function liteFrame(ribbons, v) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, W, H); gl.clearColor(...v.paper, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    use("lite", v); solids();
    if (v.floorOn) {
      use("ink", { view: product(v.view, v.flatten), ink: [...v.shadowInk, 1] }); solids();
      const lines = new Float32Array(floorLines(v));
      blending(true); gl.bindVertexArray(arrays.line); gl.bindBuffer(gl.ARRAY_BUFFER, lineBuffer); gl.bufferData(gl.ARRAY_BUFFER, lines, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
      use("line", { view: v.view, ink: [...v.lineInk, 0.8] }); gl.drawArrays(gl.LINES, 0, lines.length / 4); blending(false);
    }
    trails(ribbons, v.view);
  }
  /** What hangs over the floor and what stands in the sun's way, seen from above and from the sun. */
  function maps(q, v) {
    for (const [f, size, matrix] of [[t.sunFrame, q.map, v.sunView], [t.skyFrame, 256, v.skyView]]) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, f); gl.viewport(0, 0, size, size); gl.clear(gl.DEPTH_BUFFER_BIT);
      use("depth", { view: matrix }); solids();
    }
    gl.disable(gl.DEPTH_TEST); gl.viewport(0, 0, 256, 256); bind("depths", t.sky, kit.plain);
    for (const k of [0, 1]) { gl.bindFramebuffer(gl.FRAMEBUFFER, t["veilFrame" + k]); bind("picture", k ? t.veil0 : null); use("veil", { first: 1 - k, pixel: k ? [0, 1 / 256] : [1 / 256, 0], far: v.far, size: v.size, ground: v.ground }); picture(); }
    gl.enable(gl.DEPTH_TEST); kit.unbind();
  }
  function finish(q, v) {
    gl.disable(gl.DEPTH_TEST); bind("depths", t.depth, kit.plain);
    const after = { field: v.field, shift: v.shift, range: v.range, pixel: [1 / W, 1 / H], shadePixel: [2 / W, 2 / H], radius: v.radius, end: v.end, shadeOn: q.shade, edgeOn: 1 };
    if (q.shade) { gl.bindFramebuffer(gl.FRAMEBUFFER, t.shadeFrame); gl.viewport(0, 0, W >> 1, H >> 1); use("shade", after); picture(); }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.viewport(0, 0, W, H); bind("picture", t.colour); bind("shades", t.shade);
    use("finish", after); picture();
  }
  /** One picture. `v` has the camera and the light, all relative to v.origin, and the theme. */
  function frame(things, lines, ribbons, v) {
    const q = QUALITY[level];
    collect(things, lines, v.origin, q.fine);
    gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL); gl.disable(gl.BLEND); gl.depthMask(true); kit.unbind();
    if (!q.taps) { liteFrame(ribbons, v); return; }
    maps(q, v);
    bind("veilMap", t.veil1); bind("sunMap", t.sun, kit.compare); bind("sunDepth", t.sun, kit.plain);
    gl.bindFramebuffer(gl.FRAMEBUFFER, q.samples ? t.many : t.frame); gl.viewport(0, 0, W, H); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const values = { ...v, taps: q.taps };
    use("body", values); solids();
    use("floor", values); picture();
    trails(ribbons, v.view);
    if (q.samples) {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, t.many); gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, t.frame);
      for (const bits of [gl.COLOR_BUFFER_BIT, gl.DEPTH_BUFFER_BIT]) gl.blitFramebuffer(0, 0, W, H, 0, 0, W, H, bits, gl.NEAREST);
    }
    finish(q, v);
  }
  /** The number of the thing at a pixel, or -1: the picture drawn into one pixel. */
  function pick(x, y, v) {
    kit.unbind();
    gl.bindFramebuffer(gl.FRAMEBUFFER, one); gl.viewport(-x, -(H - 1 - y), W, H); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT); gl.enable(gl.DEPTH_TEST);
    use("depth", { view: v.view }); solids();
    const out = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out[0] + 256 * out[1] + 65536 * out[2] - 1;
  }
  function sized(w, h, q) {
    if (w === W && h === H && level === q) return;
    if (w !== W || h !== H) { canvas.width = w; canvas.height = h; }
    W = w; H = h; level = q; kit.discard(t); t = QUALITY[q].taps ? kit.targets(QUALITY[q], w, h) : {};
  }
  /** Until everything is drawn, which `gl.finish` does not wait for. */
  const wait = () => { gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); };
  return { frame, pick, sized, wait, software: kit.software, card: kit.card, stats: () => ({ triangles, shapes: shapes.size }) };
}
/** Lines of the floor near what is seen, as x, y, z and strength, fading outwards. */
function floorLines(v) {
  const out = [], count = 16, cell = v.cell, low = add(v.zero, v.up, v.level + 0.0008 * v.reach - dot(v.zero, v.up)), put = (p, s) => out.push(...p, s);
  for (let k = -count; k <= count; k++) for (const [a, b] of [[v.e1, v.e2], [v.e2, v.e1]]) {
    const middle = add(low, a, k * cell), strength = (1 - Math.abs(k) / count) * (k % 5 ? 0.6 : 1);
    for (const way of [-1, 1]) { put(middle, strength); put(add(middle, b, way * count * cell), 0); }
  }
  return out;
}
