// The little of WebGL 2 that the renderer stands on: programs, textures, targets.
function makeGl(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: true, powerPreference: "high-performance" });
  if (!gl) return null;
  const UNITS = ["sunMap", "sunDepth", "picture", "depths", "shades", "veilMap"], programs = {};
  function program(name, vertex, fragment) {
    const p = gl.createProgram(), at = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, COMMON + text); gl.compileShader(shader); gl.attachShader(p, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw Error(name + ": " + gl.getShaderInfoLog(shader));
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw Error(name + ": " + gl.getProgramInfoLog(p));
    for (let k = 0; k < gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS); k++) { const u = gl.getActiveUniform(p, k); at[u.name] = [gl.getUniformLocation(p, u.name), u.type]; }
    gl.useProgram(p);
    UNITS.forEach((name, k) => at[name] && gl.uniform1i(at[name][0], k));
    return { p, at };
  }
  const SOURCES = {
    lite: [BODY_VERTEX, LITE_FRAGMENT], ink: [BODY_VERTEX, INK_FRAGMENT], line: [LINE_VERTEX, LINE_FRAGMENT], depth: [BODY_VERTEX, DEPTH_FRAGMENT], trail: [TRAIL_VERTEX, TRAIL_FRAGMENT],
    body: [BODY_VERTEX, BODY_FRAGMENT], floor: [SCREEN_VERTEX, FLOOR_FRAGMENT], shade: [SCREEN_VERTEX, SHADE_FRAGMENT], finish: [SCREEN_VERTEX, FINISH_FRAGMENT], veil: [SCREEN_VERTEX, VEIL_FRAGMENT],
  };
  /** Take a program, made when it is first wanted, with the uniforms that it knows of those given. */
  function use(name, values) {
    const { p, at } = programs[name] = programs[name] || program(name, ...SOURCES[name]);
    gl.useProgram(p);
    for (const key in values) {
      if (!at[key]) continue;
      const [where, type] = at[key], v = values[key];
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(where, false, v);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(where, v);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(where, v);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(where, v);
      else if (type === gl.INT) gl.uniform1i(where, v);
      else if (type === gl.FLOAT) gl.uniform1f(where, v);
    }
  }
  function texture(format, w, h, kind, type, filter) {
    const t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t); gl.texImage2D(gl.TEXTURE_2D, 0, format, w, h, 0, kind, type, null);
    for (const k of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, k, filter);
    for (const k of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, k, gl.CLAMP_TO_EDGE);
    return t;
  }
  const depths = (w, h) => texture(gl.DEPTH_COMPONENT24, w, h, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, gl.NEAREST);
  function target(colour, depth) {
    const f = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, f);
    for (const [what, place] of [[colour, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_ATTACHMENT]]) {
      if (what instanceof WebGLRenderbuffer) gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, what);
      else if (what) gl.framebufferTexture2D(gl.FRAMEBUFFER, place, gl.TEXTURE_2D, what, 0);
    }
    return f;
  }
  function sampler(filter, compares) {
    const s = gl.createSampler();
    for (const k of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.samplerParameteri(s, k, filter);
    for (const k of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.samplerParameteri(s, k, gl.CLAMP_TO_EDGE);
    if (compares) { gl.samplerParameteri(s, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE); gl.samplerParameteri(s, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL); }
    return s;
  }
  function bind(name, tex, how) { const k = UNITS.indexOf(name); gl.activeTexture(gl.TEXTURE0 + k); gl.bindTexture(gl.TEXTURE_2D, tex); gl.bindSampler(k, how || null); }
  const unbind = () => UNITS.forEach(name => bind(name, null));
  const compare = sampler(gl.LINEAR, true), plain = sampler(gl.NEAREST, false);
  /** All textures and targets of a level at a size of the picture. */
  function targets(q, W, H) {
    const t = { sun: depths(q.map, q.map), sky: depths(256, 256), colour: texture(gl.RGBA8, W, H, gl.RGBA, gl.UNSIGNED_BYTE, gl.LINEAR), depth: depths(W, H), shade: texture(gl.R8, W >> 1, H >> 1, gl.RED, gl.UNSIGNED_BYTE, gl.LINEAR) };
    for (const k of [0, 1]) { t["veil" + k] = texture(gl.R8, 256, 256, gl.RED, gl.UNSIGNED_BYTE, gl.LINEAR); t["veilFrame" + k] = target(t["veil" + k], null); }
    Object.assign(t, { sunFrame: target(null, t.sun), skyFrame: target(null, t.sky), frame: target(t.colour, t.depth), shadeFrame: target(t.shade, null) });
    if (q.samples) {
      const samples = Math.min(q.samples, gl.getParameter(gl.MAX_SAMPLES));
      const buffer = format => { const r = gl.createRenderbuffer(); gl.bindRenderbuffer(gl.RENDERBUFFER, r); gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, W, H); return r; };
      t.manyColour = buffer(gl.RGBA8); t.manyDepth = buffer(gl.DEPTH_COMPONENT24); t.many = target(t.manyColour, t.manyDepth);
    }
    return t;
  }
  function discard(t) { for (const o of Object.values(t)) { if (o instanceof WebGLTexture) gl.deleteTexture(o); else if (o instanceof WebGLFramebuffer) gl.deleteFramebuffer(o); else gl.deleteRenderbuffer(o); } }
  const info = gl.getExtension("WEBGL_debug_renderer_info"), card = String(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
  return { gl, use, texture, depths, target, bind, unbind, compare, plain, targets, discard, card, software: /swiftshader|llvmpipe|software|basic render/i.test(card) };
}
