// Script of a page that plays a run: time, traces and plots. Options after # in the address: t=SECONDS, play, bare, bench.
'use strict';
// ---- time -----------------------------------------------------------------------------------------------------
const TIMES = new Float64Array(bytes(DATA.time)), LAST = TIMES.length - 1;
const POSES = floats(DATA.poses); // rows x bodies x (x y z, quaternion x y z w)
let now = TIMES[0], row = 0, part = 0; // time, s; the row before it; the fraction of the interval to the next row, 0 to 1

function setTime(time) {
  now = Math.min(Math.max(time, TIMES[0]), TIMES[LAST]);
  let low = 0, high = LAST;
  while (high - low > 1) { const middle = (low + high) >> 1; if (TIMES[middle] <= now) low = middle; else high = middle; }
  row = LAST && now >= TIMES[LAST] ? LAST : low;
  part = row < LAST ? (now - TIMES[row]) / (TIMES[row + 1] - TIMES[row]) : 0;
}

function poseAt(body, k, position, quaternion) {
  const at = 7 * (k * BODIES + body);
  position.fromArray(POSES, at); quaternion.fromArray(POSES, at + 3);
}

// ---- meshes of elastic bodies ---------------------------------------------------------------------------------
const MODES = DATA.surfaces.map(surface => floats(surface.xi)); // rows x modes
function bend({ xi }, k) {
  const all = MODES[k], at = row * xi.length, next = part > 0 ? at + xi.length : at;
  for (let i = 0; i < xi.length; i++) xi[i] = all[at + i] + part * (all[next + i] - all[at + i]);
}

// ---- traces ---------------------------------------------------------------------------------------------------
const traces = DATA.traces.map(trace => {
  const times = new Float64Array(bytes(trace.times)), geometry = new L.BufferGeometry();
  geometry.setAttribute('position', new L.BufferAttribute(floats(trace.points), 3));
  const line = new L.Line(geometry, new L.LineBasicMaterial({ color: trace.color }));
  line.frustumCulled = false;
  scene.add(line);
  return { times, geometry };
});
function drawTrace({ times, geometry }) { // up to now
  let low = 0, high = times.length;
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= now) low = middle + 1; else high = middle; }
  geometry.setDrawRange(0, low);
}

// ---- forces of contacts ---------------------------------------------------------------------------------------
const HELD = 0x2f6f3e, SLIDING = 0xd03f3f, LEAST = 1e-3 * SIZE; // colours; arrows that are shorter are not drawn
const ARROWS = DATA.arrows, POINTS = ARROWS.names.length;
const [PLACES, FORCES, SLIDES] = POINTS ? [ARROWS.places, ARROWS.vectors, ARROWS.slides].map(floats) : [];
const arrows = ARROWS.names.map(name => {
  const [held, sliding] = [HELD, SLIDING].map(color => new L.MeshLambertMaterial({ color, depthTest: false, transparent: true, opacity: 0.8 }));
  const r = 4e-3 * SIZE, shaft = new L.Mesh(upright(new L.CylinderGeometry(r, r, 1, 10)).translate(0, 0, 0.5), held);
  const head = new L.Mesh(upright(new L.CylinderGeometry(0, 2.4 * r, 1, 14)).translate(0, 0, -0.5), held);
  const group = new L.Group();
  group.add(shaft, head);
  shaft.userData.name = head.userData.name = name;
  shaft.renderOrder = head.renderOrder = 1; // over the bodies, into which the forces point
  scene.add(group);
  return { group, shaft, head, held, sliding };
});
function mixed(values, k, at) { // a vector of point k now, between two rows
  at.fromArray(values, 3 * (row * POINTS + k));
  return part > 0 ? at.lerp(P2.fromArray(values, 3 * ((row + 1) * POINTS + k)), part) : at;
}
function placeArrow({ group, shaft, head, held, sliding }, k) {
  const length = mixed(FORCES, k, P).length(), tip = Math.min(0.4 * length, 0.03 * SIZE);
  group.visible = length > LEAST;
  if (!group.visible) return;
  group.quaternion.setFromUnitVectors(Z, P.divideScalar(length));
  mixed(PLACES, k, group.position);
  shaft.scale.set(1, 1, length - tip);
  head.position.z = length;
  head.scale.set(1, 1, tip);
  shaft.material = head.material = SLIDES[(row + (part > 0.5)) * POINTS + k] ? sliding : held;
}

