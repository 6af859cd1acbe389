// The scene of a page: solids, links and bent bars, light and ground, the camera and labels. LIB contains three.js. The
// page's own script moves `groups` and then calls `placed`.
'use strict';
const L = LIB, BODIES = DATA.bodies.length;
const vector = numbers => new L.Vector3(...numbers);
const P = new L.Vector3(), P2 = new L.Vector3(), Q = new L.Quaternion(), Q2 = new L.Quaternion();

// ---- solids ---------------------------------------------------------------------------------------------------
const MESHES = DATA.meshes.map(mesh => {
  const geometry = new L.BufferGeometry();
  geometry.setAttribute('position', new L.BufferAttribute(floats(mesh.vertices), 3));
  geometry.setIndex(new L.BufferAttribute(new Uint32Array(bytes(mesh.faces)), 1));
  const flat = geometry.toNonIndexed(); // separate normals for sharp edges
  flat.computeVertexNormals();
  return flat;
});
const upright = geometry => geometry.rotateX(Math.PI / 2); // three.js has y along cylinders, shapes have z

const SOLIDS = {
  box: ([x, y, z]) => [new L.BoxGeometry(x, y, z)],
  sphere: ([r]) => [new L.SphereGeometry(r, 32, 20)],
  ellipsoid: ([a, b, c]) => [new L.SphereGeometry(1, 32, 20).scale(a, b, c)],
  cylinder: ([r, length]) => [upright(new L.CylinderGeometry(r, r, length, 40))],
  capsule: ([r, length]) => [upright(new L.CapsuleGeometry(r, length, 8, 28))],
  ring: ([radius, r]) => [new L.TubeGeometry(new Circle(radius), 72, r, 14, true)],
  mesh: (size, shape) => [MESHES[shape.mesh].clone().scale(...shape.scale)],
  line: ([r], shape) => {
    const points = shape.points.map(vector), out = [];
    points.forEach((end, k) => {
      if (!straight(points[k - 1], end, points[k + 1])) out.push(new L.SphereGeometry(r, 14, 10).translate(end.x, end.y, end.z));
      if (k) out.push(bar(points[k - 1], end, r));
    });
    return out;
  },
};

class Circle extends L.CatmullRomCurve3 { // about z
  constructor(radius) {
    super(Array.from({ length: 48 }, (_, k) => new L.Vector3(radius * Math.cos(Math.PI * k / 24), radius * Math.sin(Math.PI * k / 24), 0)), true);
  }
}

function straight(before, at, after) { // almost straight: no sphere is needed between two bars
  return before && after && at.clone().sub(before).angleTo(after.clone().sub(at)) < 0.2;
}

function bar(a, b, r) {
  const along = b.clone().sub(a), length = along.length();
  const turn = new L.Quaternion().setFromUnitVectors(new L.Vector3(0, 0, 1), along.normalize());
  const middle = a.clone().add(b).multiplyScalar(0.5);
  return upright(new L.CylinderGeometry(r, r, length, 14, 1, true)).applyMatrix4(new L.Matrix4().compose(middle, turn, new L.Vector3(1, 1, 1)));
}

function merged(shapes) { // one geometry per body, with the colours of all its shapes
  const parts = [];
  for (const shape of shapes) {
    const place = new L.Matrix4().compose(vector(shape.position), new L.Quaternion(...shape.quaternion), new L.Vector3(1, 1, 1));
    for (const solid of SOLIDS[shape.kind](shape.size, shape)) {
      const flat = solid.index ? solid.toNonIndexed() : solid;
      parts.push([flat.applyMatrix4(place), shape.color]);
    }
  }
  const count = parts.reduce((sum, [g]) => sum + g.attributes.position.count, 0);
  const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), colors = new Float32Array(4 * count);
  const color = new L.Color();
  let first = 0;
  for (const [g, rgba] of parts) {
    position.set(g.attributes.position.array, 3 * first); normal.set(g.attributes.normal.array, 3 * first);
    color.setRGB(rgba[0], rgba[1], rgba[2], 'srgb');
    for (let k = 0; k < g.attributes.position.count; k++) colors.set([color.r, color.g, color.b, rgba[3]], 4 * (first + k));
    first += g.attributes.position.count;
  }
  const out = new L.BufferGeometry();
  out.setAttribute('position', new L.BufferAttribute(position, 3));
  out.setAttribute('normal', new L.BufferAttribute(normal, 3));
  out.setAttribute('color', new L.BufferAttribute(colors, 4));
  return out;
}

