// `npm run cluster [-- --seconds N]`: several nodes over one database, after installing and building what they need. All within
// this process, so that Ctrl-C stops everything it has started, and waits for it.
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

process.env.P2P_ADDR ??= "127.0.0.1";
ensureInstalled();
ensureBuilt();
const { register } = await import("tsx/esm/api"); // is installed by now
register();
await import("../test/cluster/demo.ts");
