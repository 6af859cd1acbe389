// Data of a page: one JSON object, whose arrays of numbers are base64, little endian. Options stand after # in the address.
'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const asked = new URLSearchParams(location.hash.slice(1));
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
