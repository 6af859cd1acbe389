// What a live page shows of its model: poses between two ticks, traces, plots, and the spring from a body to the pointer.
'use strict';
let before = new Float64Array(12 * BODIES), after = new Float64Array(12 * BODIES); // origin and rotation of each body
const M = new L.Matrix4();
function poseIn(poses, k, position, quaternion) {
  const a = 12 * k;
  position.set(poses[a], poses[a + 1], poses[a + 2]);
  M.set(poses[a + 3], poses[a + 4], poses[a + 5], 0, poses[a + 6], poses[a + 7], poses[a + 8], 0, poses[a + 9], poses[a + 10], poses[a + 11], 0, 0, 0, 0, 1);
  quaternion.setFromRotationMatrix(M);
}
const bends = DATA.surfaces.map(({ slots }) => ({ slots, before: new Float64Array(slots.length), after: new Float64Array(slots.length) })); // modes of elastic bodies
function look() { // take over the poses that the record has now
  [before, after] = [after, before];
  after.fill(0, 0, 12); after[3] = after[7] = after[11] = 1; // the world
  DATA.poses.forEach((slot, k) => { for (let i = 0; i < 12; i++) after[12 * (k + 1) + i] = R[slot + i]; });
  for (const bent of bends) {
    [bent.before, bent.after] = [bent.after, bent.before];
    bent.slots.forEach((slot, i) => { bent.after[i] = R[slot]; });
  }
}
function show(part) { // the poses between the last two ticks: 0 the one before, 1 the last one
  groups.forEach((group, k) => {
    poseIn(after, k, group.position, group.quaternion);
    if (part < 1) { poseIn(before, k, P, Q); group.position.lerp(P, 1 - part); group.quaternion.slerp(Q, 1 - part); }
  });
  surfaces.forEach(({ xi }, k) => {
    const bent = bends[k];
    for (let i = 0; i < xi.length; i++) xi[i] = bent.after[i] + (1 - part) * (bent.before[i] - bent.after[i]);
  });
  placed();
  pull.draw();
  element('clock').textContent = `${R[S.time].toFixed(2)} s`;
  const modes = DATA.modes.map(mode => `${mode.name}: ${mode.said[R[mode.slot]] ?? R[mode.slot]}`).join('\n');
  if (element('modes').textContent !== modes) element('modes').textContent = modes; // screen readers hear changes only
  draw();
}
function redress() { // shapes follow parameters
  const { bodies, links } = reshape();
  bodies.forEach(dress);
  links.forEach(tie);
}

// ---- traces ---------------------------------------------------------------------------------------------------
const TRAIL = 1500; // points
const trails = DATA.traces.map(trace => {
  const geometry = new L.BufferGeometry(), points = new L.BufferAttribute(new Float32Array(3 * TRAIL), 3);
  geometry.setAttribute('position', points);
  const line = new L.Line(geometry, new L.LineBasicMaterial({ color: trace.color }));
  line.frustumCulled = false;
  scene.add(line);
  return { ...trace, local: vector(trace.point), points, geometry, count: 0 };
});
function trail() {
  for (const each of trails) {
    poseIn(after, each.body, P2, Q);
    P.copy(each.local).applyQuaternion(Q).add(P2);
    if (each.count && P2.fromBufferAttribute(each.points, each.count - 1).distanceTo(P) < 0.004 * SIZE) continue;
    if (each.count === TRAIL) { each.points.array.copyWithin(0, 3 * TRAIL / 2); each.count = TRAIL / 2; }
    P.toArray(each.points.array, 3 * each.count++);
    each.points.needsUpdate = true;
    each.geometry.setDrawRange(0, each.count);
  }
}