// ---- plots ----------------------------------------------------------------------------------------------------
const plots = DATA.plots.map(plot => {
  const host = element('plots').appendChild(document.createElement('div'));
  const mark = u => {
    const x = u.valToPos(now, 'x', true), c = u.ctx;
    c.save(); c.strokeStyle = '#24292f'; c.lineWidth = devicePixelRatio; c.beginPath();
    c.moveTo(x, u.bbox.top); c.lineTo(x, u.bbox.top + u.bbox.height); c.stroke(); c.restore();
  };
  const number = (u, x) => x == null ? '' : x.toPrecision(5);
  const options = {
    width: host.clientWidth || 360, height: 160, title: plot.title, cursor: { y: false, drag: { setScale: false }, sync: { key: 'time' } },
    scales: { x: { time: false } }, legend: { show: plot.series.length > 1, live: false }, hooks: { draw: [mark] },
    axes: PLOTTED.axes(),
    series: [{}, ...plot.series.map((series, k) => ({ ...curve(series, k), value: number, points: { show: LAST === 0 } }))],
  };
  const made = new L.uPlot(options, [TIMES, ...plot.series.map(series => new Float64Array(bytes(series.values)))], host);
  made.over.addEventListener('click', () => { const x = made.posToVal(made.cursor.left, 'x'); if (x != null) show(x); });
  return made;
});

// ---- moving ---------------------------------------------------------------------------------------------------
function place() {
  for (let b = 0; b < BODIES; b++) {
    const group = groups[b];
    poseAt(b, row, group.position, group.quaternion);
    if (part > 0) { poseAt(b, row + 1, P, Q2); group.position.lerp(P, part); group.quaternion.slerp(Q2, part); }
  }
  surfaces.forEach(bend);
  placed();
  arrows.forEach(placeArrow);
  traces.forEach(drawTrace);
}
function show(time) {
  setTime(time);
  place();
  element('slider').value = now;
  element('clock').textContent = `${now.toFixed(DIGITS)} s`;
  plots.forEach(plot => plot.redraw(false));
  draw();
}

// ---- playing --------------------------------------------------------------------------------------------------
const DIGITS = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(1e-3, TIMES[LAST] - TIMES[0])))));
let running = false, before = 0, frames = 0, spent = 0;
function play(on) {
  if (on && now >= TIMES[LAST]) show(TIMES[0]);
  running = on && LAST > 0;
  element('play').classList.toggle('running', running);
  before = performance.now();
  if (running) requestAnimationFrame(step);
}
function step(clock) {
  if (!running) return;
  const passed = Math.max(0, clock - before);
  before = clock;
  spent += passed;
  if (++frames === 30 && spent > 30 * 45) simplify();
  const next = now + passed / 1000 * +element('rate').value;
  show(next > TIMES[LAST] ? TIMES[0] : next);
  requestAnimationFrame(step);
}

// ---- input of the user ----------------------------------------------------------------------------------------
function listen() {
  const slider = element('slider'), rate = element('rate');
  slider.min = TIMES[0]; slider.max = TIMES[LAST];
  for (const speed of [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000]) {
    rate.add(new Option(`${speed}×`, speed, false, speed === DATA.rate));
  }
  slider.oninput = () => { play(false); show(+slider.value); };
  element('play').onclick = () => play(!running);
  element('home').onclick = () => { wholeView(); draw(); };
  controls.addEventListener('start', () => { home = false; });
  controls.addEventListener('change', draw);
  renderer.domElement.addEventListener('pointermove', event => { if (event.buttons || running) label.hidden = true; else hover(event); });
  renderer.domElement.addEventListener('pointerleave', () => { label.hidden = true; });
  addEventListener('resize', resize);
  addEventListener('keydown', event => {
    if (event.target.tagName === 'SELECT') return;
    if (event.key === ' ') { event.preventDefault(); play(!running); }
    if (event.key === 'h') { wholeView(); draw(); }
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (way && event.target !== slider) { play(false); show(TIMES[Math.min(LAST, Math.max(0, row + way))]); }
  });
}

function rate(seconds) { // frames per second; reading a pixel waits until the frame is complete
  const gl = renderer.getContext(), pixel = new Uint8Array(4), began = performance.now();
  let count = 0;
  do {
    show(TIMES[count++ % (LAST + 1)]); render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  } while (performance.now() - began < 1000 * seconds);
  return 1000 * count / (performance.now() - began);
}
function bench() { // draws frames like playback
  const shaded = rate(1.5);
  if (shaded < 1000 / 45) simplify();
  document.title = element('clock').textContent = `${rate(3).toFixed(1)} frames/s, ${shaded.toFixed(1)} with shadows`;
}

if (LAST === 0) document.body.classList.add('still');
if (asked.has('bare')) document.body.classList.add('bare');
listen();
if (DATA.follow >= 0) poseAt(DATA.follow, 0, origin, Q);
show(option('t', TIMES[0], TIMES[LAST], TIMES[0]));
resize();
render();
if (asked.has('play')) play(true);
if (asked.has('bench')) bench();
