import { getEventListeners } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ByteStream } from "../network.ts";
import { systemNetwork } from "./network.ts";

const HOST = "127.0.0.1";
const signal = () => new AbortController().signal;

/** A listener, and the streams that it has accepted, with what each received. */
async function listening() {
  const accepted: { stream: ByteStream; text: string; ends: (Error | undefined)[] }[] = [];
  const { port, close } = await systemNetwork.listen({ host: HOST, port: 0 }, (stream) => {
    accepted.push(heard(stream));
  });
  onTestFinished(async () => {
    for (const { stream } of accepted) stream.close(true);
    await close();
  });
  return { accepted, address: { host: HOST, port } };
}

function heard(stream: ByteStream) {
  const all = { stream, text: "", ends: [] as (Error | undefined)[] };
  stream.receive(
    (bytes) => {
      all.text += Buffer.from(bytes).toString();
    },
    (failure) => void all.ends.push(failure),
  );
  return all;
}
const bytes = (text: string) => new TextEncoder().encode(text);

describe("streams of the machine", () => {
  it("carry bytes both ways, and end on both sides once one is closed", async () => {
    const { accepted, address } = await listening();
    const own = heard(await systemNetwork.connect(address, 5_000, signal()));
    own.stream.write(bytes("ping"));
    await expect.poll(() => accepted[0]?.text).toBe("ping");
    const [other] = accepted as [(typeof accepted)[0]];
    expect(other.stream.remote).toEqual(own.stream.local);
    expect(own.stream.remote).toEqual(address);
    other.stream.write(bytes("pong"));
    other.stream.close();
    await expect.poll(() => [own.text, own.ends.length, other.ends.length]).toEqual(["pong", 1, 1]);
    expect([own.ends, other.ends]).toEqual([[undefined], [undefined]]);
    own.stream.write(bytes("late"));
    own.stream.close();
    expect(own.stream.unsent).toBe(0);
  });

  it("end with the error that broke them", async () => {
    const server = createServer((socket) => socket.on("data", () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const own = heard(await systemNetwork.connect({ host: HOST, port }, 5_000, signal()));
    own.stream.write(bytes("ping"));
    await expect.poll(() => own.ends.length).toBe(1);
    expect(own.ends[0]).toMatchObject({ code: "ECONNRESET" });
  });

  it("are flushed when they are closed, unless at once", async () => {
    const { accepted, address } = await listening();
    const SIZE = 8 << 20;
    const [flushed, cut] = await Promise.all(
      [1, 2].map(() => systemNetwork.connect(address, 5_000, signal())),
    );
    // however long a busy machine takes
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const stream of [flushed, cut] as ByteStream[]) stream.write(new Uint8Array(SIZE).fill(120));
    cut?.close(true);
    flushed?.close();
    flushed?.close();
    await expect.poll(() => accepted.map(({ ends }) => ends.length)).toEqual([1, 1]);
    const [most, least] = accepted.map(({ text }) => text.length).sort((a, b) => b - a);
    expect(most).toBe(SIZE);
    expect(least).toBeLessThan(SIZE);
  });

  it("receive nothing while they are paused", async () => {
    const { accepted, address } = await listening();
    const own = heard(await systemNetwork.connect(address, 5_000, signal()));
    await expect.poll(() => accepted.length).toBe(1);
    own.stream.pause();
    const [other] = accepted as [(typeof accepted)[0]];
    other.stream.write(bytes("held"));
    const probe = heard(await systemNetwork.connect(address, 5_000, signal()));
    await expect.poll(() => accepted.length).toBe(2);
    accepted[1]?.stream.write(bytes("passed"));
    await expect.poll(() => probe.text).toBe("passed");
    expect(own.text).toBe("");
    own.stream.resume();
    await expect.poll(() => own.text).toBe("held");
    for (const { stream } of [own, probe]) stream.close(true);
  });

  it("are not opened where nobody listens, or once the attempt is cancelled", async () => {
    const { port, close } = await systemNetwork.listen({ host: HOST, port: 0 }, () => {});
    await close();
    const dial = (given = signal()) => systemNetwork.connect({ host: HOST, port }, 5_000, given);
    const kept = signal();
    await expect(dial(kept)).rejects.toThrow("ECONNREFUSED");
    // a signal that outlives many attempts gathers no listeners
    await expect.poll(() => getEventListeners(kept, "abort")).toEqual([]);
    await expect(dial(AbortSignal.abort())).rejects.toThrow("the connection attempt was cancelled");
  });

  it("cannot be accepted on a port in use", async () => {
    const { address } = await listening();
    await expect(systemNetwork.listen(address, () => {})).rejects.toThrow("EADDRINUSE");
  });
});
