import { describe, expect, it } from "vitest";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { SimulatedMachine } from "../testing/machine.ts";
import { addressOf, balanceChange, contractChange, hashOf, MANY_CHANGES, slotOf } from "../testing/model.ts";

/** A machine with two blocks, so that an amendment becomes part of its history. */
function machine(): SimulatedMachine {
  const made = new SimulatedMachine({ recentBlocks: 5, archive: false });
  for (const number of [0n, 1n]) {
    const changes = { accounts: [contractChange(100, [[3, Number(number) + 50]])], codes: [] };
    made.store.stage(changes).commit({ number, hash: hashOf(Number(number)) }, []);
  }
  return made;
}

/** A pace that yields at every step. @param look - runs meanwhile */
function everyStep(look: () => void): Pace {
  return {
    isDue: () => true,
    async yield() {
      look();
      await Promise.resolve();
    },
  };
}

describe("a paced amendment", () => {
  it("is visible completely or not at all, in latest and past states, and can be undone", async () => {
    const [paced, atOnce] = [machine().store, machine().store];
    atOnce.amend(MANY_CHANGES);
    const before = paced.latest().root;
    let turns = 0;
    const amendment = await paced.amendAtPace(
      MANY_CHANGES,
      everyStep(() => {
        turns++;
        expect(paced.latest().root).toEqual(before);
        expect(paced.latest().account(addressOf(5))).toBeUndefined();
        expect([...paced.latest().storage(addressOf(100), slotOf(3))]).toEqual([51]);
      }),
    );
    expect(turns).toBeGreaterThan(20);
    expect(paced.latest().root).toEqual(atOnce.latest().root);
    expect(paced.verify()).toEqual(atOnce.verify());
    expect(paced.at(0n)?.account(addressOf(5))).toBeUndefined();
    expect([...(paced.at(0n)?.storage(addressOf(100), slotOf(3)) ?? [])]).toEqual([50]);
    await amendment.undo().durable;
    expect(paced.latest().root).toEqual(before);
    paced.verify();
  });

  it("is lost completely by a power failure before its record, and kept after it", async () => {
    const host = machine();
    const before = host.store.latest().root;
    const durable = host.store.write([]);
    await durable;
    let left = 30;
    const half = host.store.amendAtPace(
      MANY_CHANGES,
      everyStep(() => {
        if (--left === 0) throw new Error("the power fails");
      }),
    );
    await expect(half).rejects.toThrow("the power fails");
    host.losePower(() => 0);
    host.start();
    expect(host.store.latest().root).toEqual(before);
    await (
      await host.store.amendAtPace(
        MANY_CHANGES,
        everyStep(() => {}),
      )
    ).durable;
    const after = host.store.latest().root;
    host.losePower(() => 0);
    host.start();
    expect(host.store.latest().root).toEqual(after);
    host.store.verify();
  });

  it("fails if another change is made meanwhile", async () => {
    const { store } = machine();
    let isFirst = true;
    const late = store.amendAtPace(
      MANY_CHANGES,
      everyStep(() => {
        if (isFirst) store.amend({ accounts: [balanceChange(1, 9n)], codes: [] });
        isFirst = false;
      }),
    );
    await expect(late).rejects.toMatchObject({ code: "STATE_STALE" });
    expect(store.latest().account(addressOf(1))?.balance).toBe(9n);
    store.verify();
  });
});
