import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { HttpService } from "./service.ts";
import { ask, CLOSING, faults, MIB, ok, open, REQUEST, serve } from "./testing/server.ts";

const broken = (): never => {
  throw new RangeError("Invalid string length");
};

describe("a failure ends its own connection", () => {
  it.each<[string, Partial<HttpService>]>([
    ["of a handler", { admit: () => ok(broken) }],
    ["of a handler that waits", { admit: () => ok(async () => broken()) }],
    ["of the rules", { admit: broken }],
    [
      "of an answer that is too long",
      { admit: () => ok(() => ({ ...tooLong(), status: 200, headers: "" })) },
    ],
    ["of an upgrade", { upgrades: () => true, upgrade: broken }],
  ])("%s", async (name, service) => {
    const fine = { admit: () => ok(() => "fine") };
    let isBroken = true;
    const request = name.includes("upgrade") ? REQUEST.replace("Host", "Upgrade: x\r\nHost") : REQUEST;
    await serve({
      admit: (head, client) => (isBroken ? (service.admit ?? fine.admit) : fine.admit)(head, client),
      upgrades: () => isBroken && service.upgrades !== undefined,
      upgrade: service.upgrade ?? broken,
    });
    expect(await ask(request)).toBe("");
    expect(faults).toEqual([expect.objectContaining({ message: "Invalid string length" })]);
    isBroken = false;
    expect(await ask(CLOSING)).toContain("fine");
  });

  it("of a socket at every write", async () => {
    await serve({ admit: () => ok(() => "x".repeat(MIB)) });
    const sockets = Array.from({ length: 20 }, open);
    for (const socket of sockets) {
      socket.write(REQUEST.repeat(10));
      socket.once("data", () => socket.resetAndDestroy());
    }
    await Promise.all(sockets.map((socket) => once(socket, "close")));
    expect(await ask(CLOSING)).toContain("200 OK");
    expect(faults).toEqual([]);
  });

  /** A body whose length cannot be counted, as when V8 refuses to make the text. */
  function tooLong(): { body: string } {
    return {
      get body(): string {
        return broken();
      },
    };
  }
});