const matt = more => new L.MeshLambertMaterial({ vertexColors: true, side: L.DoubleSide, ...more });
const plain = color => new L.MeshLambertMaterial({ color: new L.Color().setRGB(...color.slice(0, 3), 'srgb') });

// ---- the scene ------------------------------------------------------------------------------------------------
const view = element('view'), scene = new L.Scene(), camera = new L.PerspectiveCamera(32, 1, 0.01, 100);
const renderer = needs(drawing(), 'The view needs WebGL 2, which this browser does not have or has switched off: allow hardware acceleration in its settings, or open the page in another browser.');
function drawing() {
  try { return new L.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true }); } catch { return null; }
}
const BACKGROUND = 0xfbfcfd, UP = vector(DATA.up), SIZE = DATA.size, REACH = DATA.reach, CENTER = vector(DATA.center);
const groups = DATA.bodies.map(() => { const group = new L.Group(); scene.add(group); return group; });
function dress(k) { // the solids of a body, as DATA has them now
  const group = groups[k], body = DATA.bodies[k];
  for (const old of [...group.children]) { group.remove(old); old.geometry.dispose(); old.material.dispose(); }
  for (const clear of [false, true]) {
    const shapes = body.shapes.filter(shape => (shape.color[3] < 1) === clear);
    if (!shapes.length) continue;
    const mesh = new L.Mesh(merged(shapes), matt(clear ? { transparent: true, depthWrite: false, side: L.FrontSide } : {}));
    mesh.castShadow = true;
    mesh.receiveShadow = shapes.some(shape => shape.ground);
    mesh.userData.name = body.name;
    group.add(mesh);
    if (clear) shapes.filter(shape => shape.kind === 'box').forEach(shape => group.add(edges(shape)));
  }
}
groups.forEach((group, k) => dress(k));

function edges(shape) {
  const lines = new L.LineSegments(new L.EdgesGeometry(new L.BoxGeometry(...shape.size)), new L.LineBasicMaterial({ transparent: true, opacity: 0.5 }));
  lines.material.color.setRGB(...shape.color.slice(0, 3), 'srgb');
  lines.position.fromArray(shape.position); lines.quaternion.fromArray(shape.quaternion);
  return lines;
}

class Coil extends L.CatmullRomCurve3 { // a spring of length 1 along z
  constructor(r, turns) {
    const points = [[0, 0, 0], [0, 0, 0.08]], steps = 14 * turns;
    for (let k = 0; k <= steps; k++) { const a = 2 * Math.PI * turns * k / steps; points.push([r * Math.cos(a), r * Math.sin(a), 0.1 + 0.8 * k / steps]); }
    super([...points, [0, 0, 0.92], [0, 0, 1]].map(vector));
  }
}
const LINKS = {
  rod: r => upright(new L.CylinderGeometry(r, r, 1, 14)).translate(0, 0, 0.5),
  spring: r => new L.TubeGeometry(new Coil(2.6 * r, 7), 180, 0.5 * r, 6),
};
const links = DATA.links.map(link => {
  const mesh = new L.Mesh(LINKS[link.kind](link.radius), plain(link.color));
  mesh.castShadow = true; mesh.userData.name = link.name;
  scene.add(mesh);
  return { ...link, mesh, ends: [vector(link.at_a), vector(link.at_b)] };
});
const Z = new L.Vector3(0, 0, 1);
function tie(k) { links[k].ends = [vector(DATA.links[k].at_a), vector(DATA.links[k].at_b)]; } // as DATA has it now
function placeLink(link) {
  P.copy(link.ends[0]).applyMatrix4(groups[link.a].matrix);
  P2.copy(link.ends[1]).applyMatrix4(groups[link.b].matrix).sub(P);
  const length = P2.length();
  link.mesh.visible = length > 1e-9;
  link.mesh.position.copy(P);
  link.mesh.scale.set(1, 1, length);
  if (link.mesh.visible) link.mesh.quaternion.setFromUnitVectors(Z, P2.divideScalar(length));
}

