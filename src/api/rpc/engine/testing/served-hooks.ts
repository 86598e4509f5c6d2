import { string } from "../../../../protocol/codec/json/scalars.ts";
import type { SecretText } from "../../../../protocol/codec/json/secret.ts";
import { type Handlers, method } from "../../spec/method.ts";
import { echo, secret } from "../../testing/declarations.ts";
import { serveMethods } from "../../testing/serve-methods.ts";
import { RpcError, refused } from "../errors.ts";
import type { CallCounts, ServerOptions } from "../server-options.ts";

/** Of methods without parameters. */
export const params = {};
/** Methods that do one thing each. */
export const api = {
  echo,
  send: method({ summary: "Sends.", params, result: string, scope: "send" }),
  refuse: method({ summary: "Refuses.", params, result: string, scope: "state" }),
  revert: method({ summary: "Reverts.", params, result: string, scope: "state" }),
  wait: method({ summary: "Waits.", params, result: string, scope: "state" }),
  secret,
};

/** A server with test methods; `wait` returns once `finish` is called. */
export function serve(options: ServerOptions, { local = false } = {}) {
  const waiting: { resolve(text: string): void; reject(error: Error): void }[] = [];
  const held: SecretText[] = [];
  const handlers: Handlers<typeof api> = {
    echo: ({ text }, { onConsole }) => {
      onConsole?.([new Uint8Array([7])]);
      return text;
    },
    send: () => "sent",
    refuse: () => {
      throw refused("no");
    },
    revert: () => {
      throw new RpcError(3, "reverted", "0x08");
    },
    wait: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    secret: ({ passphrase }) => {
      held.push(passphrase as SecretText);
      return "ok";
    },
  };
  const served = serveMethods(api, handlers, options, { local });
  const { server, session } = served;
  const ask = (name: string, args: unknown[] = [], id = 1) =>
    server.answer(JSON.stringify({ jsonrpc: "2.0", id, method: name, params: args }), session);
  const finish = () => {
    for (const { resolve } of waiting.splice(0)) resolve("done");
  };
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  return { ...served, ask, finish, fail, held };
}

/** Counters that record their calls. */
export function createCounts() {
  const log: unknown[] = [];
  const begun: number[] = [];
  const counter = (name: string) => ({ add: (change?: number) => void log.push([name, change ?? 1]) });
  const counts = {
    begun: () => void begun.push(log.length),
    ended: (name: string | undefined, _: number, code?: number) => void log.push([name, code === undefined]),
    refused: (code: number) => void log.push(["refused", code]),
    ...{ subscribed: counter("subscribed"), unsubscribed: counter("unsubscribed") },
    ...{ limited: counter("limited"), connections: counter("connections") },
  };
  return { counts: counts as unknown as CallCounts, log, begun };
}
