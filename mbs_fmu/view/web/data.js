// Data of a page: one JSON object, whose arrays of numbers are base64, little endian. Options stand after # in the address.
'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const asked = new URLSearchParams(location.hash.slice(1));
const unusable = []; // messages about options that are not used
function option(name, least, most, otherwise) { // the number of an option; `otherwise` without one between these bounds
  if (!asked.has(name)) return otherwise;
  const text = asked.get(name), number = text.trim() ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  unusable.push(`${name}=${text.slice(0, 40)} in the address is not used: give a number from ${least} to ${most}.`);
  return otherwise;
}
const element = name => document.getElementById(name);
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const floats = text => new Float32Array(bytes(text));
function needs(there, text) { // what the browser gives; without it the page says so in place of the view
  if (there) return there;
  document.body.classList.add('lacking'); // hides all that later scripts may still add
  element('view').setAttribute('role', 'alert');
  element('view').textContent = text;
  throw new Error(text);
}
