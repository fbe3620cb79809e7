// Solids: by WebGL 2, or triangle by triangle on a plain canvas where there is none.

const surface = document.getElementById("solids");
const solids = head.solids.map(s => ({ points: array(s.points), normals: array(s.normals), faces: array(s.faces), edges: array(s.edges) }));
const parts = groups.flatMap(g => g.parts.map(p => ({ ...p, group: g, matrix: new Float32Array(p.matrix), world: new Float32Array(16) })));
const LIGHT = [-0.35, 0.6, 0.72], AMBIENT = 0.58, DIFFUSE = 0.5, WRAP = 0.4;
const rgb = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16) / 255);
parts.forEach(p => { p.paint = rgb(p.colour); });
for (const s of solids) { s.reach = 0; for (let k = 0; k < s.points.length; k += 3) s.reach = Math.max(s.reach, Math.hypot(s.points[k], s.points[k + 1], s.points[k + 2])); }
/** How dark the edges of a part are: they would cover one of a few pixels. */
const edgeInk = p => Math.min(0.8, Math.max(0, (solids[p.solid].reach / camera.metre - 5) / 25));

const VERTEX = `#version 300 es
in vec3 point; in vec3 normal; uniform mat4 view, world; uniform vec3 eye; uniform float nearer; out vec3 facing;
void main() { facing = mat3(world) * normal; vec3 place = (world * vec4(point, 1.0)).xyz;
 gl_Position = view * vec4(place + nearer * normalize(eye - place), 1.0); }`;
const FRAGMENT = `#version 300 es
precision mediump float; in vec3 facing; uniform vec4 paint; uniform vec3 light; uniform float lit; out vec4 colour;
void main() { vec3 n = normalize(facing + vec3(1e-6)); if (!gl_FrontFacing) n = -n;
 float shade = mix(1.0, ${AMBIENT} + ${DIFFUSE} * max((dot(n, light) + ${WRAP}) / ${1 + WRAP}, 0.0), lit); colour = vec4(min(paint.rgb * shade, 1.0) * paint.a, paint.a); }`;

function lightDirection() {
  return unit(along(along(camera.right.map(c => c * LIGHT[0]), LIGHT[1], camera.top), LIGHT[2], camera.back));
}

function placeParts(show) {
  for (const p of parts) {
    p.seen = show[p.role] !== false;
    if (p.seen) product(matrixOf(p.group, p.body), p.matrix, p.world);
  }
}

function makeGl() {
  if (location.hash === "#canvas") return null;
  const gl = surface.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "point"); gl.bindAttribLocation(program, 1, "normal");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const at = Object.fromEntries(["view", "world", "paint", "light", "lit", "nearer", "eye"].map(n => [n, gl.getUniformLocation(program, n)]));
  const upload = (target, values) => { const b = gl.createBuffer(); gl.bindBuffer(target, b); gl.bufferData(target, values, gl.STATIC_DRAW); return b; };
  const attributes = (points, normals) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, points); gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    if (!normals) { gl.disableVertexAttribArray(1); gl.vertexAttrib3f(1, 0, 0, 1); return; }
    gl.bindBuffer(gl.ARRAY_BUFFER, normals); gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
  };
  const kind = indices => indices instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
  for (const s of solids) {
    s.points_ = upload(gl.ARRAY_BUFFER, s.points); s.normals_ = upload(gl.ARRAY_BUFFER, s.normals);
    s.faces_ = upload(gl.ELEMENT_ARRAY_BUFFER, s.faces); s.edges_ = upload(gl.ELEMENT_ARRAY_BUFFER, s.edges);
  }
  const floor = array("floor"), floor_ = upload(gl.ARRAY_BUFFER, floor), still = translation([0, 0, 0]);
  gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  return show => {
    gl.viewport(0, 0, surface.width, surface.height);
    gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(at.view, false, camera.view); gl.uniform3fv(at.light, lightDirection()); gl.uniform3fv(at.eye, camera.eye);
    if (show.floor) {
      attributes(floor_, null); gl.uniformMatrix4fv(at.world, false, still); gl.uniform1f(at.lit, 0); gl.uniform1f(at.nearer, 0);
      gl.uniform4f(at.paint, ...rgb(colourOf("--axis")), 0.45); gl.drawArrays(gl.LINES, 0, floor.length / 3);
    }
    for (const p of parts) {
      if (!p.seen) continue;
      const s = solids[p.solid];
      attributes(s.points_, s.normals_); gl.uniformMatrix4fv(at.world, false, p.world);
      gl.uniform1f(at.lit, 1); gl.uniform1f(at.nearer, 0); gl.uniform4f(at.paint, ...p.paint, 1);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.faces_); gl.drawElements(gl.TRIANGLES, s.faces.length, kind(s.faces), 0);
      const ink = edgeInk(p);
      if (!s.edges.length || ink === 0) continue;
      gl.uniform1f(at.lit, 0); gl.uniform1f(at.nearer, 2 * camera.metre); gl.uniform4f(at.paint, 0.08, 0.09, 0.12, ink);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.edges_); gl.drawElements(gl.LINES, s.edges.length, kind(s.edges), 0);
    }
  };
}

/** Triangles from back to front: slower, and wrong where bodies cross, but it needs no graphics card. */
function makePainter() {
  const pen = surface.getContext("2d");
  return show => {
    const scale = surface.width / camera.width, light = lightDirection(), drawn = [];
    pen.setTransform(scale, 0, 0, scale, 0, 0); pen.clearRect(0, 0, camera.width, camera.height);
    if (show.floor) {
      const floor = array("floor"); pen.strokeStyle = colourOf("--grid"); pen.lineWidth = 1; pen.beginPath();
      for (let k = 0; k < floor.length; k += 6) {
        const a = project(floor.subarray(k, k + 3)), b = project(floor.subarray(k + 3, k + 6));
        pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]);
      }
      pen.stroke();
    }
    for (const p of parts) {
      if (!p.seen) continue;
      const s = solids[p.solid], points = [];
      for (let k = 0; k < s.points.length; k += 3) points.push(moved(p.world, s.points.subarray(k, k + 3)));
      const flat = points.map(project);
      for (let k = 0; k < s.faces.length; k += 3) {
        const [a, b, c] = [s.faces[k], s.faces[k + 1], s.faces[k + 2]];
        const area = (flat[b][0] - flat[a][0]) * (flat[c][1] - flat[a][1]) - (flat[b][1] - flat[a][1]) * (flat[c][0] - flat[a][0]);
        if (area >= 0) continue;
        const n = unit(cross(along(points[b], -1, points[a]), along(points[c], -1, points[a])));
        const shade = AMBIENT + DIFFUSE * Math.max(0, (dot(n, light) + WRAP) / (1 + WRAP));
        const fill = `rgb(${p.paint.map(v => Math.min(255, Math.round(255 * v * shade))).join()})`;
        drawn.push([flat[a][2] + flat[b][2] + flat[c][2], fill, flat[a], flat[b], flat[c]]);
      }
    }
    drawn.sort((a, b) => b[0] - a[0]);
    pen.lineWidth = 0.7; pen.lineJoin = "round";
    for (const [, fill, a, b, c] of drawn) {
      pen.fillStyle = pen.strokeStyle = fill; pen.beginPath();
      pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.lineTo(c[0], c[1]); pen.closePath(); pen.fill(); pen.stroke();
    }
  };
}

const withGl = makeGl();
const drawSolids = withGl || makePainter();
