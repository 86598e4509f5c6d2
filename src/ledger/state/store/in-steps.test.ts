import { describe, expect, it } from "vitest";
import type { StagedState } from "../state.ts";
import { SimulatedMachine } from "../testing/machine.ts";
import { addressOf, balanceChange, contractChange, hashOf, MANY_CHANGES, slotOf } from "../testing/model.ts";

const FIRST = { accounts: [contractChange(100, [[3, 50]])], codes: [] };
const SECOND = { accounts: [{ ...contractChange(100, [[3, 9]]), storageCleared: true }], codes: [] };

function machine(): SimulatedMachine {
  const made = new SimulatedMachine({ recentBlocks: 5, archive: false });
  made.store.stage(FIRST).commit(block(0), []);
  return made;
}

function block(number: number) {
  return { number: BigInt(number), hash: hashOf(number) };
}

/** Runs steps to their end. @returns their result, and their number */
function counted<T>(steps: Generator<void, T>, look: (step: number) => void = () => {}): [T, number] {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return [step.value, count];
    look(count);
  }
}

describe("a block with many changes", () => {
  it("is hashed in steps without an effect, with the same result as at once, also for the blocks after it", () => {
    const [stepwise, atOnce] = [machine(), machine()];
    const before = stepwise.store.latest().root;
    const staged = atOnce.store.stage(MANY_CHANGES);
    const [inSteps, steps] = counted(stepwise.store.stageInSteps(MANY_CHANGES), () => {
      expect(stepwise.store.latest().root).toEqual(before);
      expect(stepwise.store.latest().account(addressOf(5))).toBeUndefined();
    });
    expect(steps).toBeGreaterThan(20);
    expect(inSteps.root).toEqual(staged.root);
    for (const [{ store }, made] of [
      [stepwise, inSteps],
      [atOnce, staged],
    ] as const) {
      made.commit(block(1), []);
      store.stage(SECOND).commit(block(2), []);
    }
    expect(stepwise.store.latest().root).toEqual(atOnce.store.latest().root);
    expect(stepwise.store.verify()).toEqual(atOnce.store.verify());
    expect([...(stepwise.store.at(1n)?.storage(addressOf(100), slotOf(3)) ?? [])]).toEqual([4]);
  });

  it("survives a power loss once it is on disk", async () => {
    const host = machine();
    const [staged] = counted(host.store.stageInSteps(MANY_CHANGES));
    await staged.commit(block(1), []).durable;
    host.losePower(() => 0);
    host.start();
    expect(host.store.latest().root).toEqual(staged.root);
    host.store.verify();
  });

  it("fails if the state changes between its steps", () => {
    const { store } = machine();
    const change = { accounts: [balanceChange(7, 1n)], codes: [] };
    const steps = () =>
      counted(store.stageInSteps(MANY_CHANGES), (step) => void (step === 9 && store.amend(change)));
    expect(steps).toThrow(expect.objectContaining({ code: "STATE_STALE" }));
    store.verify();
  });

  it("can be hashed concurrently with another", () => {
    const { store } = machine();
    const other = { ...MANY_CHANGES, accounts: MANY_CHANGES.accounts.slice(1) };
    const [first, second] = [store.stageInSteps(MANY_CHANGES), store.stageInSteps(other)];
    const done: StagedState[] = [];
    while (done.length < 2)
      for (const steps of [first, second]) {
        const step = steps.next();
        if (step.done && step.value) done.push(step.value);
      }
    expect(done.map(({ root }) => root)).toEqual([store.stage(other).root, store.stage(MANY_CHANGES).root]);
  });
});

describe("a rewind", () => {
  it("is hashed in steps without an effect, and then applied in one", () => {
    const host = machine();
    const { store } = host;
    const first = store.latest().root;
    store.stage(MANY_CHANGES).commit(block(1), []);
    store.stage(SECOND).commit(block(2), []);
    const last = store.latest().root;
    const [rewind, steps] = counted(store.rewindInSteps(0n), () => expect(store.latest().root).toEqual(last));
    expect(steps).toBeGreaterThan(10);
    expect(store.head?.number).toBe(2n);
    rewind(block(0), []);
    expect([store.head?.number, store.latest().root]).toEqual([0n, first]);
    expect([...store.latest().storage(addressOf(100), slotOf(3))]).toEqual([50]);
    store.verify();
    store.stage(SECOND).commit(block(1), []);
    store.verify();
  });

  it("fails once the state has changed", () => {
    const { store } = machine();
    store.stage(MANY_CHANGES).commit(block(1), []);
    const amend = () => void store.amend({ accounts: [balanceChange(7, 1n)], codes: [] });
    const during = () => counted(store.rewindInSteps(0n), (step) => step === 3 && amend());
    expect(during).toThrow(expect.objectContaining({ code: "STATE_STALE" }));
    const [rewind] = counted(store.rewindInSteps(0n));
    amend();
    expect(() => rewind(block(0), [])).toThrow(expect.objectContaining({ code: "STATE_STALE" }));
    expect(store.head?.number).toBe(1n);
    expect(() => store.rewindInSteps(9n).next()).toThrow(expect.objectContaining({ code: "STATE_ORDER" }));
  });
});
