import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { NodeType, type NodeUrl } from "../node-url.ts";
import { Dialer } from "./dialer.ts";

const node: NodeUrl = {
  ...{ id: new Uint8Array(64).fill(7), host: "10.0.0.1", tcp: 1, udp: 1, subports: [] },
  type: NodeType.unknown,
};

/** A dialer whose attempts are counted. */
function counted(dial: () => Promise<void>) {
  const runtime = createSimulatedRuntime();
  const state = { tries: 0, isWanted: true };
  const dialer = new Dialer({
    ...runtime,
    isWanted: () => state.isWanted,
    dial: () => {
      state.tries++;
      return dial();
    },
  });
  return { runtime, state, dialer };
}

it("retries with back-off, at most every half minute", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.add(node);
  await runtime.advance(600_000);
  const before = state.tries;
  await runtime.advance(300_000);
  expect(state.tries - before).toBe(10);
});

it("redials a node that was removed for a while", async () => {
  const { runtime, state, dialer } = counted(() => Promise.resolve());
  state.isWanted = false;
  dialer.add(node);
  await runtime.advance(100_000);
  expect(state.tries).toBe(0);
  state.isWanted = true;
  await runtime.advance(30_000);
  expect(state.tries).toBeGreaterThan(0);
});

it("stops dialling when closed, and leaves no timer behind", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.add(node);
  await runtime.advance(10_000);
  dialer.close();
  const before = state.tries;
  await runtime.advance(100_000);
  expect([state.tries, runtime.scheduled]).toEqual([before, 0]);
});

it("gives up on a discovered node after four attempts, and accepts it again five minutes later", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.addFound(node);
  expect(dialer.has(node.id)).toBe(false); // it is not a static peer
  expect(dialer.found(node.type)).toBe(1);
  await runtime.advance(60_000);
  expect(state.tries).toBe(4);
  expect(dialer.found(node.type)).toBe(0);
  dialer.addFound(node);
  await runtime.advance(60_000);
  expect(state.tries).toBe(4);
  await runtime.advance(240_000);
  dialer.addFound(node);
  await runtime.advance(0);
  expect(state.tries).toBe(5);
});

it("makes one attempt at a time, even if a session with the node ends meanwhile", async () => {
  const { runtime, state, dialer } = counted(() => new Promise(() => {}));
  dialer.add(node);
  await runtime.advance(0);
  dialer.ended(node.id);
  await runtime.advance(60_000);
  expect(state.tries).toBe(1);
});
