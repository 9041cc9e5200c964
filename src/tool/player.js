// Plays recorded runs of Verve: decodes the frames of this page, draws them with WebGL2, and the ledgers beside them.
// The format of the frames is described in src/tool/player_parts.c.
'use strict';

const film = JSON.parse(document.getElementById('film').textContent);

// ---- frames ---------------------------------------------------------------------------------------------------------

function bytesOf(text) {
  const clean = text.trim(), bytes = new Uint8Array(Math.floor(clean.length / 4) * 3);
  let count = 0;
  for (let i = 0; i < clean.length; i += 1 << 16) { // a multiple of 4
    const piece = atob(clean.slice(i, i + (1 << 16)));
    for (let k = 0; k < piece.length; ++k) bytes[count++] = piece.charCodeAt(k);
  }
  return bytes.subarray(0, count);
}

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  byte() { return this.bytes[this.at++]; }
  count() {
    let value = 0, scale = 1, byte;
    do { byte = this.bytes[this.at++]; value += (byte & 127) * scale; scale *= 128; } while (byte & 128);
    return value;
  }
  signed() { const value = this.count(); return value & 1 ? -((value - 1) / 2) - 1 : value / 2; }
}

// one frame of one part: { mesh, q (coordinates in steps), field }
function readMesh(reader) {
  const n = reader.count(), triangles = reader.count(), lines = reader.count();
  const mesh = { n, triangle: new Uint32Array(3 * triangles), line: new Uint32Array(2 * lines) };
  let last = 0;
  for (let i = 0; i < 3 * triangles; ++i) mesh.triangle[i] = last += reader.signed();
  for (let i = 0; i < 2 * lines; ++i) mesh.line[i] = last += reader.signed();
  const q = new Uint16Array(3 * n);
  for (let i = 0; i < 3 * n; ++i) q[i] = reader.signed() + (i >= 3 ? q[i - 3] : 0);
  return { mesh, q, age: 1 };
}

function readPart(reader, part, frames) {
  const kind = reader.byte(), one = frames[frames.length - 1];
  let frame;
  if (kind === 2) frame = readMesh(reader);
  else if (kind === 0) frame = { mesh: one.mesh, q: one.q, age: one.age + 1 };
  else {
    const a = one.q, b = one.age < 2 ? a : frames[frames.length - 2].q, q = new Uint16Array(a.length);
    for (let i = 0; i < q.length; ++i) q[i] = 2 * a[i] - b[i] + reader.signed();
    frame = { mesh: one.mesh, q, age: one.age + 1 };
  }
  if (film.colouring !== 'plain' && part.field) {
    frame.field = reader.bytes.subarray(reader.at, reader.at + frame.mesh.n);
    reader.at += frame.mesh.n;
  }
  frames.push(frame);
}

const reader = new Reader(bytesOf(document.getElementById('frames').textContent));
document.getElementById('frames').remove();
let decoded = 0;
for (const run of film.runs) for (const part of run.parts) part.frames = [];

function decodeSome(milliseconds) {
  const end = performance.now() + milliseconds;
  while (decoded < film.frames && performance.now() < end) {
    for (const run of film.runs) for (const part of run.parts) readPart(reader, part, part.frames);
    ++decoded;
  }
}

// ---- vectors and matrices, by columns -------------------------------------------------------------------------------

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => scale(1 / (Math.hypot(...a) || 1), a);

function multiply(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; ++i) for (let j = 0; j < 4; ++j)
    c[4 * i + j] = a[j] * b[4 * i] + a[4 + j] * b[4 * i + 1] + a[8 + j] * b[4 * i + 2] + a[12 + j] * b[4 * i + 3];
  return c;
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

function perspective(degrees, shape, near, far) {
  const f = 1 / Math.tan(degrees * Math.PI / 360);
  return new Float32Array([f / shape, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
    0, 0, 2 * far * near / (near - far), 0]);
}

const orthographic = (r, near, far) =>
  new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);

// ---- surfaces -------------------------------------------------------------------------------------------------------

