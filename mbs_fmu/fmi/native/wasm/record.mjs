// Makes the component that component.py completes: node record.mjs MODULE FILE, with npm's jco-transpile installed here.
// MODULE: core module of an FMU. FILE: the component; `component.with_module(it, EMPTY_MODULE)` is component.wasm.
import fs from "node:fs";
import { componentEmbed, componentNew } from "@bytecodealliance/jco-transpile/wasm-tools";

const [module, file] = process.argv.slice(2);
const witSource = fs.readFileSync(new URL("fmi3.wit", import.meta.url), "utf8");
const binary = fs.readFileSync(module);
const embedded = await componentEmbed({ binary, witSource, world: "fmu", stringEncoding: "utf8" });
fs.writeFileSync(file, await componentNew(embedded, []));
