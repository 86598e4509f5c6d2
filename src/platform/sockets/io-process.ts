import { Socket } from "node:net";
import { PIPE_FD, serveSockets } from "./serve-sockets.ts";

// The main process ends this one, also when a terminal's Ctrl-C reaches both.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("SIGHUP", () => {});
process.on("disconnect", () => process.exit());
serveSockets(new Socket({ fd: PIPE_FD }));
process.send?.("ready", () => {}); // if the main process has gone meanwhile, so will this one