// Corners share a normal where the surface is smooth at rest: `group` numbers them, `of` says which vertex each one is.
function smoothGroups(mesh, rest) {
  const corners = mesh.triangle.length, parent = new Int32Array(corners), normal = [];
  const find = i => { while (parent[i] !== i) i = parent[i] = parent[parent[i]]; return i; };
  for (let i = 0; i < corners; ++i) parent[i] = i;
  const point = v => [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
  for (let t = 0; t < corners; t += 3) {
    const [a, b, c] = [0, 1, 2].map(k => point(mesh.triangle[t + k]));
    normal.push(unit(cross(sub(b, a), sub(c, a))));
  }
  const edges = new Map();
  for (let t = 0; t < corners; t += 3) for (let k = 0; k < 3; ++k) {
    const i = t + k, j = t + (k + 1) % 3, a = mesh.triangle[i], b = mesh.triangle[j];
    const key = a < b ? a * mesh.n + b : b * mesh.n + a, other = edges.get(key);
    if (other === undefined) { edges.set(key, [i, j]); continue; }
    if (dot(normal[t / 3], normal[Math.floor(other[0] / 3)]) < 0.75) continue; // sharp beyond 41 degrees
    const same = mesh.triangle[other[0]] === a;
    parent[find(i)] = find(same ? other[0] : other[1]);
    parent[find(j)] = find(same ? other[1] : other[0]);
  }
  const number = new Map(), of = [], index = new Uint32Array(corners);
  for (let i = 0; i < corners; ++i) {
    const root = find(i);
    if (!number.has(root)) { number.set(root, of.length); of.push(mesh.triangle[i]); }
    index[i] = number.get(root);
  }
  return { index, of: Uint32Array.from(of) };
}

function meshOf(part, frame) {
  const mesh = frame.mesh;
  if (mesh.smooth) return mesh.smooth;
  if (part.solid && mesh.triangle.length) {
    const rest = part.rest && part.rest.length === 3 * mesh.n ? part.rest : frame.q;
    mesh.smooth = smoothGroups(mesh, rest);
  } else {
    const of = new Uint32Array(mesh.n);
    for (let i = 0; i < mesh.n; ++i) of[i] = i;
    mesh.smooth = { index: mesh.triangle, of };
  }
  return mesh.smooth;
}

// positions between two frames, m
function positions(part, at, share) {
  const a = part.frames[at], b = part.frames[Math.min(at + 1, part.frames.length - 1)];
  const p = new Float32Array(a.q.length), s = b.mesh === a.mesh ? share : 0;
  for (let i = 0; i < p.length; ++i)
    p[i] = part.low[i % 3] + part.step * (s ? (1 - s) * a.q[i] + s * b.q[i] : a.q[i]);
  return p;
}

function normalsOf(p, index, of) {
  const n = new Float32Array(3 * of.length);
  for (let t = 0; t < index.length; t += 3) {
    const [i, j, k] = [index[t], index[t + 1], index[t + 2]], [a, b, c] = [3 * of[i], 3 * of[j], 3 * of[k]];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    for (const m of [i, j, k]) { n[3 * m] += x; n[3 * m + 1] += y; n[3 * m + 2] += z; }
  }
  return n;
}

// ropes as tubes of six sides
function tubes(p, line, radius) {
  const sides = 6, count = line.length / 2, q = new Float32Array(6 * sides * count), n = new Float32Array(6 * sides * count);
  const index = new Uint32Array(6 * sides * count);
  for (let e = 0; e < count; ++e) {
    const a = [0, 1, 2].map(k => p[3 * line[2 * e] + k]), b = [0, 1, 2].map(k => p[3 * line[2 * e + 1] + k]);
    const d = unit(sub(b, a)), u = unit(cross(d, Math.abs(d[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0])), v = cross(d, u);
    for (let s = 0; s < sides; ++s) {
      const angle = 2 * Math.PI * s / sides, o = add(scale(Math.cos(angle), u), scale(Math.sin(angle), v));
      const first = 2 * sides * e + 2 * s, next = 2 * sides * e + 2 * ((s + 1) % sides);
      q.set(add(a, scale(radius, o)), 3 * first); q.set(add(b, scale(radius, o)), 3 * first + 3);
      n.set(o, 3 * first); n.set(o, 3 * first + 3);
      index.set([first, next, first + 1, first + 1, next, next + 1], 6 * (sides * e + s));
    }
  }
  return { q, n, index };
}

// ---- drawing --------------------------------------------------------------------------------------------------------

const shade = `
  uniform highp sampler2DShadow shadow; uniform mat4 toLight; uniform vec3 light, eye; uniform float texel;
  float lit(vec3 p, vec3 n) {
    vec4 s = toLight * vec4(p + n * texel * 2.0, 1.0);
    vec3 c = s.xyz * 0.5 + 0.5;
    if (c.x < 0.0 || c.x > 1.0 || c.y < 0.0 || c.y > 1.0) return 1.0;
    float sum = 0.0;
    for (int i = -1; i <= 1; ++i) for (int j = -1; j <= 1; ++j)
      sum += texture(shadow, vec3(c.xy + vec2(i, j) / 1024.0, c.z - 0.002));
    return sum / 9.0;
  }
  vec3 shaded(vec3 base, vec3 p, vec3 n, float gloss) {
    vec3 view = normalize(eye - p), h = normalize(view + light);
    float sun = max(dot(n, light), 0.0) * lit(p, n), sky = 0.5 + 0.5 * n.y;
    vec3 linear = base * (1.9 * sun * vec3(1.0, 0.97, 0.92) + mix(vec3(0.30, 0.28, 0.27), vec3(0.62, 0.68, 0.75), sky));
    linear += gloss * pow(max(dot(n, h), 0.0), 48.0) * step(0.001, sun) * 0.35;
    linear += gloss * 0.12 * pow(1.0 - max(dot(n, view), 0.0), 4.0);
    return pow(clamp(linear * 0.62, 0.0, 1.0), vec3(1.0 / 2.2));
  }`;

const sources = {
  surface: [`#version 300 es
    layout(location = 0) in vec3 place; layout(location = 1) in vec3 normal; layout(location = 2) in float field;
    uniform mat4 view; out vec3 p, n; out float f;
    void main() { p = place; n = normal; f = field; gl_Position = view * vec4(place, 1.0); }`,
  `#version 300 es
    precision highp float; in vec3 p, n; in float f; out vec4 colour;
    uniform vec3 front, back; uniform float gloss, opacity, mapped; uniform sampler2D map; ${shade}
    void main() {
      bool seen = gl_FrontFacing; vec3 m = normalize(n) * (seen ? 1.0 : -1.0);
      vec3 base = mapped > 0.5 ? pow(texture(map, vec2(f * 0.984 + 0.008, 0.5)).rgb, vec3(2.2)) : (seen ? front : back);
      colour = vec4(shaded(base, p, m, gloss), opacity);
    }`],
  depth: [`#version 300 es
    layout(location = 0) in vec3 place; uniform mat4 view; void main() { gl_Position = view * vec4(place, 1.0); }`,
  `#version 300 es
    precision mediump float; void main() {}`],
  ball: [`#version 300 es
    layout(location = 0) in vec3 place; uniform mat4 view; uniform float size; uniform float least; out vec3 p;
    void main() { p = place; gl_Position = view * vec4(place, 1.0);
      gl_PointSize = max(size / gl_Position.w, least); }`,
  `#version 300 es
    precision highp float; in vec3 p; out vec4 colour; uniform vec3 front, right, up; uniform float gloss; ${shade}
    void main() {
      vec2 c = vec2(2.0, -2.0) * (gl_PointCoord - 0.5); float r = dot(c, c);
      if (r > 1.0) discard;
      vec3 n = c.x * right + c.y * up + sqrt(1.0 - r) * cross(right, up);
      colour = vec4(shaded(front, p, n, gloss), 1.0);
    }`],
  ground: [`#version 300 es
    layout(location = 0) in vec3 place; uniform mat4 view; out vec3 p;
    void main() { p = place; gl_Position = view * vec4(place, 1.0); }`,
  `#version 300 es
    precision highp float; in vec3 p; out vec4 colour; uniform vec3 paper, centre; uniform float size, spacing, dark; ${shade}
    void main() {
      float away = length(p.xz - centre.xz) / size, fade = 1.0 - smoothstep(0.35, 1.0, away);
      vec2 g = abs(fract(p.xz / spacing - 0.5) - 0.5) / fwidth(p.xz / spacing);
      float line = (1.0 - min(min(g.x, g.y), 1.0)) * 0.10;
      float s = (1.0 - lit(p, vec3(0.0, 1.0, 0.0))) * 0.34 + line;
      colour = vec4(dark > 0.5 && s < 0.11 ? vec3(1.0) : vec3(0.0), s * fade * (dark > 0.5 ? 0.9 : 1.0));
    }`],
};

const linear = hex => [1, 3, 5].map(i => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2);

class Renderer {
  constructor(canvas) {
    const gl = this.gl = canvas.getContext('webgl2', { antialias: true, alpha: false });
    if (!gl) throw new Error('no WebGL2');
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(sources)) this.programs[name] = this.compile(vertex, fragment);
    this.depth = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 1024, 1024);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    this.frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    const texels = new Uint8Array(64 * 4);
    for (let i = 0; i < 64; ++i) {
      for (let k = 0; k < 3; ++k) texels[4 * i + k] = parseInt(film.map.substr(6 * i + 2 * k, 2), 16);
      texels[4 * i + 3] = 255;
    }
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.LINEAR);
    this.arrays = [0, 1, 2].map(() => gl.createBuffer());
    this.index = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
  }
  compile(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
      const name = gl.getActiveUniform(program, i).name;
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }
  use(name, values) {
    const gl = this.gl, { program, at } = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      if (!(key in at)) continue;
      if (value.length === 16) gl.uniformMatrix4fv(at[key], false, value);
      else if (value.length === 3) gl.uniform3fv(at[key], value);
      else if (key === 'shadow' || key === 'map') gl.uniform1i(at[key], value);
      else gl.uniform1f(at[key], value);
    }
  }
  load(slot, data, size) {
    const gl = this.gl;
    if (!data) { gl.disableVertexAttribArray(slot); gl.vertexAttrib1f(slot, 0); return; }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.arrays[slot]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    gl.enableVertexAttribArray(slot);
    gl.vertexAttribPointer(slot, size, data instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.FLOAT, data instanceof Uint8Array, 0, 0);
  }
  draw(item, depthOnly) {
    const gl = this.gl;
    this.load(0, item.place, 3);
    this.load(1, depthOnly ? null : item.normal, 3);
    this.load(2, depthOnly ? null : item.field, 1);
    if (!item.index) { gl.drawArrays(gl.POINTS, 0, item.place.length / 3); return; }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, item.index, gl.STREAM_DRAW);
    gl.drawElements(gl.TRIANGLES, item.index.length, gl.UNSIGNED_INT, 0);
  }
}

