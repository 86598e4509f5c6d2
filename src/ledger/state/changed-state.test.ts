import { expect, it } from "vitest";
import { hasStorage, newContract } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { changedState } from "./changed-state.ts";
import { createJournal } from "./journal/journal.ts";
import type { StateReader } from "./state.ts";

const address = new Uint8Array(20).fill(1) as Address;
const slot = new Uint8Array(32).fill(2) as Hash;
const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => new Uint8Array(),
  code: () => new Uint8Array(),
};

const withSlot = (value: Uint8Array) =>
  changedState(NOTHING, {
    accounts: [{ address, account: newContract(), storageCleared: false, storage: [{ slot, value }] }],
    codes: [],
  });

it("lets a journal read the first slots of a contract", () => {
  const state = withSlot(Uint8Array.of(7));
  expect(createJournal(state).storage(address, slot).at(-1)).toBe(7);
});

it("has no storage where every slot is emptied", () => {
  const account = withSlot(new Uint8Array()).account(address);
  expect(account && hasStorage(account)).toBe(false);
});
