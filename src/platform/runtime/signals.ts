import { setMaxListeners } from "node:events";

/** Lets many calls of one client listen for its disconnection: otherwise Node.js warns at the eleventh. */
export function watchedByMany(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
