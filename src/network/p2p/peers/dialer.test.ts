import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { NodeType, type NodeUrl } from "../node-url.ts";
import { Dialer } from "./dialer.ts";

const node: NodeUrl = {
  ...{ id: new Uint8Array(64).fill(7), host: "10.0.0.1", tcp: 1, udp: 1, subports: [] },
  type: NodeType.unknown,
};

/** A dialer whose tries are counted. */
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

it("tries again, every half minute in the end", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.add(node);
  await runtime.advance(600_000);
  const before = state.tries;
  await runtime.advance(300_000);
  expect(state.tries - before).toBe(10);
});

it("dials a node again that was not wanted for a while", async () => {
  const { runtime, state, dialer } = counted(() => Promise.resolve());
  state.isWanted = false;
  dialer.add(node);
  await runtime.advance(100_000);
  expect(state.tries).toBe(0);
  state.isWanted = true;
  await runtime.advance(30_000);
  expect(state.tries).toBeGreaterThan(0);
});

it("dials no more once it is closed, and leaves no timer behind", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.add(node);
  await runtime.advance(10_000);
  dialer.close();
  const before = state.tries;
  await runtime.advance(100_000);
  expect([state.tries, runtime.scheduled]).toEqual([before, 0]);
});

it("gives a found node up after four tries, and takes it again five minutes later", async () => {
  const { runtime, state, dialer } = counted(() => Promise.reject(new Error("nobody there")));
  dialer.addFound(node);
  expect(dialer.has(node.id)).toBe(false); // nobody named it
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