// ---- plots ----------------------------------------------------------------------------------------------------
const POINTS = 1200, rate = element('rate');
const recorded = { count: 0, time: new Float64Array(2 * POINTS), last: 0, rows: [] }; // the oldest half makes room for new points
const plots = DATA.plots.map(plot => {
  const host = element('plots').appendChild(document.createElement('div'));
  const rows = plot.series.map(series => ({ slot: series.slot, values: new Float64Array(2 * POINTS) }));
  recorded.rows.push(...rows);
  const made = new L.uPlot({
    width: host.clientWidth || 364, height: 140, title: plot.title, cursor: { show: false },
    scales: { x: { time: false, range: timeAxis } }, legend: { show: plot.series.length > 1, live: false },
    axes: PLOTTED.axes(), series: [{}, ...plot.series.map((series, k) => ({ ...curve(series, k), points: { show: false } }))],
  }, [[], ...rows.map(() => [])], host);
  return { made, rows, host };
});
function timeAxis() { // the last seconds, more of them where the model runs faster
  const length = DATA.shown * Math.max(0.02, +rate.value || 1), now = R[S.time];
  return now - START < length ? [START, START + length] : [now - length, now];
}
function note() { // a point of each curve
  const now = R[S.time];
  if (recorded.count && now - recorded.last < DATA.shown * +rate.value / POINTS) return;
  recorded.last = now;
  if (recorded.count === 2 * POINTS) {
    for (const row of [recorded.time, ...recorded.rows.map(row => row.values)]) row.copyWithin(0, POINTS);
    recorded.count = POINTS;
  }
  recorded.time[recorded.count] = now;
  for (const row of recorded.rows) row.values[recorded.count] = R[row.slot];
  recorded.count++;
}
function plot() {
  const count = recorded.count;
  for (const { made, rows } of plots) made.setData([recorded.time.subarray(0, count), ...rows.map(row => row.values.subarray(0, count))]);
}

// ---- the spring from a body to the pointer --------------------------------------------------------------------
const pull = {
  body: -1, local: new L.Vector3(), to: new L.Vector3(), depth: 0, line: new L.Mesh(LINKS.rod(0.006 * SIZE), plain([0.85, 0.1, 0.6])),
  can(body) { return Boolean(DATA.grab) && body > 0 && DATA.grab.bodies[body - 1] !== null; },
  grab(body, at) { // take hold of a point of a body, in world axes
    const g = DATA.grab;
    this.end();
    this.body = body;
    this.local.copy(at).sub(groups[body].position).applyQuaternion(Q.copy(groups[body].quaternion).invert());
    this.toward(at);
    this.local.toArray(P3); R.set(P3, g.on);
    R[g.stiffness] = g.mass * g.swing ** 2; R[g.damping] = g.mass * g.swing; R[g.bodies[body - 1]] = R[g.pulling] = 1;
  },
  toward(at) { // where the spring pulls it
    this.to.copy(at).toArray(P3);
    R.set(P3, DATA.grab.to); R[S.fresh] = 0;
  },
  end() {
    if (this.body < 0) return;
    R[DATA.grab.bodies[this.body - 1]] = R[DATA.grab.pulling] = 0; R[S.fresh] = 0;
    this.body = -1; controls.enabled = true;
    this.draw(); draw();
  },
  begin(event) { // a press: what lies under the pointer
    if (event.button || this.body >= 0) return false;
    const found = hit(event);
    if (!found) return false;
    let body = groups.indexOf(found.object.parent);
    const bent = [...beams, ...surfaces].find(drawn => drawn.mesh === found.object);
    const distance = k => groups[k].position.distanceTo(found.point);
    if (bent) body = bent.nodes.reduce((a, b) => distance(a) < distance(b) ? a : b);
    if (!this.can(body)) return false;
    controls.enabled = false; label.hidden = true;
    this.depth = P.copy(found.point).applyMatrix4(camera.matrixWorldInverse).z;
    this.grab(body, found.point);
    return true;
  },
  move(event) { // in the plane of the point, parallel to the screen
    if (this.body < 0) return;
    const box = renderer.domElement.getBoundingClientRect(), tall = -this.depth * Math.tan(camera.fov * Math.PI / 360);
    const x = (event.clientX - box.left) / box.width * 2 - 1, y = 1 - (event.clientY - box.top) / box.height * 2;
    this.toward(P.set(x * tall * camera.aspect, y * tall, this.depth).applyMatrix4(camera.matrixWorld));
  },
  press(body, right, up) { // by keys: from the body's origin a quarter of the room to the right and upwards on the screen
    P.copy(groups[body].position);
    if (this.body < 0) this.grab(body, P);
    P2.set(right, up, 0).multiplyScalar(0.25 * SIZE).applyQuaternion(camera.quaternion);
    this.toward(P.add(P2));
  },
  draw() {
    this.line.visible = this.body >= 0;
    if (this.body < 0) return;
    P.copy(this.local).applyQuaternion(groups[this.body].quaternion).add(groups[this.body].position);
    P2.copy(this.to).sub(P);
    const length = Math.max(P2.length(), 1e-9);
    this.line.position.copy(P); this.line.scale.set(1, 1, length);
    this.line.quaternion.setFromUnitVectors(Z, P2.divideScalar(length));
  },
};
const P3 = [0, 0, 0];
scene.add(pull.line);
