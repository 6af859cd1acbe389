// Before the library, which writes numbers in the browser's language: that of WebKitGTK may be "C", which is none.
'use strict';
try { new Intl.NumberFormat(navigator.language); } catch { Object.defineProperty(navigator, 'language', { value: 'en' }); }
