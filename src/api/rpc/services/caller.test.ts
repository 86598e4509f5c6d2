import { expect, it } from "vitest";
import type { Access } from "../engine/registry.ts";
import { createSession } from "../engine/session.ts";
import { clientOf, identityOf } from "./caller.ts";

const signal = new AbortController().signal;

/** Sessions of two requests, each with a signal of its own, as the transports make them. */
function sessions(of: { readonly connection?: object; readonly address?: string }) {
  return [1, 2].map(() => createSession({} as Access, { ...of, signal: new AbortController().signal }));
}

it("treats the requests of one HTTP connection as one client", () => {
  const connection = {};
  const clients = sessions({ connection, address: "127.0.0.1" }).map((session) => identityOf(session).client);
  expect(clients).toEqual([connection, connection]);
});

it("treats a network as one client, however many connections it opens", () => {
  const addresses = ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::2"];
  const clients = addresses.map((address) => clientOf({ signal, connection: {}, address }));
  expect(clients[1]).toBe(clients[0]);
  expect(clients[3]).toBe(clients[2]);
  expect(clients[2]).not.toBe(clients[0]);
});

it("tells programs of this machine apart by their connections, and callers without one by their signals", () => {
  const [one, other] = [{}, {}];
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    expect([one, other].map((connection) => clientOf({ signal, connection, address }))).toEqual([one, other]);
  expect(clientOf({ signal })).toBe(signal);
});

it("does not create a signal for a request with a connection", () => {
  const connection = {};
  const client = {
    connection,
    get signal(): AbortSignal {
      throw new Error("made");
    },
  };
  expect(clientOf(client)).toBe(connection);
});