// what a run shows at a moment
function itemsOf(run, at, share) {
  const items = [], pins = [];
  for (const part of run.parts) {
    const frame = part.frames[at];
    if (!frame || frame.mesh.n === 0) continue;
    const p = positions(part, at, share), base = linear(part.colour);
    const look = { front: base, back: part.solid ? base : base.map(c => 0.55 * c + 0.12), glass: part.glass,
      gloss: part.solid ? 0.8 : 0.15 };
    if (part.kind === 'points') items.push({ ...look, place: p, ball: part.radius });
    else if (part.kind === 'rope') {
      const tube = tubes(p, frame.mesh.line, 0.007 * film.size);
      items.push({ ...look, place: tube.q, normal: tube.n, index: tube.index });
    } else {
      const { index, of } = meshOf(part, frame), place = new Float32Array(3 * of.length);
      for (let i = 0; i < of.length; ++i) for (let k = 0; k < 3; ++k) place[3 * i + k] = p[3 * of[i] + k];
      const item = { ...look, place, normal: normalsOf(p, index, of), index };
      if (frame.field) item.field = Uint8Array.from(of, v => frame.field[v]);
      items.push(item);
    }
    for (const v of part.pins || []) pins.push(p[3 * v], p[3 * v + 1], p[3 * v + 2]);
  }
  if (pins.length) items.push({ front: [0.03, 0.04, 0.05], gloss: 0.4, place: Float32Array.from(pins), pin: true });
  return items;
}

