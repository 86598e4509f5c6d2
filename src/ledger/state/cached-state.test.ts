import { expect, it } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { bigintToFixedBytes } from "../../protocol/primitives/bytes.ts";
import { cachedState } from "./cached-state.ts";
import type { StateReader } from "./state.ts";

const MIB = 2 ** 20;
const address = (n: number) => bigintToFixedBytes(BigInt(n), 20);
const word = (n: number) => bigintToFixedBytes(BigInt(n), 32);

/** A state with an account, slots and codes of a mebibyte, and what was read from it. */
function counted() {
  const reads: string[] = [];
  const state: StateReader = {
    account: (of) => {
      reads.push(`account ${of[19]}`);
      return of[19] === 1 ? newEoa(7n) : undefined;
    },
    storage: (of, slot) => {
      reads.push(`slot ${of[19]} ${slot[31]}`);
      return slot;
    },
    code: (hash) => {
      reads.push(`code ${hash[31]}`);
      return new Uint8Array(MIB).fill(hash[31] as number);
    },
  };
  return { reads, cached: cachedState(state) };
}

it("reads each account, slot and code once, absent ones too", () => {
  const { reads, cached } = counted();
  for (let i = 0; i < 2; i++) {
    expect(cached.account(address(1))?.balance).toBe(7n);
    expect(cached.account(address(2))).toBeUndefined();
    expect(cached.storage(address(1), word(3))).toEqual(word(3));
    expect(cached.storage(address(2), word(3))).toEqual(word(3));
    expect(cached.code(word(4))[0]).toBe(4);
  }
  expect(reads).toEqual(["account 1", "account 2", "slot 1 3", "slot 2 3", "code 4"]);
});

it("holds no more than 16 MiB of code, and evicts what was used least recently", () => {
  const { reads, cached } = counted();
  for (let n = 0; n < 15; n++) cached.code(word(n));
  cached.code(word(0));
  cached.code(word(15));
  reads.length = 0;
  cached.code(word(0));
  expect(reads).toEqual([]);
  cached.code(word(1));
  expect(reads).toEqual(["code 1"]);
});
