#!/usr/bin/env bash
# Makes library.js and library.css of three.js and uPlot (both MIT) from npm, by esbuild, and notes their hashes.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp entry.js package.json package-lock.json "$work"
cd "$work"
version() { node -p "JSON.parse(require('fs').readFileSync('node_modules/$1/package.json')).version"; }
npm ci --no-audit --no-fund --silent
{
    echo "/* three.js $(version three)"
    cat node_modules/three/LICENSE
    echo "*//* uPlot $(version uplot)"
    cat node_modules/uplot/LICENSE
    echo "*/"
    node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=LIB --legal-comments=none --target=es2020
} > library.js
cp node_modules/uplot/dist/uPlot.min.css library.css
sha256sum library.js library.css > library.sha256
cd - > /dev/null
cp "$work"/library.js "$work"/library.css "$work"/library.sha256 .
