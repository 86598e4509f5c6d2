import { expect } from "vitest";
import { encodeAccount } from "../../../protocol/account/account-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateView } from "../state.ts";
import { addressOf, type ModelState, slotOf } from "./model.ts";
import { followProof, slotLeafOf } from "./proof.ts";
import { ACCOUNTS, CONTRACTS } from "./random-steps.ts";

/** Compares accounts, storage and proofs of a state with those of its model. */
export function checkView(view: StateView, model: ModelState): void {
  const names = [...model.accounts.keys()].sort();
  expect([...view.accounts()].map(({ address }) => bytesToHex(address)).sort()).toEqual(names);
  for (let index = 0; index < ACCOUNTS; index += 3) checkAccount(view, model, addressOf(index));
  for (const index of CONTRACTS) {
    checkAccount(view, model, addressOf(index));
    checkStorage(view, model, addressOf(index));
  }
}

function checkAccount(view: StateView, model: ModelState, address: Uint8Array): void {
  const expected = model.accounts.get(bytesToHex(address))?.account;
  expect(view.account(address)).toEqual(expected);
  const leaf = followProof(model.root(), keccak256(address), view.proveAccount(address));
  expect(leaf).toEqual(expected && encodeAccount(expected));
}

function checkStorage(view: StateView, model: ModelState, address: Uint8Array): void {
  const expected = model.accounts.get(bytesToHex(address));
  const slots = [...view.slots(address)].map(({ slot, value }) => [bytesToHex(slot), bytesToHex(value)]);
  expect(new Map(slots as [string, string][])).toEqual(
    new Map([...(expected?.storage ?? [])].map(([slot, value]) => [slot, bytesToHex(value)])),
  );
  for (const index of [0, 7, 30]) {
    const slot = slotOf(index);
    const value = expected?.storage.get(bytesToHex(slot));
    expect(view.storage(address, slot)).toEqual(value ?? new Uint8Array(0));
    if (!expected) continue;
    const proof = view.proveStorage(address, slot);
    expect(followProof(expected.account.storageRoot, keccak256(slot), proof)).toEqual(slotLeafOf(value));
  }
}
