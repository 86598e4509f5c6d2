import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, EMPTY_ROOT, newContract, newEoa } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import {
  bigintToFixedBytes,
  EMPTY_BYTES,
  isZeroBytes,
  trimLeadingZeros,
} from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateReader } from "../state.ts";
import { createJournal } from "./journal.ts";

const address = (n: number) => bigintToFixedBytes(BigInt(n), 20);
const word = (n: number | bigint) => bigintToFixedBytes(BigInt(n), 32);
const CODE = Uint8Array.of(0x60, 0x00);
const STORED = word(7);

/** Accounts 1 (EOA with 100), 2 (contract with code and storage 0 → 5) and 3 (empty EOA). */
const accounts: Record<string, Account> = {
  [bytesToHex(address(1))]: newEoa(100n),
  [bytesToHex(address(2))]: { ...newContract(), nonce: 1n, codeHash: keccak256(CODE), storageRoot: STORED },
  [bytesToHex(address(3))]: newEoa(),
};
const reader: StateReader = {
  account: (a) => accounts[bytesToHex(a)],
  storage: (a, slot) =>
    bytesToHex(a) === bytesToHex(address(2)) && isZeroBytes(slot) ? Uint8Array.of(5) : EMPTY_BYTES,
  code: () => CODE,
};

