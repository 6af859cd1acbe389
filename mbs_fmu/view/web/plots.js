// What the plots of all pages share: colours, axes, and as many digits as distinguish the ticks.
'use strict';
const COLORS = ['#3572a5', '#d9622b', '#3f9142', '#8e5ea2', '#c4454d', '#5b8f97'];
const PLOTTED = (() => {
  const values = (u, marks, axis, space, step) => {
    const digits = Math.min(15, Math.ceil(Math.log10(Math.max(step, ...marks.map(Math.abs)) / step) + 1e-9) + 1);
    return marks.map(x => Math.abs(x) < 1e-6 * step ? '0' : String(+x.toPrecision(digits)));
  };
  const size = (u, labels) => Math.max(58, 18 + 7 * Math.max(0, ...(labels || []).map(label => label.length)));
  const lines = { stroke: '#57606a', grid: { stroke: '#eceff2' } };
  return { axes: () => [{ size: 28, ...lines }, { size, values, ...lines }] };
})();
const curve = (series, k) => ({ label: series.label, stroke: COLORS[k % COLORS.length], width: 1.5, pxAlign: 0 });
