import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, EMPTY_ROOT, newContract, newEoa } from "../../../../protocol/account/account.ts";
import type { AccountKey } from "../../../../protocol/account/key.ts";
import { compressPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, trimLeadingZeros } from "../../../../protocol/primitives/bytes.ts";
import {
  accountOfRow,
  accountRow,
  addressOfRow,
  slotOfRow,
  slotRow,
  slotValue,
  storageRootOf,
} from "./flat-rows.ts";

const ADDRESS = new Uint8Array(20).fill(0xaa);
const ROOT = new Uint8Array(32).fill(7);

describe("the row of an account", () => {
  const publicKey = compressPublicKey(publicKeyOf(new Uint8Array(32).fill(1)));
  const single: AccountKey = { type: "public", publicKey };
  const multisig = (keys: number): AccountKey => ({
    ...{ type: "weightedMultisig", threshold: 1n },
    keys: Array.from({ length: keys }, () => ({ weight: 1n, publicKey })),
  });
  const roles: AccountKey = { type: "roleBased", keys: [multisig(3), multisig(3), single] };
  const large = { nonce: 2n ** 64n - 1n, balance: 2n ** 255n };

  it.each<[string, Account]>([
    ["without a balance", newEoa()],
    ["with every field at its largest", { ...newEoa(), ...large }],
    ["with a public key", { ...newEoa(5n), key: single }],
    ["of more than 55 bytes", { ...newEoa(5n), ...large, key: multisig(2) }],
    ["of more than 255 bytes", { ...newEoa(5n), key: roles }],
  ])("tells an account %s, its address, and that it has no storage", (_, account) => {
    const row = accountRow(ADDRESS, account);
    expect([addressOfRow(row), accountOfRow(row)]).toEqual([ADDRESS, account]);
    expect(storageRootOf(row)).toEqual(EMPTY_ROOT);
  });

  it.each<[string, Account]>([
    ["a contract", { ...newContract(5n, 0x10), storageRoot: ROOT }],
    ["an account with delegated code", { ...newEoa(5n), storageRoot: ROOT, codeHash: ROOT, codeInfo: 0x10 }],
    [
      "such an account with keys",
      { ...newEoa(5n), key: roles, storageRoot: ROOT, codeHash: ROOT, codeInfo: 0x10 },
    ],
  ])("tells the storage root of %s", (_, account) => {
    const row = accountRow(ADDRESS, account);
    expect([accountOfRow(row), storageRootOf(row)]).toEqual([account, ROOT]);
  });

  it("may be absent", () => {
    expect([storageRootOf(undefined), storageRootOf(null)]).toEqual([EMPTY_ROOT, EMPTY_ROOT]);
  });
});

it("gives slots and values back", () => {
  const words = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
  fc.assert(
    fc.property(words, fc.oneof(words, fc.constantFrom(1n, 0x7fn, 0x80n, 0xffn)), (slot, value) => {
      const key = bigintToFixedBytes(slot, 32);
      const trimmed = trimLeadingZeros(bigintToFixedBytes(value || 1n, 32));
      const row = slotRow(key, trimmed);
      expect([slotOfRow(row), slotValue(row)]).toEqual([key, trimmed]);
    }),
  );
});