// ---- elastic bodies: a tube through the nodes, tangent to their axes ----------------------------------------------
const AROUND = 14, BETWEEN = 10; // points around the tube, sections between two nodes
const beams = DATA.beams.map(beam => {
  const rings = (beam.nodes.length - 1) * BETWEEN + 1, geometry = new L.BufferGeometry(), index = [];
  geometry.setAttribute('position', new L.BufferAttribute(new Float32Array(3 * rings * AROUND), 3));
  geometry.setAttribute('normal', new L.BufferAttribute(new Float32Array(3 * rings * AROUND), 3));
  for (let i = 0; i + 1 < rings; i++) {
    for (let j = 0; j < AROUND; j++) {
      const a = i * AROUND + j, b = i * AROUND + (j + 1) % AROUND;
      index.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
    }
  }
  geometry.setIndex(index);
  const mesh = new L.Mesh(geometry, plain(beam.color));
  mesh.material.side = L.DoubleSide;
  mesh.frustumCulled = false; mesh.castShadow = true; mesh.userData.name = beam.name;
  scene.add(mesh);
  return { ...beam, mesh, rest: beam.along.map(vector) };
});
function placeBeam(beam) {
  const ends = beam.nodes.map((body, k) => ({ at: groups[body].position, along: beam.rest[k].clone().applyQuaternion(groups[body].quaternion) }));
  const { position, normal } = beam.mesh.geometry.attributes;
  const side = new L.Vector3(...(Math.abs(ends[0].along.z) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const x = new L.Vector3(), y = new L.Vector3(), along = new L.Vector3(), at = new L.Vector3();
  let ring = 0;
  for (let k = 0; k + 1 < ends.length; k++) {
    const [a, b] = [ends[k], ends[k + 1]], length = a.at.distanceTo(b.at);
    for (let i = k ? 1 : 0; i <= BETWEEN; i++, ring++) {
      const s = i / BETWEEN, s2 = s * s, s3 = s2 * s;
      at.set(0, 0, 0).addScaledVector(a.at, 2 * s3 - 3 * s2 + 1).addScaledVector(a.along, length * (s3 - 2 * s2 + s))
        .addScaledVector(b.at, 3 * s2 - 2 * s3).addScaledVector(b.along, length * (s3 - s2));
      along.copy(a.along).lerp(b.along, s);
      x.crossVectors(side, along).normalize(); y.crossVectors(along, x).normalize();
      const radius = beam.radii[0] + (beam.radii[1] - beam.radii[0]) * (k + s) / (ends.length - 1);
      for (let j = 0; j < AROUND; j++) {
        const angle = 2 * Math.PI * j / AROUND;
        P.copy(x).multiplyScalar(Math.cos(angle)).addScaledVector(y, Math.sin(angle));
        normal.setXYZ(ring * AROUND + j, P.x, P.y, P.z);
        P.multiplyScalar(radius).add(at);
        position.setXYZ(ring * AROUND + j, P.x, P.y, P.z);
      }
    }
  }
  position.needsUpdate = normal.needsUpdate = true;
  beam.mesh.geometry.boundingSphere = null; // of the pointer's search
}

// ---- elastic bodies with a mesh: vertices and the coordinates `xi` of their modes ---------------------------------
const doubles = text => new Float64Array(bytes(text));
const surfaces = DATA.surfaces.map(({ vertices, faces, shapes, root, ...rest }) => {
  const geometry = new L.BufferGeometry(), still = floats(vertices);
  geometry.setAttribute('position', new L.BufferAttribute(still.slice(), 3));
  geometry.setIndex(new L.BufferAttribute(new Uint32Array(bytes(faces)), 1));
  const mesh = new L.Mesh(geometry, new L.MeshLambertMaterial({ flatShading: true, side: L.DoubleSide }));
  mesh.material.color.setRGB(...rest.color.slice(0, 3), 'srgb');
  mesh.frustumCulled = false; mesh.castShadow = true; mesh.userData.name = rest.name;
  scene.add(mesh);
  return { ...rest, mesh, still, shapes: floats(shapes), root: root && rootOf(root), xi: new Float64Array(rest.modes) };
});
function rootOf({ position, axes, Y1, Y2 }) { // the node in the body's joint
  const [a, b, c, d, e, f, g, h, i] = doubles(axes);
  const turned = new L.Quaternion().setFromRotationMatrix(new L.Matrix4().set(a, b, c, 0, d, e, f, 0, g, h, i, 0, 0, 0, 0, 1));
  return { at: vector(doubles(position)), turned, Y1: doubles(Y1), Y2: doubles(Y2) };
}
function moved({ Y1, Y2 }, xi) { // displacement and Cayley vector of a node: (F4) of docs/equations_elastic.md
  const n = xi.length;
  return Array.from({ length: 6 }, (_, i) => xi.reduce((sum, x, k) => {
    let slope = Y1[n * i + k];
    for (let j = 0; j < n; j++) slope += 0.5 * Y2[n * (n * i + k) + j] * xi[j];
    return sum + slope * x;
  }, 0));
}
function placeSurface({ mesh, still, shapes, xi, body, root }) {
  const { position } = mesh.geometry.attributes, out = position.array, count = out.length;
  out.set(still);
  xi.forEach((x, k) => { for (let i = 0, at = k * count; i < count; i++, at++) out[i] += x * shapes[at]; });
  position.needsUpdate = true;
  mesh.geometry.boundingSphere = null;
  mesh.position.copy(groups[body].position); mesh.quaternion.copy(groups[body].quaternion);
  if (!root) return;
  const y = moved(root, xi);
  Q.set(y[3] / 2, y[4] / 2, y[5] / 2, 1).normalize().multiply(root.turned);
  mesh.quaternion.multiply(Q.invert());
  mesh.position.sub(P.set(y[0], y[1], y[2]).add(root.at).applyQuaternion(mesh.quaternion));
}

// ---- light and ground -----------------------------------------------------------------------------------------
const sun = new L.DirectionalLight(0xffffff, 2.1);
let plane, grid, ground; // the plane with shadows, its grid, and the initial position of both
function addSurroundings() {
  renderer.setClearColor(BACKGROUND, 1);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = L.PCFShadowMap;
  view.prepend(renderer.domElement);
  const sky = new L.HemisphereLight(0xffffff, 0x8a94a0, 1.9);
  sky.position.copy(UP);
  const eye = vector(DATA.eye), side = new L.Vector3().crossVectors(UP, eye).normalize();
  sun.userData.from = UP.clone().multiplyScalar(1.6).addScaledVector(side, -0.7).addScaledVector(eye, 0.6).normalize();
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.radius = 3;
  sun.shadow.bias = -1e-3;
  sun.shadow.intensity = 0.9;
  const reach = 0.75 * SIZE;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * SIZE, far: 4 * SIZE });
  scene.add(sky, sun, sun.target);
  if (DATA.ground) {
    const flat = new L.Quaternion().setFromUnitVectors(Z, UP), step = DATA.grid;
    const foot = CENTER.clone().addScaledVector(UP, DATA.floor - CENTER.dot(UP));
    plane = new L.Mesh(new L.PlaneGeometry(12 * SIZE, 12 * SIZE), new L.ShadowMaterial({ opacity: 0.16 }));
    plane.quaternion.copy(flat); plane.position.copy(foot).addScaledVector(UP, -2e-3 * SIZE); plane.receiveShadow = true;
    grid = new L.LineSegments(new L.BufferGeometry(), new L.LineBasicMaterial({ color: 0xdce2e7 }));
    grid.geometry.setAttribute('position', new L.Float32BufferAttribute(gridLines(Math.ceil(3.2 * SIZE / step), step), 3));
    grid.quaternion.copy(flat);
    const local = foot.clone().applyQuaternion(flat.clone().invert()); // grid lines at multiples of the step
    local.x = step * Math.round(local.x / step); local.y = step * Math.round(local.y / step);
    grid.position.copy(local.applyQuaternion(flat)).addScaledVector(UP, -3e-3 * SIZE);
    ground = { flat, step, grid: grid.position.clone(), plane: plane.position.clone() };
    scene.add(plane, grid);
    element('scale').textContent = `grid ${step >= 1 ? step + ' m' : step >= 0.01 ? Math.round(100 * step) + ' cm' : +(1000 * step).toPrecision(1) + ' mm'}`;
  }
}