describe("a journal", () => {
  it("transfers value and reports each changed account once", () => {
    const state = createJournal(reader);
    state.subBalance(address(1), 30n);
    state.addBalance(address(9), 30n);
    state.endTransaction();
    const { accounts: changed } = state.changes();
    expect(changed.map((c) => [bytesToHex(c.address), c.account?.balance])).toEqual([
      [bytesToHex(address(1)), 70n],
      [bytesToHex(address(9)), 30n],
    ]);
  });

  it("reverts accounts, slots, warm accesses, transient slots, logs and refunds to the checkpoint", () => {
    const state = createJournal(reader);
    state.setStorage(address(2), word(0), word(6));
    state.checkpoint();
    state.setStorage(address(2), word(0), word(7));
    state.setTransientStorage(address(2), word(1), word(8));
    state.warm(address(2));
    state.warmSlot(address(2), word(3));
    state.addRefund(4800n);
    state.addLog({ address: address(2), topics: [], data: EMPTY_BYTES });
    state.setNonce(address(1), 9n);
    state.createContract(address(8), 0x10);
    state.revert();
    expect(state.storage(address(2), word(0))).toEqual(word(6));
    expect(state.committedStorage(address(2), word(0))).toEqual(word(5));
    expect(state.transientStorage(address(2), word(1))).toEqual(word(0));
    expect(state.isWarm(address(2)) || state.isWarmSlot(address(2), word(3))).toBe(false);
    expect([state.refund, state.logs.length, state.nonce(address(1))]).toEqual([0n, 0, 0n]);
    expect(state.exists(address(8)) || state.isCreatedInTransaction(address(8))).toBe(false);
  });

  it("deletes touched empty accounts at the end of the transaction, and keeps untouched ones", () => {
    const state = createJournal(reader);
    state.addBalance(address(5), 0n);
    expect(state.exists(address(5))).toBe(true);
    state.endTransaction();
    expect(state.exists(address(5))).toBe(false);
    expect(state.changes().accounts).toEqual([]);
    state.touch(address(3));
    state.endTransaction();
    expect(state.changes().accounts).toMatchObject([{ address: address(3), account: undefined }]);
  });

  it("keeps touched empty accounts without EIP-158, but no destroyed ones", () => {
    const state = createJournal(reader, { keepsEmptyAccounts: true });
    state.addBalance(address(5), 0n);
    state.touch(address(3));
    state.destroy(address(2));
    state.endTransaction();
    expect([5, 3, 2].map((number) => state.exists(address(number)))).toEqual([true, true, false]);
  });

  it("deletes the empty account of RIPEMD-160, and only that, even if the touch is reverted", () => {
    const empty = createJournal({ ...reader, account: () => newEoa() });
    empty.checkpoint();
    for (const number of [3, 4]) empty.addBalance(address(number), 0n);
    empty.revert();
    empty.endTransaction();
    expect([3, 4].map((number) => empty.exists(address(number)))).toEqual([false, true]);
  });

  it("keeps a destroyed account until the transaction ends, then drops its code and storage", () => {
    const state = createJournal(reader);
    state.destroy(address(2));
    expect(state.isDestroyed(address(2))).toBe(true);
    expect(state.storage(address(2), word(0))).toEqual(word(5));
    state.endTransaction();
    expect(state.exists(address(2))).toBe(false);
    state.createContract(address(2));
    state.setNonce(address(2), 1n);
    expect(state.storage(address(2), word(0))).toEqual(word(0));
    expect(state.code(address(2))).toEqual(EMPTY_BYTES);
    state.setStorage(address(2), word(1), word(3));
    state.endTransaction();
    expect(state.changes().accounts).toEqual([
      {
        address: address(2),
        account: expect.objectContaining({ nonce: 1n, storageRoot: EMPTY_ROOT }),
        storageCleared: true,
        storage: [{ slot: word(1), value: Uint8Array.of(3) }],
      },
    ]);
  });

  it("collects thousands of changes in steps, with the result of a single one", () => {
    const state = createJournal(reader);
    for (let n = 100; n < 2600; n++) {
      state.setBalance(address(n), BigInt(n));
      for (const slot of n % 10 === 0 ? [1, 2, 3, 4] : [1]) state.setStorage(address(n), word(slot), word(n));
    }
    const steps = state.changesInSteps();
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    // 3,250 slots and 2,500 accounts, 128 at a time
    expect(count).toBe(25 + 19);
    expect(step.value).toEqual(state.changes());
    expect(step.value.accounts).toHaveLength(2500);
    expect(step.value.accounts[0]?.storage).toHaveLength(4);
  });

  it("keeps precompile addresses warm in every transaction, whether accessed before or not", () => {
    const state = createJournal(reader);
    state.balance(address(1));
    state.keepWarm(new Set([1, 2, 300]));
    const isWarm = () => [1, 2, 3, 300].map((number) => state.isWarm(address(number)));
    expect(isWarm()).toEqual([true, true, false, true]);
    state.checkpoint();
    state.warm(address(1));
    state.setBalance(address(2), 5n);
    state.revert();
    state.endTransaction();
    expect(isWarm()).toEqual([true, true, false, true]);
    expect(state.isWarm(bigintToFixedBytes(2n ** 32n + 1n, 20))).toBe(false);
  });

  it("keeps the slots of a plain account warm when it becomes a contract", () => {
    const state = createJournal(reader);
    state.warmSlot(address(1), word(4));
    state.createContract(address(1), 0x10);
    expect(state.isWarmSlot(address(1), word(4))).toBe(true);
    expect(state.balance(address(1))).toBe(100n);
  });

  it("sets and clears a delegation together with codeInfo", () => {
    const state = createJournal(reader);
    state.setCode(address(1), Uint8Array.of(0xef, 1, 0), 0x10);
    expect(state.account(address(1))).toMatchObject({ type: "eoa", codeInfo: 0x10 });
    expect(state.changes().codes).toHaveLength(1);
    state.setCode(address(1), EMPTY_BYTES, 0x10);
    expect(state.account(address(1))?.codeInfo).toBe(0);
  });

  it("agrees with a map of maps over random writes and nested checkpoints", () => {
    const step = fc.oneof(
      fc.record({
        op: fc.constant("write"),
        who: fc.nat(30),
        slot: fc.nat(200),
        value: fc.bigInt(0n, 1n << 256n),
      }),
      fc.record({ op: fc.constantFrom("checkpoint", "revert", "commit") }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const state = createJournal(reader);
        const stack: Map<string, bigint>[] = [new Map()];
        for (const s of steps) {
          const top = stack.at(-1) as Map<string, bigint>;
          if ("who" in s) {
            const value = BigInt.asUintN(256, s.value);
            state.setStorage(address(s.who + 10), word(s.slot), word(value));
            top.set(`${s.who} ${s.slot}`, value);
          } else if (s.op === "checkpoint") {
            state.checkpoint();
            stack.push(new Map(top));
          } else if (stack.length > 1) {
            if (s.op === "revert") state.revert();
            else {
              state.commit();
              stack[stack.length - 2] = top;
            }
            stack.pop();
          }
        }
        for (const [key, value] of stack.at(-1) as Map<string, bigint>) {
          const [who, slot] = key.split(" ").map(Number) as [number, number];
          expect(trimLeadingZeros(state.storage(address(who + 10), word(slot)))).toEqual(
            trimLeadingZeros(word(value)),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
