import { setMaxListeners } from "node:events";

/** Lets any number of calls listen for a client's disconnection: Node.js warns about more than ten listeners. */
export function watchedByMany(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
