import { expect, it } from "vitest";
import { hasStorage, newContract } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { createJournal } from "./journal/journal.ts";
import type { StateReader } from "./state.ts";
import { StateOverlay } from "./state-overlay.ts";

const address = new Uint8Array(20).fill(1) as Address;
const slot = new Uint8Array(32).fill(2) as Hash;
const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => new Uint8Array(),
  code: () => new Uint8Array(),
};

const withSlot = (value: Uint8Array) =>
  new StateOverlay(NOTHING, {
    accounts: [{ address, account: newContract(), storageCleared: false, storage: [{ slot, value }] }],
    codes: [],
  });

it("lets a journal read the first slots of a contract", () => {
  const state = withSlot(Uint8Array.of(7));
  expect(createJournal(state).storage(address, slot).at(-1)).toBe(7);
});

it("has no storage if every slot is cleared", () => {
  const account = withSlot(new Uint8Array()).account(address);
  expect(account && hasStorage(account)).toBe(false);
});

it("accepts further changes; cleared storage hides everything below", () => {
  const other = new Uint8Array(32).fill(3) as Hash;
  const state = new StateOverlay({ ...NOTHING, storage: () => Uint8Array.of(9) });
  const change = (storageCleared: boolean, at: Hash, value: number) =>
    state.add({
      accounts: [
        {
          address,
          account: newContract(),
          storageCleared,
          storage: [{ slot: at, value: Uint8Array.of(value) }],
        },
      ],
      codes: [],
    });
  const seen = () => [state.storage(address, slot).at(-1), state.storage(address, other).at(-1)];
  change(false, slot, 1);
  expect(seen()).toEqual([1, 9]);
  change(true, other, 2);
  expect(seen()).toEqual([undefined, 2]);
  change(false, slot, 3);
  expect(seen()).toEqual([3, 2]);
});
