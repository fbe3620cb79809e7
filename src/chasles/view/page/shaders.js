// All shaders. Places are relative to the camera's target, colours linear until `shown`.
const COMMON = `#version 300 es
precision highp float; precision highp int;
uniform mat4 view, sunView, skyView; uniform vec3 eye, sun, up, skyTint, earthTint, sunTint; uniform float level, size, reach, soft, dark; uniform int taps;
uniform highp sampler2DShadow sunMap; uniform highp sampler2D sunDepth; uniform sampler2D veilMap;
vec3 shown(vec3 c) { // Khronos' neutral tone map, which keeps given colours, then sRGB
  float x = min(c.r, min(c.g, c.b)), offset = x < 0.08 ? x - 6.25 * x * x : 0.04; c -= offset;
  float peak = max(c.r, max(c.g, c.b)); const float start = 0.76, d = 0.24;
  if (peak > start) { float p = 1.0 - d * d / (peak + d - start); c *= p / peak; c = mix(vec3(p), c, 1.0 / (0.15 * (peak - p) + 1.0)); }
  c = max(c, 0.0); return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
vec2 spread(int k, int n, float turn) { float a = 2.399963 * float(k) + turn; return sqrt((float(k) + 0.5) / float(n)) * vec2(cos(a), sin(a)); }
/** How much of the sun is seen: wider shade further from what casts it. */
float lit(vec3 place, vec3 n, float turn) {
  vec3 s = (sunView * vec4(place + n * reach * 0.006, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float blocked = 0.0, count = 0.0, wide = 0.022; int few = taps / 2;
  vec3 t = mat3(sunView) * n; vec2 slope = clamp(-t.xy / (9.0 * min(t.z, -1e-6)), -4.0, 4.0); // of the surface itself, which must not shade itself
  for (int k = 0; k < few; ++k) { vec2 o = wide * spread(k, few, turn); float d = texture(sunDepth, s.xy + o).r; if (d < s.z + dot(o, slope) - 0.0012) { blocked += d; count += 1.0; } }
  if (count == 0.0) return 1.0;
  float blur = clamp(soft * (s.z - blocked / count), 0.0009, wide), sum = 0.0;
  for (int k = 0; k < taps; ++k) { vec2 o = blur * spread(k, taps, turn); sum += texture(sunMap, vec3(s.xy + o, s.z + dot(o, slope) - 0.0006)); }
  return sum / float(taps); }
/** What a bright room looks like in a direction: sky, horizon, floor, a large lamp and a strip. */
vec3 studio(vec3 d, float rough) {
  float h = dot(d, up); vec3 c = mix(earthTint, skyTint, smoothstep(-0.12 - rough, 0.25 + rough, h));
  c += sunTint * (1.6 - 1.1 * rough) * smoothstep(0.74 - 0.55 * rough, 0.93 + 0.05 * rough, dot(d, sun));
  vec3 side = normalize(cross(up, sun)); float strip = smoothstep(0.72 - 0.5 * rough, 0.9, dot(d, normalize(side + 0.35 * up)));
  c += skyTint * 0.55 * strip; c *= mix(1.0, 0.55 + 0.45 * smoothstep(-0.05, 0.08, abs(h)), 1.0 - rough); return c; }
`;
const BODY_VERTEX = `layout(location=0) in vec3 point; layout(location=1) in vec3 normal;
layout(location=2) in vec4 m0; layout(location=3) in vec4 m1; layout(location=4) in vec4 m2; layout(location=5) in vec4 m3;
layout(location=6) in vec4 paint; layout(location=7) in vec4 kind;
out vec3 place, facing, own; flat out vec4 inks, kinds;
void main() { mat4 m = mat4(m0, m1, m2, m3); vec4 w = m * vec4(point, 1.0); place = w.xyz; facing = mat3(m) * normal; own = point; inks = paint; kinds = kind; gl_Position = view * w; }`;
/** kinds: roughness, metal, number of the part + 1, glow */
const BODY_FRAGMENT = `in vec3 place, facing, own; flat in vec4 inks, kinds; out vec4 colour;
float sharp(float x) { float w = fwidth(x) + 1e-6; return clamp(x / w + 0.5, 0.0, 1.0); }
void main() {
  vec3 n = normalize(facing), to = normalize(eye - place); if (dot(n, to) < 0.0 && !gl_FrontFacing) n = -n;
  vec3 base = inks.rgb; int pattern = int(inks.a + 0.5); float rough = kinds.x, metal = kinds.y;
  if (pattern == 1) { float a = sharp(own.x), b = sharp(own.y), c = sharp(own.z); // octants, as on a crash-test mark
    float one = a * b + (1.0 - a) * (1.0 - b); one = one * c + (1.0 - one) * (1.0 - c); base = mix(base, mix(base, vec3(0.93), 0.82), one); }
  if (pattern >= 2) { float a = atan(own.y, own.x) * (pattern == 2 ? 2.0 : 4.0) / 3.14159265; float s = abs(fract(a * 0.5) - 0.5) - 0.25;
    float w = clamp(s / max(fwidth(s), 1e-5) + 0.5, 0.0, 1.0); if (fwidth(s) > 0.3) w = 0.5; vec3 other = dot(base, vec3(0.33)) > 0.45 ? base * 0.72 : base + (pattern == 2 ? 0.13 : 0.045);
    base = mix(base, other, w); }
  float turn = 6.2832 * noise(gl_FragCoord.xy), direct = max(dot(n, sun), 0.0); if (direct > 0.0) direct *= lit(place, n, turn);
  float high = dot(place, up) - level, above = dot(n, up);
  float earth = mix(1.0, 0.55 + 0.45 * smoothstep(0.0, 0.22 * size, high), 0.5 - 0.5 * above); // what the floor takes of the sky
  vec3 ambient = mix(earthTint, skyTint, 0.5 + 0.5 * above) * earth;
  vec3 f0 = mix(vec3(0.04), pow(base, vec3(0.62)), metal); float nv = max(dot(n, to), 1e-3), nl = max(dot(n, sun), 0.0); vec3 h = normalize(to + sun);
  float nh = max(dot(n, h), 0.0), a2 = rough * rough; a2 *= a2; float q = nh * nh * (a2 - 1.0) + 1.0, D = a2 / (3.14159265 * q * q);
  float k = (rough + 1.0) * (rough + 1.0) / 8.0, G = nl / (nl * (1.0 - k) + k) / (nv * (1.0 - k) + k) * 0.25;
  vec3 F = f0 + (1.0 - f0) * pow(1.0 - max(dot(h, to), 0.0), 5.0), Fv = f0 + (max(vec3(1.0 - rough), f0) - f0) * pow(1.0 - nv, 5.0);
  vec3 c = base * (1.0 - metal) * (ambient + sunTint * direct) + sunTint * min(D * G, 6.0) * F * direct * 3.0 + Fv * studio(reflect(-to, n), rough) * mix(0.75, 1.28, metal) * earth;
  c += f0 * metal * 0.2 * (ambient + sunTint * direct); c = mix(c, c + vec3(0.25, 0.5, 0.9) * (0.12 + 0.9 * pow(1.0 - nv, 2.0)), kinds.w);
  colour = vec4(shown(c), 1.0); }`;
