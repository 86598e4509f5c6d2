import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { PinnedState } from "./pinned-state.ts";
import type { AccountChange, StateView } from "./state.ts";
import { SimulatedMachine } from "./testing/machine.ts";
import { addressOf, balanceChange, contractChange, hashOf, slotOf } from "./testing/model.ts";
import { followProof } from "./testing/proof.ts";

const ACCOUNTS = 30;
const CONTRACT = 100;

/** The changes of a block: some accounts, and slots of a contract, set and deleted. */
const block = fc.tuple(
  fc.uniqueArray(fc.nat(ACCOUNTS - 1), { maxLength: 8 }),
  fc.bigInt(0n, 3n),
  fc.uniqueArray(fc.nat(40), { maxLength: 8 }),
  fc.nat(2),
);
type Block = typeof block extends fc.Arbitrary<infer T> ? T : never;

function changesOf([accounts, balance, slots, value]: Block): AccountChange[] {
  const storage = slots.map((slot): [number, number] => [slot, value]);
  const eoas = accounts.map((index) =>
    balance === 0n ? { ...balanceChange(index, 0n), account: undefined } : balanceChange(index, balance),
  );
  return [...eoas, contractChange(CONTRACT, storage)];
}

/** A store to which blocks are added, even while it is read. */
class Chain {
  readonly store = new SimulatedMachine({ recentBlocks: 1000, archive: false }).store;
  #next = 0;

  add(blocks: readonly Block[]): void {
    for (const each of blocks) {
      this.store
        .stage({ accounts: changesOf(each), codes: [] })
        .commit({ number: BigInt(this.#next), hash: hashOf(this.#next) }, []);
      this.#next++;
    }
  }
}

function pace(during: () => void): Pace {
  return {
    isDue: () => true,
    yield: async () => during(),
  };
}

function allProofs(view: StateView): unknown {
  const slots = Array.from({ length: 8 }, (_, i) => slotOf(i));
  return {
    root: bytesToHex(view.root),
    accounts: Array.from({ length: ACCOUNTS }, (_, i) => view.proveAccount(addressOf(i)).map(bytesToHex)),
    slots: slots.map((slot) => view.proveStorage(addressOf(CONTRACT), slot).map(bytesToHex)),
  };
}

const blocks = fc.array(block, { minLength: 2, maxLength: 12 });

describe("a proof of a past state", () => {
  it("is not affected by blocks and amendments added while it is made", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, blocks, fc.boolean(), async (before, meanwhile, amends) => {
        const chain = new Chain();
        chain.add(before);
        const number = BigInt(before.length - 2);
        const twin = new Chain();
        twin.add(before);
        const expected = allProofs(twin.store.at(number) as StateView);
        const pending = [...meanwhile];
        const proofs = await chain.store.prove(
          { number, address: addressOf(1) },
          pace(() => {
            const next = pending.shift();
            if (next === undefined) return;
            if (amends) chain.store.amend({ accounts: changesOf(next), codes: [] });
            else chain.add([next]);
          }),
          (view) => allProofs(view as StateView),
        );
        expect(proofs).toEqual(expected);
        const { root } = chain.store.at(number) as StateView;
        const proof = await chain.store.prove(
          { number, address: addressOf(1) },
          pace(() => {}),
          (view) => (view as StateView).proveAccount(addressOf(1)),
        );
        expect(() => followProof(root, keccak256(addressOf(1)), proof)).not.toThrow();
      }),
      { numRuns: 40 },
    );
  });
});

describe("a pinned state", () => {
  const names = (view: StateView) =>
    [...view.accounts()].map(({ address, account }) => [bytesToHex(address), account.balance]);
  const isCanonical = () => true;

  it("is read completely while the chain grows", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, blocks, async (before, meanwhile) => {
        const chain = new Chain();
        chain.add(before);
        const number = BigInt(before.length - 1);
        const expected = names(chain.store.at(number) as StateView);
        const pending = [...meanwhile];
        const state = new PinnedState(
          chain.store,
          { number, isCanonical },
          pace(() => chain.add(pending.splice(0, 1))),
        );
        const found: unknown[] = [];
        for await (const part of state.accounts())
          for (const { address, account } of part) found.push([bytesToHex(address), account.balance]);
        expect(found).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("fails if it is edited, or its block leaves the chain", async () => {
    const chain = new Chain();
    chain.add([
      [[1, 2, 3], 1n, [], 0],
      [[4], 1n, [], 0],
    ]);
    const read = async (state: PinnedState) => {
      for await (const _ of state.accounts());
    };
    const amended = new PinnedState(
      chain.store,
      { number: 1n, isCanonical },
      pace(() => void chain.store.amend({ accounts: [balanceChange(9, 9n)], codes: [] })),
    );
    await expect(read(amended)).rejects.toMatchObject({ code: "STATE_STALE" });
    let isInChain = true;
    const left = new PinnedState(
      chain.store,
      { number: 1n, isCanonical: () => isInChain },
      pace(() => {
        isInChain = false;
        chain.add([[[5], 1n, [], 0]]);
      }),
    );
    await expect(read(left)).rejects.toMatchObject({ code: "STATE_STALE" });
  });
});
