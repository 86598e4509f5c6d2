// `npm start [-- arguments]`: installs and builds what is missing, then runs `kairn` in this process.
import { createRequire } from "node:module";
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

ensureInstalled();
ensureBuilt();
if (process.argv.length === 2) process.argv.push("dev");
createRequire(import.meta.url)("../bin/program.js").startProgram();
