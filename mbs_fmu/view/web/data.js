// Data of a page: one JSON object, whose arrays of numbers are base64, little endian. Options stand after # in the address.
'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const asked = new URLSearchParams(location.hash.slice(1));
const element = name => document.getElementById(name);
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const floats = text => new Float32Array(bytes(text));
