// `npm start [-- arguments]`: installs and builds what is missing, then runs `kairn` in this process.
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

ensureInstalled();
ensureBuilt();
process.argv.splice(1, 1, new URL("../bin/kairn", import.meta.url).pathname);
if (process.argv.length === 2) process.argv.push("dev");
await import("../dist/main.js");
