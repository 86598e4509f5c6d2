import { Registry } from "../engine/registry.ts";
import { RpcServer } from "../engine/server.ts";
import type { ServerOptions } from "../engine/server-options.ts";
import { createPushSession, createSession } from "../engine/session.ts";
import type { Api, Handlers } from "../spec/method.ts";
import { ticks } from "./declarations.ts";

const { signal } = new AbortController();
const push = { send() {}, cutOff() {} };

/**
 * Serves methods, and a subscription `ticks` without events, in the namespace `test`.
 * @param local - whether the caller is the node's owner
 */
export function serveMethods<A extends Api>(
  api: A,
  handlers: Handlers<A>,
  options: ServerOptions = {},
  { local = false } = {},
) {
  const registry = new Registry()
    .mount("test", api, handlers)
    .addSubscriptions("test", ticks, { ticks: () => () => undefined });
  const defects: unknown[][] = [];
  const server = new RpcServer((...defect) => defects.push(defect), options);
  const access = registry.access({ unsafe: true, local });
  return {
    ...{ server, access, defects },
    /** A remote caller that cannot receive events. */
    session: createSession(access, { signal, address: "192.0.2.1" }),
    /** A new connection that receives events. */
    connect: () => createPushSession(access, signal, push, server),
  };
}
