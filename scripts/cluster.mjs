// `npm run cluster [-- --seconds N]`: several nodes over one database, after installing and building what they need. Everything
// runs in this process, so that Ctrl-C stops all of it, and waits.
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

process.env.P2P_ADDR ??= "127.0.0.1";
ensureInstalled();
ensureBuilt();
const { register } = await import("tsx/esm/api"); // is installed by now
register();
await import("../test/cluster/demo.ts");