/** The plainest level, for machines without a graphics card: one light, no shadow. */
const LITE_FRAGMENT = `in vec3 place, facing, own; flat in vec4 inks, kinds; out vec4 colour;
void main() { vec3 n = normalize(facing), base = inks.rgb; if (!gl_FrontFacing) n = -n; int pattern = int(inks.a + 0.5);
  if (pattern == 1) { vec3 s = step(0.0, own); float one = abs(abs(s.x - s.y) - s.z); base = mix(base, mix(base, vec3(0.93), 0.82), one); }
  if (pattern >= 2) { vec2 d = own.xy; if (pattern == 3) d = vec2(d.x * d.x - d.y * d.y, 2.0 * d.x * d.y); if (d.x * d.y < 0.0) base = dot(base, vec3(0.33)) > 0.45 ? base * 0.72 : base + (pattern == 2 ? 0.13 : 0.045); }
  float light = dot(n, sun), above = dot(n, up);
  vec3 c = base * (mix(earthTint, skyTint, 0.5 + 0.5 * above) + sunTint * max(light, 0.0)) + kinds.y * 0.25 * skyTint * (0.5 + 0.5 * above);
  c = mix(c, c + vec3(0.04, 0.09, 0.18), kinds.w); colour = vec4(sqrt(c * (1.0 - 0.16 * c)), 1.0); }`;