function gridLines(cells, step) { // within a circle, one cell at a time: some drivers drop long lines that pass the camera
  const points = [], inside = (x, y) => x * x + y * y <= cells * cells;
  for (let i = -cells; i <= cells; i++) {
    for (let j = -cells; j < cells; j++) {
      if (inside(i, j) && inside(i, j + 1)) points.push(i, j, 0, i, j + 1, 0, j, i, 0, j + 1, i, 0);
    }
  }
  return points.map(x => x * step);
}

// ---- the camera -----------------------------------------------------------------------------------------------
addSurroundings();
camera.up.copy(UP);
const controls = new L.OrbitControls(camera, renderer.domElement);
const followed = new L.Vector3(), origin = new L.Vector3(); // way of the followed body, and where it is at first
let home = true; // the camera shows the whole scene and adapts to the window

function wholeView() { // closest position from which all corners of the scene are visible
  const eye = vector(DATA.eye), right = new L.Vector3().crossVectors(UP, eye).normalize(), top = new L.Vector3().crossVectors(eye, right);
  const tall = Math.tan(camera.fov * Math.PI / 360), wide = tall * camera.aspect, room = DATA.room.map(vector);
  const middle = new L.Vector3();
  for (const axis of [right, top]) { // centered
    const along = room.map(x => x.dot(axis));
    middle.addScaledVector(axis, (Math.min(...along) + Math.max(...along)) / 2);
  }
  middle.addScaledVector(eye, CENTER.dot(eye));
  let distance = 0;
  for (const x of room) {
    P.copy(x).sub(middle);
    const near = P.dot(eye);
    distance = Math.max(distance, near + 1.08 * Math.abs(P.dot(right)) / wide, near + 1.12 * Math.abs(P.dot(top)) / tall);
  }
  controls.target.copy(middle).add(followed);
  camera.position.copy(controls.target).addScaledVector(eye, distance);
  camera.near = 0.005 * distance; camera.far = distance + 20 * REACH;
  camera.updateProjectionMatrix();
  if (DATA.ground) scene.fog = new L.Fog(BACKGROUND, distance + 0.8 * REACH, distance + 4.5 * REACH);
  home = true;
  controls.update();
}
function follow() {
  if (DATA.follow < 0) return;
  P.copy(groups[DATA.follow].position).sub(origin);
  P2.copy(P).sub(followed);
  followed.copy(P);
  camera.position.add(P2); controls.target.add(P2);
  if (!ground) return; // the ground follows the body in multiples of the grid step
  P2.copy(followed).addScaledVector(UP, -followed.dot(UP));
  plane.position.copy(ground.plane).add(P2);
  P2.applyQuaternion(Q.copy(ground.flat).invert());
  P2.set(ground.step * Math.round(P2.x / ground.step), ground.step * Math.round(P2.y / ground.step), 0);
  grid.position.copy(ground.grid).add(P2.applyQuaternion(ground.flat));
}