function middleOf(items) {
  const sum = [0, 0, 0];
  let count = 0;
  for (const item of items) for (let i = 0; i < item.place.length; i += 3, ++count)
    for (let k = 0; k < 3; ++k) sum[k] += item.place[i + k];
  return scale(1 / Math.max(count, 1), sum);
}

// ---- the camera: turns about its target, the same for all runs ------------------------------------------------------

const camera = {};
function resetCamera() {
  const away = sub(film.camera.eye, film.camera.target);
  camera.target = [...film.camera.target];
  camera.distance = Math.hypot(...away);
  camera.turn = Math.atan2(away[0], away[2]);
  camera.lift = Math.asin(away[1] / camera.distance);
}
resetCamera();

const direction = () =>
  [Math.cos(camera.lift) * Math.sin(camera.turn), Math.sin(camera.lift), Math.cos(camera.lift) * Math.cos(camera.turn)];

// ---- the page -------------------------------------------------------------------------------------------------------

const make = (tag, values = {}, ...inside) => {
  const node = Object.assign(document.createElement(tag), values);
  node.append(...inside);
  return node;
};
const canvas = make('canvas', { tabIndex: 0 });
canvas.setAttribute('role', 'img');
canvas.setAttribute('aria-label', `${film.runs.map(r => r.label).join(' beside ')}: drag to turn, wheel to come nearer`);
const stage = make('div', { id: 'stage' }, canvas);
const play = make('button', { id: 'play', type: 'button', textContent: 'Play' });
const seek = make('input', { type: 'range', min: 0, max: film.frames - 1, step: 0.01, value: 0 });
seek.setAttribute('aria-label', 'time');
const speed = make('select');
speed.setAttribute('aria-label', 'speed');
for (const s of [0.1, 0.25, 0.5, 1, 2, 4]) speed.append(make('option', { value: s, textContent: `${s}×`, selected: s === 1 }));
const reset = make('button', { type: 'button', textContent: 'Reset view' });
const clock = make('output', { id: 'clock' });
const curves = make('canvas');
curves.setAttribute('role', 'img');
const figure = make('figure', { id: 'curves' }, curves);
const seconds = film.timestep * film.every;
document.body.append(
  make('header', {}, make('h1', { textContent: film.runs[0].name }),
    make('span', { textContent: `recorded by Verve ${film.verve}` })),
  stage, make('div', { id: 'bar' }, play, seek, clock, speed, reset));