const INK_FRAGMENT = `in vec3 place, facing, own; flat in vec4 inks, kinds; uniform vec4 ink; out vec4 colour; void main() { colour = ink; }`;
const LINE_VERTEX = `layout(location=0) in vec4 point; out float strength; void main() { strength = point.w; gl_Position = view * vec4(point.xyz, 1.0); }`;
const LINE_FRAGMENT = `in float strength; uniform vec4 ink; out vec4 colour; void main() { float a = ink.a * strength; colour = vec4(ink.rgb * a, a); }`;
const DEPTH_FRAGMENT = `in vec3 place, facing, own; flat in vec4 inks, kinds; out vec4 colour;
void main() { float k = kinds.z; colour = vec4(mod(k, 256.0), floor(mod(k / 256.0, 256.0)), floor(k / 65536.0), 255.0) / 255.0; }`;
const SCREEN_VERTEX = `out vec2 at; void main() { at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; gl_Position = vec4(at, 0.0, 1.0); }`;
/** Sky, and the floor where a ray meets it: grid, shade of the sun, shade of the sky, fading out. */
const FLOOR_FRAGMENT = `in vec2 at; uniform vec3 right, top, ahead, paper, horizon, lineInk, zero; uniform vec2 field, shift; uniform float cell, floorOn, gridOn, far; uniform vec3 e1, e2, middle; out vec4 colour;
float lines(vec2 g, float thick) { vec2 w = max(fwidth(g), 1e-5), d = abs(fract(g - 0.5) - 0.5) / w; vec2 a = clamp(thick + 0.5 - d, 0.0, 1.0); a *= 1.0 - smoothstep(0.25, 0.6, w); return max(a.x, a.y); }
void main() {
  vec3 ray = normalize(ahead + (at.x - shift.x) * field.x * right + (at.y - shift.y) * field.y * top);
  float h = dot(ray, up); vec3 back = mix(horizon, paper, smoothstep(-0.5, 0.55, at.y * 0.5 + 0.12)); colour = vec4(back, 1.0); gl_FragDepth = 1.0;
  float t = (level - dot(eye, up)) / h; bool hit = floorOn > 0.5 && h < -1e-4 && t > 0.0; vec3 place = eye + ray * (hit ? t : 1.0), flat_ = place - middle;
  vec2 g = vec2(dot(flat_, e1), dot(flat_, e2)); float away = length(g) / reach, fade = 1.0 - smoothstep(1.1, 3.4, away);
  vec2 cells = vec2(dot(place - zero, e1), dot(place - zero, e2)) / cell; float fine = lines(cells, 0.55), coarse = lines(cells / 5.0, 0.75);
  if (!hit) return;
  vec3 c = mix(back, paper * mix(1.0, 1.12, dark), fade); float ink = max(0.42 * fine, 0.85 * coarse) * gridOn * (1.0 - smoothstep(0.7, 2.6, away));
  c = mix(c, lineInk, ink);
  if (away < 2.2) { float turn = 6.2832 * noise(gl_FragCoord.xy), shade = 1.0 - lit(place, up, turn);
    vec2 uv = (skyView * vec4(place, 1.0)).xy * 0.5 + 0.5; float sum = texture(veilMap, uv).r;
    float veil = 1.0 - smoothstep(1.4, 2.2, away);
    c *= mix(vec3(1.0), mix(vec3(0.60, 0.63, 0.69), vec3(0.42), dark), shade * veil * 0.8) * (1.0 - 0.80 * veil * sum * (1.0 - 0.3 * shade)); }
  vec4 clip = view * vec4(place, 1.0); gl_FragDepth = clamp(clip.z / clip.w * 0.5 + 0.5, 0.0, 1.0); colour = vec4(c, 1.0); }`;
const TRAIL_VERTEX = `layout(location=0) in vec3 p0; layout(location=1) in vec3 p1; layout(location=2) in vec3 p2; layout(location=3) in vec3 p3;
uniform vec2 screen; uniform float count, wide; out float age, side;
vec3 seen(vec3 p) { vec4 c = view * vec4(p, 1.0); return vec3(c.xy / c.w * screen, c.w); }
void main() { bool second = gl_VertexID > 1; float s = (gl_VertexID & 1) == 0 ? -1.0 : 1.0; vec3 here = second ? p2 : p1, a = seen(second ? p1 : p0), b = seen(here), c = seen(second ? p3 : p2);
  vec2 way = (c.xy - b.xy) + (b.xy - a.xy); float l = length(way); way = l > 1e-4 ? way / l : vec2(1.0, 0.0);
  age = (float(gl_InstanceID) + (second ? 1.0 : 0.0)) / count; side = s; vec4 q = view * vec4(here, 1.0);
  float w = wide * mix(0.35, 1.0, age); q.xy += s * (w + 0.7) * vec2(-way.y, way.x) / screen * q.w; gl_Position = q; }`;
