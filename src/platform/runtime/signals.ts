import { setMaxListeners } from "node:events";

/** Lets many calls of one client wait for its leaving: otherwise Node.js warns of the eleventh. */
export function watchedByMany(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