if (film.runs.some(run => run.ledger)) document.body.append(figure);
const labels = film.runs.map((run, i) => {
  const time = make('span'), label = make('div', { className: 'label' }, make('b', { textContent: run.label }), time);
  label.style.left = `${100 * i / film.runs.length}%`;
  label.style.width = `${100 / film.runs.length}%`;
  stage.append(label);
  return time;
});

let renderer = null;
try { renderer = new Renderer(canvas); } catch (error) {
  stage.append(make('div', { className: 'message', textContent:
    'This browser has no WebGL2, which the picture needs. The curves below work without it.' }));
  console.error(error);
}

// ---- a picture ------------------------------------------------------------------------------------------------------

const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;

function fit(node) {
  const ratio = Math.min(devicePixelRatio || 1, 2), box = node.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (node.width !== width || node.height !== height) { node.width = width; node.height = height; }
  return ratio;
}

function drawRun(run, at, share, x, width) {
  const gl = renderer.gl, items = itemsOf(run, at, share), up = [0, 1, 0];
  const shift = film.camera.follow ? middleOf(items.filter(i => !i.pin)) : [0, 0, 0];
  const target = add(camera.target, shift), eye = add(target, scale(camera.distance, direction()));
  const light = unit([0.45, 1, 0.35]), reach = 1.4 * film.size + 0.2 * camera.distance;
  const toLight = multiply(orthographic(reach, 0.1, 6 * reach), lookAt(add(target, scale(3 * reach, light)), target, [0, 0, 1]));
  gl.bindFramebuffer(gl.FRAMEBUFFER, renderer.frame);
  gl.viewport(0, 0, 1024, 1024);
  gl.disable(gl.SCISSOR_TEST);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  renderer.use('depth', { view: toLight });
  for (const item of items) if (item.index && !item.glass) renderer.draw(item, true);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  // a panel that is narrower than the camera was made for sees as much from side to side
  const height = canvas.height, narrow = Math.max(1, film.camera.shape * height / width);
  const fov = 2 * Math.atan(narrow * Math.tan(film.camera.fieldOfView * Math.PI / 360)) * 180 / Math.PI;
  gl.viewport(x, 0, width, height);
  const near = Math.max(0.02 * camera.distance, 1e-4), far = 60 * (camera.distance + film.size);
  const look = lookAt(eye, target, up), view = multiply(perspective(fov, width / height, near, far), look);
  const shared = { view, toLight, light, eye, texel: reach / 512, shadow: 0, map: 1 };
  gl.activeTexture(gl.TEXTURE0); gl.bindTexture(gl.TEXTURE_2D, renderer.depth);
  gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, renderer.map);
  const perRadius = height / Math.tan(fov * Math.PI / 360);
  for (const item of items) {
    if (item.glass) continue;
    if (item.index) renderer.use('surface', { ...shared, ...pick(item), opacity: 1, mapped: item.field ? 1 : 0 });
    else renderer.use('ball', { ...shared, ...pick(item), size: item.pin ? 0 : item.ball * perRadius,
      least: item.pin ? Math.max(7, 0.018 * Math.min(width, height)) : 1.5,
      right: [look[0], look[4], look[8]], up: [look[1], look[5], look[9]] });
    renderer.draw(item, false);
  }
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  if (run.ground !== undefined) {
    const r = 6 * reach, [a, , c] = target, y = run.ground;
    renderer.use('ground', { ...shared, paper: [1, 1, 1], centre: target, size: r, dark: dark() ? 1 : 0,
      spacing: 10 ** Math.round(Math.log10(film.size / 4)) });
    renderer.draw({ place: Float32Array.from([a - r, y, c - r, a - r, y, c + r, a + r, y, c + r, a + r, y, c - r]),
      index: Uint32Array.from([0, 1, 2, 0, 2, 3]) }, true);
  }
  for (const item of items) if (item.glass) {
    renderer.use('surface', { ...shared, ...pick(item), opacity: 0.22, mapped: 0 });
    renderer.draw(item, false);
  }
  gl.depthMask(true);
  gl.disable(gl.BLEND);
}
const pick = item => ({ front: item.front, back: item.back || item.front, gloss: item.gloss });