const TRAIL_FRAGMENT = `in float age, side; uniform vec4 ink; out vec4 colour; void main() { float a = ink.a * age * age * (1.0 - smoothstep(0.55, 1.0, abs(side))); colour = vec4(ink.rgb * a, a); }`;
/** Shade of corners and contacts from the depths (McGuire 2012, scalable ambient obscurance). */
const SHADE_FRAGMENT = `in vec2 at; uniform highp sampler2D depths; uniform vec2 field, range, pixel, shift; uniform float radius, end; out vec4 colour;
float away(float d) { return range.x * range.y / (range.y - d * (range.y - range.x)); }
vec3 spot(vec2 uv) { uv = (floor(uv / pixel) + 0.5) * pixel; float z = away(texture(depths, uv).r); return vec3((uv * 2.0 - 1.0 - shift) * field * z, -z); }
void main() { vec2 uv = at * 0.5 + 0.5; float d = texture(depths, uv).r; if (d >= 1.0) { colour = vec4(1.0); return; }
  vec3 p = spot(uv), l = p - spot(uv - vec2(pixel.x, 0)), r = spot(uv + vec2(pixel.x, 0)) - p, b = p - spot(uv - vec2(0, pixel.y)), t = spot(uv + vec2(0, pixel.y)) - p;
  vec3 n = normalize(cross(abs(l.z) < abs(r.z) ? l : r, abs(b.z) < abs(t.z) ? b : t));
  float sum = 0.0, turn = 6.2832 * noise(gl_FragCoord.xy), disc = min(0.18, 0.5 * radius / (field.y * -p.z)), r2 = radius * radius; const int N = 14;
  for (int k = 0; k < N; ++k) { vec2 o = spread(k, N, turn) * disc; o.x *= field.y / field.x; vec3 v = spot(uv + o) - p; float vv = dot(v, v), vn = dot(v, n) - 0.012 * radius; float f = max(r2 - vv, 0.0) / r2; sum += f * f * f * max(vn / (sqrt(vv) * 0.6 * radius + vv + 1e-9) * radius, 0.0); }
  colour = vec4(vec3(max(0.0, 1.0 - 1.5 * sum / float(N) * (1.0 - smoothstep(0.8 * end, end, -p.z)))), 1.0); }`;
const FINISH_FRAGMENT = `in vec2 at; uniform sampler2D picture, shades; uniform highp sampler2D depths; uniform vec2 range, pixel, shadePixel; uniform float shadeOn, edgeOn, end; out vec4 colour;
float away(float d) { return range.x * range.y / (range.y - d * (range.y - range.x)); }
void main() { vec2 uv = at * 0.5 + 0.5; vec3 c = texture(picture, uv).rgb; float d = texture(depths, uv).r, z = away(d);
  if (shadeOn > 0.5 && d < 1.0) { float sum = 0.0, weight = 0.0;
    for (int j = -3; j <= 2; ++j) for (int i = -3; i <= 2; ++i) { vec2 q = uv + (vec2(i, j) + 0.5) * shadePixel; float w = 1.0 / (0.002 + abs(away(texture(depths, q).r) - z) / z); sum += w * texture(shades, q).r; weight += w; }
    c *= mix(1.0, pow(sum / weight, 0.9), 0.9); }
  if (edgeOn > 0.5) { float e = 0.0; for (int k = 0; k < 4; ++k) { vec2 o = pixel * vec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0); e = max(e, away(texture(depths, uv + o).r) - z); }
    if (d < 1.0) c *= 1.0 - 0.34 * smoothstep(0.006, 0.022, e / z) * (1.0 - smoothstep(0.8 * end, end, z)); }
  c += (noise(gl_FragCoord.xy) - 0.5) / 255.0; colour = vec4(c, 1.0); }`;
/** What hangs over the floor, near things more, then blurred: first across (from depths), then along. */
const VEIL_FRAGMENT = `in vec2 at; uniform highp sampler2D depths; uniform sampler2D picture; uniform vec2 pixel; uniform float first, far, ground; out vec4 colour;
float over(vec2 uv) { if (first < 0.5) return texture(picture, uv).r; float d = texture(depths, uv).r, h = (ground - d) * far / size; return d < 1.0 && h > 0.0 ? 1.0 / (1.0 + 9.0 * h * h) : 0.0; }
void main() { vec2 uv = at * 0.5 + 0.5; float sum = 0.0, weight = 0.0; for (int k = -18; k <= 18; ++k) { float x = float(k) / 8.0, w = exp(-0.5 * x * x) + 0.25 * exp(-8.0 * x * x); sum += w * over(uv + float(k) * pixel); weight += w; } colour = vec4(sum / weight); }`;
