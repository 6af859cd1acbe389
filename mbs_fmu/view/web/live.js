// Script of a live page: the loop that runs the model in time, controls, keys. Options after # in the address: play, bare,
// rate=NUMBER, t=SECONDS (run so far at once).
'use strict';
const MOST = { elapsed: 0.25, share: 0.6, least: 8 }; // s that a frame catches up; part of it for computing, or so many ms
const SPEEDS = [1e-6, 1e6], LONGEST = 1e6; // least and largest rate; s that a page runs before it is shown, if it can so fast
let wantedTime = 0, running = false;

// ---- starting -------------------------------------------------------------------------------------------------
function complain(text) {
  element('message').hidden = !text;
  element('message').firstElementChild.textContent = text;
}
function reset() { // start from the given values
  complain('');
  pull.end();
  if (!begin(given)) { play(false); complain(reason); return false; }
  shown();
  return true;
}
function shown() { // a new start is shown, without what was before
  wantedTime = R[S.time];
  recorded.count = 0;
  trails.forEach(each => { each.count = 0; each.geometry.setDrawRange(0, 0); });
  look(); look(); // twice: nothing lies between
  note();
  show(1);
  plot();
}

// ---- running --------------------------------------------------------------------------------------------------
let clock = 0, plotted = 0, looping = false;
let visible = true; // a page that is scrolled out of sight rests
const meter = { since: 0, time: 0, frames: 0, busy: 0, slow: 0 };
function play(on) {
  if (on && !running) awake();
  running = on;
  element('play').classList.toggle('running', on);
  element('play').setAttribute('aria-pressed', on);
  element('play').setAttribute('aria-label', on ? 'Pause' : 'Run');
}
function awake() {
  clock = meter.since = performance.now();
  Object.assign(meter, { time: R[S.time], frames: 0, busy: 0 });
  if (!looping) requestAnimationFrame(frame);
  looping = true;
}
function frame(now) {
  looping = running && visible;
  if (!looping) return;
  apply();
  const elapsed = Math.min(MOST.elapsed, Math.max(0, (now - clock) / 1000)), began = performance.now();
  clock = now;
  advance(elapsed * +rate.value, began + Math.max(MOST.least, 1000 * MOST.share * elapsed));
  meter.busy += performance.now() - began;
  show(Math.min(1, Math.max(0, 1 + (wantedTime - (started + ticks * TICK)) / TICK)));
  if (now - plotted > 50) { plotted = now; plot(); }
  measure(now);
  requestAnimationFrame(frame);
}
function advance(seconds, until) { // ticks as far as wanted, or as the clock allows; never catches up later
  wantedTime += seconds;
  while (started + ticks * TICK < wantedTime - 1e-12) {
    if (performance.now() > until) { wantedTime = started + ticks * TICK; return; }
    const came = tick();
    if (came < 0) { play(false); complain(`${reason}. The step is taken back.`); wantedTime = R[S.time]; return; }
    if (came > 0) { look(); note(); trail(); }
  }
}
function measure(now) {
  meter.frames++;
  const passed = (now - meter.since) / 1000;
  if (passed < 0.5) return;
  const fps = meter.frames / passed;
  element('load').textContent = `${((R[S.time] - meter.time) / passed).toPrecision(3)}× · ${fps.toFixed(0)} frames/s · computing ${(meter.busy / passed / 10).toPrecision(2)} %`;
  if (reach() && home) wholeView(); // it moves further than the run ahead
  if (fps < 22 && !slow && ++meter.slow > 2) simplify();
  Object.assign(meter, { since: now, time: R[S.time], frames: 0, busy: 0 });
}

