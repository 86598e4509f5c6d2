import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpCaller } from "./client.ts";
import { type Listener, type ListenOptions, listenHttp } from "./listener.ts";
import { budget, CLOSING, MIB, REQUEST } from "./testing/server.ts";

/** A listener whose responses the test completes. */
async function listen(options: Partial<ListenOptions> = {}) {
  const callers: HttpCaller[] = [];
  const ending: (() => void)[] = [];
  const shared = budget();
  const listener = await listenHttp(
    {
      maxBody: MIB,
      admit: () => ({
        ...{ status: 200, headers: "", text: "", close: false },
        handle(body, client) {
          callers.push(client);
          return String(body) === "x" ? "fine" : new Promise((end) => ending.push(() => end("late")));
        },
      }),
    },
    { host: "127.0.0.1", port: 0, budget: shared, ...options },
  );
  onTestFinished(listener.close);
  return { listener, callers, ending, shared };
}

/** A connection that has sent this, and what it has got. */
async function opened({ port }: Listener, request: string): Promise<{ socket: Socket; got: () => string }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
  });
  await once(socket, "connect");
  socket.write(request);
  onTestFinished(() => void socket.destroy());
  return { socket, got: () => got };
}

const SLOW = REQUEST.replace(/x$/, "s");

describe("a listener", () => {
  it.each([
    ["127.0.0.1", /^127\.0\.0\.1:\d+$/],
    ["localhost", /^127\.0\.0\.1:\d+$/],
    ["::1", /^\[::1\]:\d+$/],
  ])("on %s says where it listens", async (host, address) => {
    const { listener } = await listen({ host });
    expect(listener.address).toMatch(address);
    expect(listener.address.endsWith(`:${listener.port}`)).toBe(true);
  });

  it("fails on an address that is taken", async () => {
    const { listener } = await listen();
    await expect(listen({ port: listener.port })).rejects.toThrow("EADDRINUSE");
  });

  it("counts each open connection in the budget of all, once", async () => {
    const { listener, shared } = await listen();
    const clients = [await opened(listener, REQUEST), await opened(listener, SLOW.slice(0, -1))];
    await expect.poll(() => [shared.connections.used, clients[0]?.got() !== ""]).toEqual([2, true]);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => shared.connections.used).toBe(0);
    await opened(listener, CLOSING);
    await expect.poll(() => shared.connections.used).toBe(0);
  });

  it("that is closed ends idle connections at once, and others after their responses", async () => {
    const { listener, ending } = await listen();
    const idle = await opened(listener, "");
    const begun = await opened(listener, SLOW.slice(0, -1));
    const slow = await opened(listener, SLOW + REQUEST);
    await expect.poll(() => ending.length).toBe(1);
    const closed = listener.close();
    await Promise.all([idle, begun].map(({ socket }) => socket.closed || once(socket, "close")));
    expect([slow.socket.closed, slow.got()]).toEqual([false, ""]);
    ending[0]?.();
    await closed;
    await expect.poll(() => slow.got()).toMatch(/\r\n\r\nlate$/);
    expect(slow.got().match(/late|fine/g)).toEqual(["late"]);
    await expect(opened(listener, "")).rejects.toThrow("ECONNREFUSED");
  });

  it("that is closed waits a second for responses, no longer", async () => {
    const { listener, ending, callers } = await listen();
    const slow = await opened(listener, SLOW);
    await expect.poll(() => ending.length).toBe(1);
    const { signal } = callers[0] as HttpCaller;
    await listener.close();
    expect([signal.aborted, slow.got()]).toEqual([true, ""]);
  });

  it("interrupts responses when the node stops, but sends what they come to", async () => {
    const stop = new AbortController();
    const { listener, ending, callers } = await listen({ stop: stop.signal });
    const slow = await opened(listener, SLOW);
    await expect.poll(() => ending.length).toBe(1);
    const { signal } = callers[0] as HttpCaller;
    expect(signal.aborted).toBe(false);
    stop.abort();
    expect(signal.aborted).toBe(true);
    ending[0]?.();
    await expect.poll(() => slow.got()).toMatch(/\r\n\r\nlate$/);
  });
});
