// The model of a live page: its kernels (WebAssembly) on one record; DATA says where each number stands. This script
// uses no document, so tests run it without a browser.
'use strict';
const S = DATA.slots, TICK = DATA.tick, OK = 0n, BUDGET = 3n; // statuses that kernels return
const CALL = DATA.adaptive ? 64n : 65536n; // most steps of a call, after which the clock is asked
needs(globalThis.WebAssembly, 'The model runs as WebAssembly, which this browser does not have or has switched off, as lockdown and enhanced security modes do: allow it for this page, or open the page in another browser.');
const X = new WebAssembly.Instance(new WebAssembly.Module(bytes(DATA.wasm)), {}).exports;
if (X._initialize) X._initialize();
const recordAt = address => new Float64Array(X.memory.buffer, address.value, DATA.record.size); // memory never grows
const R = recordAt(X.record), SAVED = recordAt(X.saved);
const given = new Float64Array(DATA.record.size); // the numbers of the next start
function takeDefaults() { given.fill(0).set(new Float64Array(bytes(DATA.record.first))); } // those of the model
takeDefaults();
const START = given[S.time];
let started = START, ticks = 0; // time of the last start, s, and ticks since then
let reason = ''; // why the last start or step failed

function begin(from) { // start from these numbers; false if that fails, and then the record is as it was
  SAVED.set(R);
  R.set(from);
  const status = X.kernel_initialise(X.record.value);
  if (status !== OK) {
    reason = sentence(DATA.say.start[status] || DATA.say.no_inertia);
    R.set(SAVED);
    return false;
  }
  X.kernel_set_tolerances(X.record.value, BigInt(S.project), DATA.tolerance, DATA.tolerance, 0.01 * DATA.tolerance);
  refresh();
  started = R[S.time]; ticks = 0;
  return true;
}
function refresh() { X.kernel_refresh(X.record.value, X.tables.value); }

function goOn() { // from the present state, with other masses or lengths; loops are assembled again
  const next = given.slice();
  next[S.time] = R[S.time];
  for (const [first, size] of DATA.states) next.set(R.subarray(first, first + size), first);
  next.set(R.subarray(S.inputs, S.inputs + S.inputs_size), S.inputs);
  next.fill(0, S.calculated, S.calculated + S.calculations);
  return begin(next);
}

function copyChanging(from, to) { // the numbers that steps change and later steps read
  for (const [first, size] of DATA.record.changing) to.set(from.subarray(first, first + size), first);
}
function tick() { // to the next time of the grid: 1 there, 0 on the way, -1 failed, and then taken back
  const stop = started + (ticks + 1) * TICK;
  if (R[S.time] <= started + ticks * TICK) copyChanging(R, SAVED); // calls of one tick go back to its beginning
  const status = X.kernel_advance(X.record.value, X.tables.value, stop, DATA.bound, CALL);
  if (status === BUDGET) return 0;
  if (status !== OK) {
    reason = sentence(DATA.say.step[status] || DATA.say.non_finite);
    const inputs = R.slice(S.inputs, S.inputs + S.inputs_size); // they may have changed on the way
    copyChanging(SAVED, R);
    if (inputs.some((value, k) => value !== R[S.inputs + k])) R[S.fresh] = 0;
    R.set(inputs, S.inputs);
    refresh();
    return -1;
  }
  refresh();
  ticks++;
  return 1;
}

function put(variable, value) { // a value of the next start; one that follows from parameters no longer does
  given[variable.slot] = value;
  if (variable.flag != null) given[variable.flag] = 0;
}
function change(values) { // of inputs and parameters, [variable, value] each; false if refused, and then all is as it was
  const before = given.slice();
  for (const [variable, value] of values) put(variable, value);
  if (values.some(([variable]) => variable.fixed)) {
    if (DATA.restarts ? begin(given) : goOn()) return true; // modes and samples do not survive a start
    given.set(before);
    return false;
  }
  for (const [variable, value] of values) R[variable.slot] = SAVED[variable.slot] = value; // a step taken back keeps them
  R[S.fresh] = SAVED[S.fresh] = 0;
  refresh();
  return true;
}
function refusal(variable, value) { // why a value cannot be, or ''
  const low = variable.least ?? -Infinity, high = variable.most ?? Infinity;
  const text = !Number.isFinite(value) ? DATA.say.not_finite : value < low || value > high ? DATA.say.out_of_range : '';
  const fields = new Map([['what', variable.what], ['thing', variable.name], ['value', digits(value)], ['low', digits(low)], ['high', digits(high)]]);
  return text.replace(/\{(\w+)\}/g, (_, field) => fields.get(field)) + (text && variable.unit ? `; its unit is ${variable.unit}` : '');
}