// ---- values ---------------------------------------------------------------------------------------------------
const pending = new Map(); // variables that have been moved since the last frame, and their new values
const rows = [];
function part(host, kind, properties = {}) {
  return Object.assign(host.appendChild(document.createElement(kind)), properties);
}
function control(host, variable, changed) {
  const row = part(host, 'div', { className: 'value' }), id = `v${variable.slot}`;
  const said = [variable.name, variable.unit && `(${variable.unit})`, variable.said].filter(Boolean).join(' ');
  row.title = said;
  part(row, 'label', { textContent: variable.name, htmlFor: id });
  const show = (variable.kind === 'boolean' ? checkbox : slider)(row, id, said, variable, value => take(value));
  const write = value => { show(value); row.classList.toggle('moved', value !== variable.start); };
  const take = value => {
    const text = refusal(variable, value);
    if (text) { complain(text); write(given[variable.slot]); return; }
    write(value);
    changed(variable, value);
  };
  write(variable.start);
  rows.push({ variable, write });
}
function checkbox(row, id, said, variable, take) { // of a Boolean; returns a function that shows a value
  const box = part(row, 'input', { id, type: 'checkbox' });
  box.setAttribute('aria-label', said);
  box.onchange = () => take(+box.checked);
  return value => { box.checked = value !== 0; };
}
function slider(row, id, said, variable, take) { // with a field for the number; returns a function that shows a value
  const whole = variable.kind !== 'real', step = whole ? 1 : nice((variable.high - variable.low) / 400);
  const slider = part(row, 'input', { id, type: 'range', min: variable.low, max: variable.high, step: 'any' });
  const number = part(row, 'input', { type: 'number', step: whole ? 1 : 'any' });
  part(row, 'span', { className: 'unit', textContent: variable.unit });
  slider.setAttribute('aria-label', said); number.setAttribute('aria-label', `${said}, as a number`);
  const inside = value => Math.min(variable.high, Math.max(variable.low, value));
  slider.oninput = () => take(inside(+(step * Math.round(slider.value / step)).toPrecision(12)));
  slider.onkeydown = event => { // browsers would move it by a hundredth of its range
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 }[event.key];
    if (!way) return;
    event.preventDefault();
    take(inside(+((pending.get(variable) ?? given[variable.slot]) + way * step).toPrecision(12)));
  };
  number.onchange = () => take(number.value === '' ? NaN : whole ? Math.round(number.value) : +number.value);
  return value => { slider.value = value; number.value = whole ? value : +value.toPrecision(5); };
}
function refuse(values) { // say which values cannot be, and why
  const named = values.map(([variable, value]) => [variable.name, '=', digits(value), variable.unit].join(' ').trim());
  complain(`${named.join(', ')} ${named.length > 1 ? 'are' : 'is'} refused: ${reason}`);
}
function later(variable, value) { // at the next frame, together with others
  pending.set(variable, value);
  if (!running) requestAnimationFrame(() => { if (!running) { apply(); plot(); } });
}
function apply() {
  if (!pending.size) return;
  const values = [...pending], untouched = ticks === 0 && !running && R[S.time] === START;
  pending.clear();
  complain('');
  const had = values.map(([variable]) => given[variable.slot]);
  if (untouched) values.forEach(([variable, value]) => put(variable, value));
  if (untouched ? begin(given) : change(values)) {
    wantedTime = R[S.time];
    look();
    if (values.some(([variable]) => variable.fixed) || untouched) look();
  } else {
    refuse(values);
    values.forEach(([variable], k) => { given[variable.slot] = had[k]; rows.find(row => row.variable === variable).write(had[k]); });
  }
  redress();
  if (!running) show(1);
}
function restart(variable, value) { // a start value: start anew at once, or stay as it is
  const had = given.slice();
  put(variable, value);
  if (begin(given)) { complain(''); shown(); return; }
  given.set(had);
  refuse([[variable, value]]);
  rows.find(row => row.variable === variable).write(had[variable.slot]);
}
function defaults() { // values of the model
  takeDefaults();
  for (const { variable, write } of rows) write(variable.start);
  pending.clear();
  redress();
  reset();
}

