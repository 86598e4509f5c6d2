import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { Asides } from "./asides.ts";
import type { ChainPeer } from "./chain-peer.ts";

const peer = { id: "aa" } as ChainPeer;
const sameNode = { id: "aa" } as ChainPeer;
const other = { id: "bb" } as ChainPeer;

function asides() {
  const runtime = createSimulatedRuntime();
  let ended = 0;
  const left = new Asides(runtime.timers, () => ended++);
  return { runtime, left, ended: () => ended };
}

it("leaves a node alone for longer each time that it fails, whatever session it has", async () => {
  const { runtime, left, ended } = asides();
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

it("leaves a node alone for ten minutes that did not deliver the head that it claimed", async () => {
  const { runtime, left } = asides();
  left.add(peer, true);
  await runtime.advance(599_999);
  expect(left.has(peer)).toBe(true);
  await runtime.advance(1);
  expect(left.has(peer)).toBe(false);
});

it("begins anew with one that has delivered", async () => {
  const { runtime, left } = asides();
  left.add(peer);
  await runtime.advance(10_000);
  left.forgive(peer);
  left.add(peer);
  await runtime.advance(10_000);
  expect(left.has(peer)).toBe(false);
});

it("remembers a thousand nodes, and no timer of those that it forgot", () => {
  const { runtime, left } = asides();
  for (let i = 0; i < 1_200; i++) left.add({ id: String(i) } as ChainPeer);
  expect(runtime.scheduled).toBe(1_000);
  expect(left.has({ id: "199" } as ChainPeer)).toBe(false);
  expect(left.has({ id: "200" } as ChainPeer)).toBe(true);
  left.clear();
  expect(runtime.scheduled).toBe(0);
});