function sentence(said) { // about a failure, with numbers of the record
  const numbers = new Map(Object.entries(DATA.say.numbers));
  return said.text.replace(/\{(\w+)\}/g, (_, field) => {
    if (numbers.has(field)) return digits(R[numbers.get(field)]);
    return field === 'loop' ? DATA.say.loops[R[DATA.say.fault]] : said.things[R[said.which]];
  });
}
function digits(number) { // as Python's format .9g
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf';
  const [mantissa, power] = number.toExponential(8).split('e'), exponent = +power;
  const short = text => text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  if (exponent >= -4 && exponent < 9) return short(number.toFixed(8 - exponent));
  return `${short(mantissa)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

// ---- the room of the motion, from a run ahead -------------------------------------------------------------------
const point = (k, [x, y, z]) => { // of body k (0: the world), from its axes to those of the world
  if (!k) return [x, y, z];
  const a = DATA.poses[k - 1];
  return [0, 1, 2].map(i => R[a + i] + R[a + 3 + 3 * i] * x + R[a + 4 + 3 * i] * y + R[a + 5 + 3 * i] * z);
};
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const reached = { from: null, far: [], corners: [], low: Infinity, high: -Infinity }; // by direction; a followed body stays
function reach() { // take in where the bodies are; true if that is much further than before
  const at = DATA.follow > 0 ? point(DATA.follow, [0, 0, 0]) : [0, 0, 0];
  reached.from = reached.from || at;
  let low = Infinity, further = false;
  DATA.corners.forEach((corners, k) => corners.forEach(local => {
    const x = point(k, local).map((value, i) => value - at[i] + reached.from[i]);
    if (!x.every(Number.isFinite)) return;
    low = Math.min(low, dot(x, DATA.up));
    DATA.ways.forEach((way, j) => {
      const far = dot(way, x);
      if (far <= reached.far[j]) return;
      further = further || !(far < reached.far[j] + 0.03 * DATA.size);
      reached.far[j] = far; reached.corners[j] = x;
    });
  }));
  if (low < Infinity) { reached.low = Math.min(reached.low, low); reached.high = Math.max(reached.high, low); }
  return further;
}
function findRoom(seconds, milliseconds) { // where it moves in so many s, or as far as it comes in so many ms
  const until = performance.now() + milliseconds;
  if (!begin(given)) return;
  reach();
  for (let k = 1; ticks * TICK < seconds && performance.now() < until; k++) {
    if (tick() < 0) break;
    if (k % 8 === 0) reach();
  }
  if (!reached.corners.length) return; // nothing is drawn: the room of the start
  const ends = DATA.axes.map(axis => { const along = reached.corners.map(x => dot(x, axis)); return [Math.min(...along), Math.max(...along)]; });
  const size = Math.max(1e-6, Math.hypot(...ends.map(([low, high]) => high - low)));
  const stands = reached.high - reached.low < 0.02 * size, middle = ends.map(([low, high]) => (low + high) / 2);
  Object.assign(DATA, {
    size, reach: Math.max(DATA.reach, size), room: reached.corners,
    center: [0, 1, 2].map(i => DATA.axes[0][i] * middle[0] + DATA.axes[1][i] * middle[1] + DATA.axes[2][i] * middle[2]),
    floor: reached.low - (stands ? 0 : 0.06 * size), grid: nice(size / 7),
  });
}
function nice(length) { // the nearest 1, 2 or 5 times a power of ten
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [1, 2, 5, 10].reduce((a, b) => Math.abs(Math.log(a * power / length)) <= Math.abs(Math.log(b * power / length)) ? a : b);
}
findRoom(6, 250);

// ---- shapes follow parameters -----------------------------------------------------------------------------------
function reshape() { // numbers of DATA for the present parameters; the bodies and links that change
  const bodies = new Set(), links = new Set();
  for (const { place, base, by, length } of DATA.changes) {
    let value = by.reduce((sum, [slot, at, slope]) => sum + slope * (given[slot] - at), base);
    if (length) value = Math.min(5 * base, Math.max(0.2 * base, value)); // slopes hold for small changes only
    const at = place.slice(0, -1).reduce((data, key) => data[key], DATA), last = place[place.length - 1];
    if (at[last] === value) continue;
    at[last] = value;
    (place[0] === 'bodies' ? bodies : links).add(place[1]);
  }
  return { bodies, links };
}
