import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { PeerBackoffs } from "./peer-backoffs.ts";

const peer = { id: "aa" } as ChainPeer;
const sameNode = { id: "aa" } as ChainPeer;
const other = { id: "bb" } as ChainPeer;

function backoffs() {
  const runtime = createSimulatedRuntime();
  let ended = 0;
  const left = new PeerBackoffs(runtime.timers, () => ended++);
  return { runtime, left, ended: () => ended };
}

it("backs off longer after each failure of a node, whatever its session", async () => {
  const { runtime, left, ended } = backoffs();
  for (const [index, seconds] of [10, 20, 40, 80, 160, 320, 600, 600].entries()) {
    left.add(peer);
    await runtime.advance(seconds * 1_000 - 1);
    expect(left.has(sameNode)).toBe(true);
    expect(ended()).toBe(index);
    await runtime.advance(1);
    expect(left.has(sameNode)).toBe(false);
    expect(ended()).toBe(index + 1);
  }
  expect(left.has(other)).toBe(false);
});

it("backs off ten minutes from a node that did not deliver the head it claimed", async () => {
  const { runtime, left } = backoffs();
  left.add(peer, true);
  await runtime.advance(599_999);
  expect(left.has(peer)).toBe(true);
  await runtime.advance(1);
  expect(left.has(peer)).toBe(false);
});

it("resets the back-off of a node that has delivered", async () => {
  const { runtime, left } = backoffs();
  left.add(peer);
  await runtime.advance(10_000);
  left.reset(peer);
  left.add(peer);
  await runtime.advance(10_000);
  expect(left.has(peer)).toBe(false);
});

it("remembers a thousand nodes, and keeps no timers of forgotten ones", () => {
  const { runtime, left } = backoffs();
  for (let i = 0; i < 1_200; i++) left.add({ id: String(i) } as ChainPeer);
  expect(runtime.scheduled).toBe(1_000);
  expect(left.has({ id: "199" } as ChainPeer)).toBe(false);
  expect(left.has({ id: "200" } as ChainPeer)).toBe(true);
  left.clear();
  expect(runtime.scheduled).toBe(0);
});