function drawStage(at, share) {
  if (!renderer) return;
  fit(canvas);
  const gl = renderer.gl, paper = dark() ? [0.078, 0.094, 0.11] : [0.984, 0.984, 0.98];
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(...paper, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const n = film.runs.length;
  film.runs.forEach((run, i) => {
    const x = Math.round(canvas.width * i / n);
    drawRun(run, at, share, x, Math.round(canvas.width * (i + 1) / n) - x);
  });
}

// ---- curves ---------------------------------------------------------------------------------------------------------

const palette = ['#e4572e', '#1f9e9a', '#f0a830', '#5b5ea6', '#7fb541', '#c8497f', '#3d8bd9', '#8a6b4f'];

function seriesOf() {
  const runs = film.runs.filter(run => run.ledger);
  if (runs.length === 0) return [];
  if (runs.length === 1) {
    const ledger = runs[0].ledger, names = ['kinetic', 'elastic', 'gravity', 'contact'];
    return [['target', '#a9b1b8'], ...names.map((name, i) => [name, palette[i + 1]]), ['total', '']]
      .filter(([name]) => ledger[name].some(v => v))
      .map(([name, colour]) => ({ name, colour, x: ledger.time, y: ledger[name] }));
  }
  return [{ name: 'physics', colour: '#a9b1b8', x: runs[0].ledger.time, y: runs[0].ledger.target },
    ...runs.map((run, i) => ({ name: run.label, colour: palette[i % 8], x: run.ledger.time, y: run.ledger.total }))];
}
const series = seriesOf();

function ticks(low, high, most) {
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw), list = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) list.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return list;
}
const brief = v => Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(1) : String(+v.toPrecision(4));

