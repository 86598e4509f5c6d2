import { beforeEach, describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { type Logger, silentLogger } from "../../platform/telemetry/logger.ts";
import { StreamError } from "./errors.ts";
import type { EventStream } from "./event-stream.ts";
import { FakeBroker, FakeChain, fakeStream } from "./testing/fakes.ts";

const PATH = "/data/chaindatafetcher.json";

describe("an event stream", () => {
  let runtime: SimulatedRuntime;
  let chain: FakeChain;
  let broker: FakeBroker;
  let stream: EventStream;
  const open = () => fakeStream(runtime, chain, broker, PATH);
  const later = (ms = 0) => runtime.advance(ms);

  beforeEach(() => {
    runtime = createSimulatedRuntime();
    runtime.files.createDirectory("/data");
    chain = new FakeChain();
    broker = new FakeBroker();
    stream = open();
  });

  it("begins with the newest block and follows the chain", async () => {
    chain.names.push("a", "b");
    stream = open();
    stream.startFetching();
    await later();
    chain.add("c", "d");
    await later();
    expect(broker.received).toEqual(["2 b", "3 c", "4 d"]);
    expect(stream.next).toBe(5n);
  });

  it("continues after a restart without a gap, repeating blocks after the checkpoint", async () => {
    stream.startFetching();
    chain.add("a", "b");
    await later(200); // the checkpoint is on disk
    chain.add("c");
    await later(); // sent and acknowledged, the checkpoint is not written: the process dies
    const { names } = chain;
    chain = new FakeChain();
    chain.names = names;
    stream = open();
    stream.startFetching();
    chain.add("d");
    await later();
    expect(broker.received).toEqual(["1 a", "2 b", "3 c", "3 c", "4 d"]);
  });

  it("repeats nothing after a clean stop", async () => {
    stream.startFetching();
    chain.add("a", "b");
    await later();
    await stream.close();
    stream = open();
    stream.startFetching();
    chain.add("c");
    await later();
    expect(broker.received).toEqual(["1 a", "2 b", "3 c"]);
  });

  it("logs no password that a broker repeats", async () => {
    const warn = vi.fn();
    stream = fakeStream(runtime, chain, broker, PATH, { ...silentLogger, warn } as unknown as Logger);
    broker.open = async () => {
      throw new Error(`CONNECT with secret is refused${" ".repeat(266)}secret ${"x".repeat(1000)}`);
    };
    stream.startFetching();
    chain.add("a");
    await later(5_000);
    expect(warn).toHaveBeenCalled();
    expect(warn.mock.calls.at(-1)?.[1]).toMatchObject({
      reason: `CONNECT with … is refused${" ".repeat(266)}… ${"x".repeat(7)}`,
    });
    await stream.close();
  });

  it("waits for a broker that is down, however long, and loses nothing", async () => {
    broker.isDown = true;
    stream.startFetching();
    chain.add("a", "b");
    await later(3_600_000);
    expect(broker.received).toEqual([]);
    broker.isDown = false;
    chain.add("c");
    await later(10_000);
    expect(broker.received).toEqual(["1 a", "2 b", "3 c"]);
  });

  it("bounds what it prepares ahead of a slow broker", async () => {
    broker.isHeld = true;
    chain.names.push("a");
    stream = open();
    stream.startFetching();
    chain.add(..."bcdefghij");
    await later();
    expect(chain.maxMaking).toBeLessThanOrEqual(3);
    broker.isHeld = false;
    broker.acknowledge();
    await later();
    expect(broker.received).toEqual([..."abcdefghij"].map((name, i) => `${i + 1} ${name}`));
  });

  it("publishes replacement blocks", async () => {
    stream.startFetching();
    chain.add("a", "b", "c");
    await later();
    chain.replaceFrom(2, "x", "y");
    await later();
    expect(broker.received).toEqual(["1 a", "2 b", "3 c", "2 x", "3 y"]);
  });

  it("publishes the replacement of a block being sent", async () => {
    broker.isHeld = true;
    stream.startFetching();
    chain.add("a");
    await later();
    chain.replaceFrom(1, "x");
    broker.isHeld = false;
    broker.acknowledge();
    await later();
    expect(broker.received).toEqual(["1 a", "1 x"]);
    expect(stream.next).toBe(2n);
  });

  it("continues with the chain when a removed block has no replacement yet", async () => {
    broker.isHeld = true;
    stream.startFetching();
    chain.add("a", "b", "c");
    await later();
    chain.replaceFrom(2);
    broker.isHeld = false;
    broker.acknowledge();
    await later(60_000);
    chain.add("x");
    await later(60_000);
    expect(broker.received).toEqual(["1 a", "2 x"]);
  });

  it("publishes again from far enough back if the chain changed while it was down", async () => {
    stream.startFetching();
    chain.add(...Array.from({ length: 200 }, (_, i) => `a${i}`));
    await later();
    await stream.close();
    broker.received.length = 0;
    chain.names = [...chain.names.slice(0, 190), "x", "y"]; // up to block 191
    stream = open();
    stream.startFetching();
    await later();
    expect(broker.received[0]).toBe("64 a63");
    expect(broker.received.slice(-2)).toEqual(["190 x", "191 y"]);
  });

  it("pauses, and reports it, if a block can never be published", async () => {
    chain.failure = new StreamError("PAUSED", "the state is not kept");
    stream.startFetching();
    chain.add("a");
    await later();
    expect(stream.status.fetching).toBe(false);
    chain.failure = undefined;
    stream.startFetching();
    await later();
    expect(broker.received).toEqual(["1 a"]);
  });

  it("publishes a range once more, and leaves the checkpoint unchanged", async () => {
    stream.startFetching();
    chain.add("a", "b", "c");
    await later();
    stream.startRangeFetching(0n, 2n, ["block", "trace"]);
    expect(stream.status).toEqual({ fetching: true, rangeFetching: true });
    await later();
    expect(broker.received.slice(3)).toEqual(["1 a", "2 b"]);
    expect(stream.status.rangeFetching).toBe(false);
    expect(stream.next).toBe(4n);
  });

  it("gives a block that returned to the chain a new id, and all attempts of one publication the same id", async () => {
    stream.startFetching();
    chain.add("a");
    await later();
    chain.replaceFrom(1, "x");
    await later();
    chain.replaceFrom(1, "a");
    await later();
    expect(broker.received).toEqual(["1 a", "1 x", "1 a"]);
    expect(new Set(broker.ids).size).toBe(3);
    broker.fails = 2; // after the broker has received it
    chain.add("b");
    await later(10_000);
    expect(broker.received.slice(3)).toEqual(["2 b", "2 b", "2 b"]);
    expect(new Set(broker.ids.slice(3)).size).toBe(1);
  });

  it("never publishes a removed block of a range after its replacement", async () => {
    stream.startFetching();
    chain.add("a", "b", "c");
    await later();
    broker.isDown = true;
    stream.startRangeFetching(2n, 3n, ["block"]);
    await later(5_000);
    chain.replaceFrom(2, "x", "y");
    broker.isDown = false;
    await later(60_000);
    const of = (number: number) => broker.received.filter((text) => text.startsWith(`${number} `));
    expect(of(2)).toEqual(["2 b", "2 x", "2 x"]);
    expect(of(3)).toEqual(["3 c", "3 y", "3 y"]);
    expect(stream.status.rangeFetching).toBe(false);
  });

  it("sends one message at a time, also when following leaves one behind and a range waits for it", async () => {
    chain.names.push("a", "b");
    stream = open();
    broker.isHeld = true;
    stream.startFetching();
    await later();
    stream.startRangeFetching(1n, 1n, ["block"]);
    await later();
    chain.replaceFrom(2, "c"); // "b" is still being sent
    await later();
    for (let i = 0; i < 4; i++) {
      broker.acknowledge();
      await later();
    }
    expect([...broker.received].sort()).toEqual(["1 a", "2 b", "2 c"]);
    expect(broker.maxSending).toBe(1);
  });

  it("stops while a broker does not respond", async () => {
    broker.isHeld = true;
    stream.startFetching();
    chain.add("a");
    await later();
    const closed = stream.close();
    await later();
    await closed;
    expect(stream.next).toBe(1n);
  });

  it("rejects a damaged checkpoint, naming the file", async () => {
    await runtime.files.replace(PATH, new TextEncoder().encode('{"next":"-1"}'));
    expect(open).toThrowError(/^\/data\/chaindatafetcher.json is not a checkpoint/);
  });
});
