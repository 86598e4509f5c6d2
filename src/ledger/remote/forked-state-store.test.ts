import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasStorage } from "../../protocol/account/account.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createStateStore } from "../state/create-state-store.ts";
import { MissingState, retryUntilLoadedAsync } from "../state/missing-state.ts";
import type { AccountChange, Amendment, StateView } from "../state/state.ts";
import {
  addressOf,
  balanceChange,
  contractChange,
  hashOf,
  ModelState,
  slotOf,
} from "../state/testing/model.ts";
import { ForkCache } from "./fork-cache.ts";
import { ForkedStateStore } from "./forked-state-store.ts";
import type { RemoteSource } from "./remote-source.ts";
import { RemoteState } from "./remote-state.ts";

const ACCOUNTS = 8;
const CONTRACTS = [100, 101, 102];
const SLOTS = 6;

/** Numbers under 100 are accounts, those from 100 on contracts. */
const accountChange: fc.Arbitrary<AccountChange> = fc.oneof(
  fc.tuple(fc.nat(ACCOUNTS - 1), fc.bigInt(0n, 3n)).map(([index, balance]) => balanceChange(index, balance)),
  fc
    .tuple(
      fc.constantFrom(...CONTRACTS),
      fc.array(fc.tuple(fc.nat(SLOTS - 1), fc.nat(2)), { maxLength: SLOTS }),
      fc.constantFrom("kept", "kept", "cleared", "gone"),
    )
    .map(([index, slots, fate]) =>
      fate === "gone"
        ? { ...contractChange(index, [], true), account: undefined }
        : contractChange(index, slots, fate === "cleared"),
    ),
);
const changes = fc.uniqueArray(accountChange, {
  selector: ({ address }) => bytesToHex(address),
  maxLength: 6,
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("block" as const), accounts: changes }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("amend" as const), accounts: changes, undo: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("rewind" as const), blocks: fc.nat(3) }) },
);

/** Another chain as its node would serve it. */
function sourceOf(model: ModelState): RemoteSource {
  const found = (address: Uint8Array) => model.accounts.get(bytesToHex(address));
  return {
    accounts: async (addresses) =>
      addresses.map((address) => ({ account: found(address)?.account, code: new Uint8Array(0) })),
    slots: async (slots) =>
      slots.map(({ address, slot }) => found(address)?.storage.get(bytesToHex(slot)) ?? new Uint8Array(0)),
    hashes: async (numbers) => numbers.map((number) => hashOf(number)),
  };
}

async function fork(base: readonly AccountChange[]) {
  const own = await createStateStore({ engine: "memory", history: "archive", recentBlocks: 1000 });
  own.stage({ accounts: [], codes: [] }).commit({ number: 7n, hash: hashOf(7) }, []);
  const model = new ModelState().with({ accounts: base });
  const point = { chainId: 1n, number: 7n, hash: hashOf(7), time: 0n, baseFee: 0n };
  const state = new RemoteState(sourceOf(model), new ForkCache());
  return { store: new ForkedStateStore(own, { point, state }), model };
}

async function expectEqual(view: StateView, model: ModelState): Promise<void> {
  for (const index of [...Array(ACCOUNTS).keys(), ...CONTRACTS]) {
    const address = addressOf(index);
    const want = model.accounts.get(bytesToHex(address));
    const got = await retryUntilLoadedAsync(() => view.account(address));
    expect(got && { ...got, storageRoot: 0 }).toEqual(want && { ...want.account, storageRoot: 0 });
    // Readers of storage first check that there is any.
    if (want && hasStorage(want.account)) expect(hasStorage(got as NonNullable<typeof got>)).toBe(true);
    for (let slot = 0; slot < SLOTS && index >= 100; slot++) {
      const value = await retryUntilLoadedAsync(() => view.storage(address, slotOf(slot)));
      expect([index, slot, bytesToHex(value)]).toEqual([
        index,
        slot,
        bytesToHex(want?.storage.get(bytesToHex(slotOf(slot))) ?? new Uint8Array(0)),
      ]);
    }
  }
}

describe("a state on top of another chain's", () => {
  it("equals a state that has all of it, at the head and at every earlier block", async () => {
    const runs = { numRuns: 60 };
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.array(step, { maxLength: 10 }),
        fc.boolean(),
        async (base, steps, isRead) => {
          const { store, model } = await fork(base);
          let chain = [model];
          for (const each of steps) {
            const head = chain.at(-1) as ModelState;
            if (isRead) await expectEqual(store.latest(), head);
            if (each.type === "rewind") {
              chain = chain.slice(0, Math.max(1, chain.length - each.blocks));
              const number = 6n + BigInt(chain.length);
              store.rewind({ number, hash: hashOf(number) }, []);
              continue;
            }
            const next = head.with({ accounts: each.accounts });
            if (each.type === "block") {
              const number = 7n + BigInt(chain.length);
              store
                .stage({ accounts: each.accounts, codes: [] })
                .commit({ number, hash: hashOf(number) }, []);
              chain.push(next);
            } else {
              const amendment: Amendment = store.amend({ accounts: each.accounts, codes: [] });
              if (each.undo) amendment.undo();
              else if (chain.length > 1) chain[chain.length - 1] = next;
              // An edit of the first block has no history, but takes effect.
              else chain = [next];
            }
          }
          for (const [i, each] of chain.entries())
            await expectEqual(store.at(7n + BigInt(i)) as StateView, each);
          store.verify();
          expect(store.at(6n)).toBeUndefined();
          await store.close();
        },
      ),
      runs,
    );
  });

  it("reports what is missing, and fetches it once for all waiting readers", async () => {
    const { store } = await fork([balanceChange(1, 5n)]);
    const address = addressOf(1);
    const read = () => store.latest().account(address);
    expect(read).toThrow(MissingState);
    const both = await Promise.all([retryUntilLoadedAsync(read), retryUntilLoadedAsync(read)]);
    expect(both.map((account) => account?.balance)).toEqual([5n, 5n]);
    expect(read()?.balance).toBe(5n);
    expect(() => store.latest().proveAccount(hexToBytes(`0x${"00".repeat(20)}`))).toThrow(/no proofs/);
  });
});