// ---- keys -----------------------------------------------------------------------------------------------------
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, held = new Set();
let chosen = 0; // body that arrow keys pull, while the view has the focus
function choose() { // the next body that can be pulled
  for (let k = 1; k <= BODIES; k++) {
    const body = (chosen + k) % BODIES;
    if (!pull.can(body)) continue;
    chosen = body;
    element('chosen').textContent = `arrow keys pull ${DATA.bodies[body].name}`;
    return;
  }
}
function pullByKeys() {
  const way = [0, 1].map(i => [...held].reduce((sum, key) => sum + ARROWS[key][i], 0));
  if (!held.size) { pull.end(); return; }
  if (!chosen) choose();
  if (!chosen) return;
  pull.press(chosen, ...way);
  play(true);
}
function keyDown(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const kind = event.target.tagName, typing = kind === 'SELECT' || kind === 'INPUT';
  if (event.key === ' ' && kind !== 'SELECT' && event.target.type !== 'number' && kind !== 'BUTTON' && kind !== 'SUMMARY') { event.preventDefault(); play(!running); }
  if (typing && event.target.type === 'number') return;
  if (event.key === 'r') reset();
  if (event.key === 'h') { wholeView(); draw(); }
  if (event.key === 'b') choose();
  if (!typing && Object.hasOwn(ARROWS, event.key)) { event.preventDefault(); held.add(event.key); pullByKeys(); }
}

// ---- what the user does ---------------------------------------------------------------------------------------
function picture() { // the view as a file
  render();
  const link = document.createElement('a');
  link.href = renderer.domElement.toDataURL('image/png');
  link.download = `${document.title}.png`;
  link.click();
}
function listen() {
  const canvas = renderer.domElement;
  for (const speed of DATA.rates) rate.add(new Option(`${speed}×`, speed));
  const first = String(option('rate', ...SPEEDS, DATA.rate));
  if (![...rate.options].some(option => option.value === first)) rate.add(new Option(`${first}×`, first));
  rate.value = first;
  element('play').onclick = () => play(!running);
  element('reset').onclick = reset;
  element('defaults').onclick = defaults;
  element('picture').onclick = picture;
  element('home').onclick = () => { wholeView(); draw(); };
  element('message').lastElementChild.onclick = () => complain('');
  for (const [id, changed] of [['inputs', later], ['parameters', later], ['starts', restart]]) {
    element(id).hidden = !DATA[id].length;
    for (const variable of DATA[id]) control(element(id), variable, changed);
  }
  element('starts').open = !DATA.inputs.length && !DATA.parameters.length; // folded beside others
  controls.addEventListener('start', () => { home = false; });
  controls.addEventListener('change', draw);
  canvas.addEventListener('pointerdown', event => { if (pull.begin(event)) { canvas.setPointerCapture(event.pointerId); play(true); } }, { capture: true });
  canvas.addEventListener('pointermove', event => {
    pull.move(event);
    if (event.buttons || event.pointerType === 'touch') { label.hidden = true; return; }
    hover(event);
    canvas.style.cursor = DATA.grab && !label.hidden ? 'grab' : '';
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, () => pull.end());
  canvas.addEventListener('pointerleave', () => { label.hidden = true; });
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (isIntersecting && !visible && running) awake();
    visible = isIntersecting;
  }).observe(view);
  addEventListener('resize', resize);
  addEventListener('resize', () => plots.forEach(({ made, host }) => made.setSize({ width: host.clientWidth || 364, height: 140 })));
  addEventListener('keydown', keyDown);
  addEventListener('keyup', event => { if (held.delete(event.key)) pullByKeys(); });
  addEventListener('blur', () => { held.clear(); pull.end(); });
}

listen();
if (asked.has('bare')) document.body.classList.add('bare');
const good = reset();
if (DATA.follow > 0) origin.fromArray(point(DATA.follow, [0, 0, 0]));
const ahead = option('t', 0, LONGEST, 0);
if (good && ahead) { advance(ahead, performance.now() + 10000); plot(); }
if (good) show(1);
if (good && unusable.length) complain(unusable.join(' '));
resize();
dispatchEvent(new Event('resize'));
render();
if (good && (DATA.play || asked.has('play'))) play(true);
