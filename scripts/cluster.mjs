// `npm run cluster [-- --seconds N]`: several nodes over one database, after installing and building what they need. All within
// this process, so that Ctrl-C ends what it has started, and waits for it.
import { register } from "tsx/esm/api";
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

process.env.P2P_ADDR ??= "127.0.0.1";
ensureInstalled();
ensureBuilt();
register();
await import("../test/cluster/demo.ts");