function resize() {
  const width = view.clientWidth, height = view.clientHeight;
  if (!width || !height) return;
  renderer.setPixelRatio(slow ? 1 : devicePixelRatio);
  renderer.setSize(width, height);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  if (home) wholeView();
  draw();
}

// ---- axes of the world in the camera's view --------------------------------------------------------------------
const TRIAD = ['#d03f3f', '#2f9e44', '#2b6cd4'].map((color, k) => {
  const part = kind => { const made = document.createElementNS('http://www.w3.org/2000/svg', kind); element('triad').append(made); return made; };
  const line = part('line'), text = part('text');
  line.setAttribute('stroke', color); line.setAttribute('stroke-width', 2);
  text.setAttribute('fill', color); text.textContent = 'xyz'[k];
  return { line, text, axis: new L.Vector3().setComponent(k, 1) };
});
function turnTriad() {
  Q2.copy(camera.quaternion).invert();
  for (const { line, text, axis } of TRIAD) {
    P.copy(axis).applyQuaternion(Q2);
    line.setAttribute('x2', 22 * P.x); line.setAttribute('y2', -22 * P.y);
    text.setAttribute('x', 29 * P.x); text.setAttribute('y', -29 * P.y);
  }
}

// ---- drawing, if something has changed ------------------------------------------------------------------------
let wanted = false, slow = false;
function draw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => { wanted = false; render(); });
}
function render() {
  sun.target.position.copy(CENTER).add(followed);
  sun.position.copy(sun.target.position).addScaledVector(sun.userData.from, 2 * SIZE);
  renderer.render(scene, camera);
  turnTriad();
}
function placed() { // groups have moved
  for (const group of groups) group.updateMatrix();
  links.forEach(placeLink);
  beams.forEach(placeBeam);
  surfaces.forEach(placeSurface);
  follow();
}
function simplify() { // without a graphics processor: no shadows
  slow = true;
  renderer.shadowMap.enabled = sun.castShadow = false;
  if (plane) plane.visible = false;
  resize();
}

// ---- labels ---------------------------------------------------------------------------------------------------
const ray = new L.Raycaster(), label = element('label');
ray.params.Line.threshold = 0;
function hit(event) { // the solid under the pointer, but not one of the world
  const box = renderer.domElement.getBoundingClientRect();
  const at = new L.Vector2((event.clientX - box.left) / box.width * 2 - 1, 1 - (event.clientY - box.top) / box.height * 2);
  ray.setFromCamera(at, camera);
  return ray.intersectObjects(scene.children, true).find(found => found.object.userData.name && found.object.userData.name !== 'world');
}
function hover(event) {
  const found = hit(event), box = renderer.domElement.getBoundingClientRect();
  label.hidden = !found;
  if (!found) return;
  label.textContent = found.object.userData.name;
  label.style.left = `${event.clientX - box.left + 14}px`; label.style.top = `${event.clientY - box.top + 10}px`;
}
