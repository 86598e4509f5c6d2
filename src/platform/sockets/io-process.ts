import { Socket } from "node:net";
import { PIPE_FD, serveSockets } from "./serve-sockets.ts";

// The main process decides when this one ends, even if a terminal's Ctrl-C signals both.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("SIGHUP", () => {});
process.on("disconnect", () => process.exit());
const pipe = new Socket({ fd: PIPE_FD });
pipe.on("error", () => process.exit()); // the main process is gone
serveSockets(pipe);
process.send?.("ready", () => {}); // a failure means the same, and "disconnect" follows