function range(key) {
  let low = Infinity, high = -Infinity;
  for (const s of series) for (const v of s[key]) if (v !== null && isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(high > low)) { low -= 1; high += 1; }
  return [low, high];
}
const spanX = series.length ? range('x') : [0, 1], spanY = series.length ? range('y') : [0, 1];

function drawCurves(time) {
  if (!series.length) return;
  const ratio = fit(curves), c = curves.getContext('2d'), style = getComputedStyle(document.body);
  const ink = style.getPropertyValue('--ink'), soft = style.getPropertyValue('--soft'), rule = style.getPropertyValue('--line');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const width = curves.width / ratio, height = curves.height / ratio, left = 62, right = width - 12, top = 28, bottom = height - 26;
  c.clearRect(0, 0, width, height);
  c.font = '12px system-ui, sans-serif';
  const pad = 0.06 * (spanY[1] - spanY[0]), low = spanY[0] - pad, high = spanY[1] + pad;
  const X = t => left + (right - left) * (t - spanX[0]) / (spanX[1] - spanX[0]);
  const Y = v => bottom - (bottom - top) * (v - low) / (high - low);
  c.strokeStyle = rule; c.fillStyle = soft; c.lineWidth = 1;
  c.textAlign = 'right';
  for (const t of ticks(low, high, 4)) {
    c.beginPath(); c.moveTo(left, Y(t)); c.lineTo(right, Y(t)); c.stroke();
    c.fillText(brief(t), left - 6, Y(t) + 4);
  }
  c.textAlign = 'center';
  for (const t of ticks(...spanX, Math.max(2, width / 110))) if (X(t) < right - 64) c.fillText(brief(t), X(t), bottom + 16);
  c.textAlign = 'right'; c.fillText('time / s', right, bottom + 16);
  c.textAlign = 'left';
  let x = left;
  c.fillStyle = ink; c.fillText('energy / J', 6, 16); x += 20;
  for (const s of series) {
    const colour = s.colour || ink;
    c.fillStyle = colour; c.fillRect(x, 11, 14, 3);
    c.fillStyle = ink; c.fillText(s.name, x + 19, 16); x += 34 + c.measureText(s.name).width;
    c.strokeStyle = colour; c.lineWidth = s.name === 'total' ? 2 : 1.6;
    c.beginPath();
    let pen = false;
    s.y.forEach((v, i) => {
      if (v === null) { pen = false; return; }
      c[pen ? 'lineTo' : 'moveTo'](X(s.x[i]), Y(v)); pen = true;
    });
    c.stroke();
  }
  c.strokeStyle = soft; c.lineWidth = 1;
  c.beginPath(); c.moveTo(X(time), top); c.lineTo(X(time), bottom); c.stroke();
  for (const s of series) {
    const i = Math.min(s.x.length - 1, Math.max(0, Math.round((time - s.x[0]) / ((s.x[1] - s.x[0]) || 1))));
    if (s.y[i] === null) continue;
    c.fillStyle = s.colour || ink;
    c.beginPath(); c.arc(X(s.x[i]), Y(s.y[i]), 3.2, 0, 7); c.fill();
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

let now = 0, playing = false, last = 0, stale = true;

function setPlaying(on) {
  if (on && now >= film.frames - 1) now = 0;
  playing = on;
  play.textContent = on ? 'Pause' : 'Play';
  last = performance.now();
}

function show() {
  const most = Math.max(decoded - 1, 0), at = Math.min(Math.floor(now), most), share = Math.min(now - at, 1);
  const time = (film.first + now * film.every) * film.timestep;
  drawStage(at, at < most ? share : 0);
  drawCurves(time);
  seek.value = now;
  seek.setAttribute('aria-valuetext', `${time.toFixed(2)} seconds`);
  clock.textContent = `${time.toFixed(2)} s`;
  film.runs.forEach((run, i) => {
    const frame = film.first + now * film.every;
    labels[i].textContent = run.diverged >= 0 && frame >= run.diverged ? `diverged at frame ${run.diverged}`
      : frame > run.frameCount - 1 ? 'ended' : '';
  });
  document.body.dataset.frame = at;
  document.body.dataset.decoded = decoded;
}

function tick(time) {
  if (decoded < film.frames) { decodeSome(12); stale = true; }
  if (playing) {
    now += Math.min((time - last) / 1000, 0.1) * speed.value / seconds;
    last = time;
    stale = true;
    now = Math.min(now, Math.max(decoded - 1, 0));
    if (now >= film.frames - 1) { now = film.frames - 1; setPlaying(false); }
  }
  if (stale) { stale = false; show(); }
  requestAnimationFrame(tick);
}

play.onclick = () => setPlaying(!playing);
seek.oninput = () => { now = +seek.value; stale = true; };
reset.onclick = () => { resetCamera(); stale = true; };
addEventListener('resize', () => { stale = true; });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { stale = true; });

function turn(dx, dy) {
  camera.turn -= dx;
  camera.lift = Math.min(1.5, Math.max(-1.5, camera.lift + dy));
  stale = true;
}
function slide(dx, dy) {
  const back = direction(), right = unit(cross([0, 1, 0], back)), up = cross(back, right), s = camera.distance;
  camera.target = add(camera.target, add(scale(-dx * s, right), scale(dy * s, up)));
  stale = true;
}
function zoom(factor) { camera.distance *= factor; stale = true; }

const fingers = new Map();
canvas.onpointerdown = event => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, [event.clientX, event.clientY]); };
canvas.onpointerup = canvas.onpointercancel = event => fingers.delete(event.pointerId);
canvas.onpointermove = event => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const spread = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };
  const old = fingers.size === 2 ? spread() : 0, dx = event.clientX - before[0], dy = event.clientY - before[1];
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (fingers.size === 2) zoom(old / spread());
  else if (event.buttons & 2 || event.shiftKey) slide(dx / canvas.clientHeight, dy / canvas.clientHeight);
  else turn(dx * 0.008, dy * 0.008);
};
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener('wheel', event => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.001)); }, { passive: false });

addEventListener('keydown', event => {
  if (event.target === speed || event.ctrlKey || event.metaKey || event.altKey) return;
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (move && event.target === canvas) turn(0.08 * move[0], 0.08 * move[1]);
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
    now = Math.min(film.frames - 1, Math.max(0, Math.round(now) + (event.key === 'ArrowRight' ? 1 : -1)));
  else if (event.key === 'Home') now = 0;
  else if (event.key === 'End') now = film.frames - 1;
  else if (event.key === ' ' && event.target !== play) setPlaying(!playing);
  else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 0.9 : 1.1);
  else return;
  if (event.key !== ' ' || event.target !== play) event.preventDefault();
  stale = true;
});

decodeSome(50);
setPlaying(!matchMedia('(prefers-reduced-motion: reduce)').matches);
requestAnimationFrame(tick);
