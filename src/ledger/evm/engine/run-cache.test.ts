import { describe, expect, it } from "vitest";
import { contractAddress } from "../../../protocol/account/address.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { agreed } from "../testing/agreed-run.ts";
import { address, CONTRACT, word } from "../testing/run-code.ts";
import {
  LOGS,
  LOGS_END,
  MAX_ACCOUNTS,
  MAX_SLOTS,
  RETURN_DATA_SIZE,
  UNDO,
  UNDO_END,
  UNDO_SIZE,
} from "./layout.ts";

const [A, B, C] = [0x10_001, 0x10_002, 0x10_003];
const CALL = (to: number, gas = "GAS") => `0 0 0 0 0 ${to} ${gas} CALL`;
const STATICCALL = (to: number) => `0 0 0 0 ${to} GAS STATICCALL`;

describe("the state cached in linear memory by a run", () => {
  it("does not let a cached account write within a STATICCALL", () => {
    const codes = {
      [CONTRACT]: `${CALL(A)} POP ${CALL(B)} POP ${STATICCALL(A)} 0 SSTORE`,
      [A]: `${CALL(B)} 0 MSTORE 32 0 RETURN`,
      [B]: "1 SLOAD 1 ADD 1 SSTORE",
    };
    const { slots } = agreed(codes);
    expect(slots[2]?.[1]).toBe(bytesToHex(word(9)));
  });

  it("forgets a warm account when the frame that first accessed it is reverted", () => {
    const codes = {
      [CONTRACT]: `${CALL(A)} POP GAS ${CALL(B)} POP GAS SWAP1 SUB 0 SSTORE`,
      [A]: `${CALL(B)} POP 0 0 REVERT`,
      [B]: "STOP",
    };
    const { slots } = agreed(codes);
    expect(Number(slots[0]?.[0])).toBeGreaterThan(2600);
  });

  it("reverts slots, refunds and logs of nested frames with the outermost that fails", () => {
    const codes = {
      [CONTRACT]: `${CALL(A)} POP ${CALL(A)} POP 0 1 SSTORE 5 0 0 LOG1 ${CALL(C)} POP ${CALL(B)} 2 SSTORE`,
      [A]: `0 1 SSTORE 1 0 0 LOG1 ${CALL(B)} POP ${CALL(C)} POP 9 0 SSTORE`,
      [B]: `2 0 0 LOG1 0 1 SSTORE ${CALL(C)} POP 0 0 REVERT`,
      [C]: "3 0 0 LOG1 2 SLOAD 1 ADD 2 SSTORE 0 1 SSTORE",
    };
    const { slots, logs } = agreed(codes);
    expect(logs.length).toBe(6);
    expect(slots[3]?.[2]).toBe(bytesToHex(word(3)));
  });

  it("forgets an account created in a failed frame", () => {
    const create = "0x6001600a5f3960015ff300 0 MSTORE 11 21 0 CREATE"; // deploys STOP
    const created = contractAddress(address(A), 1n);
    const twice = "0 0 0 0 0 DUP6 GAS CALL POP ".repeat(2);
    const codes = {
      [CONTRACT]: `${CALL(A)} POP GAS 0 0 0 0 0 ${bytesToHex(created)} GAS CALL POP GAS SWAP1 SUB 0 SSTORE ${CALL(A)} 1 SSTORE`,
      [A]: `${create} ${twice} 0 0 REVERT`,
    };
    const { slots } = agreed(codes);
    expect(Number(slots[0]?.[0])).toBeGreaterThan(2600);
  });

  it("passes excess logs to the host, except reverted ones", () => {
    const size = 100_000;
    const passes = Math.ceil((LOGS_END - LOGS) / size);
    const codes = {
      [CONTRACT]: `${passes} top: ${CALL(A)} POP ${CALL(B)} POP 1 SWAP1 SUB DUP1 @top JUMPI`,
      [A]: `7 ${size / 2} 0 LOG1`,
      [B]: `${CALL(A)} POP 8 ${size} 0 LOG1 9 ${LOGS_END - LOGS} 0 LOG1 0 0 REVERT`,
    };
    expect(agreed(codes, { gas: 10n ** 11n }).logs.length).toBe(passes);
  });

  it("leaves excess slots to the journal", () => {
    const codes = {
      [CONTRACT]: `${MAX_SLOTS + 50} top: DUP1 DUP1 SSTORE 1 SWAP1 SUB DUP1 @top JUMPI ${CALL(A)} POP 5 SLOAD 2 SSTORE`,
      [A]: "2 0 SSTORE 1 1 SSTORE 0 0 REVERT",
    };
    const { slots } = agreed(codes, { gas: 10n ** 10n });
    expect(slots[0]).toEqual([word(0), word(1), word(5)].map(bytesToHex));
  });

  it("restarts the run without it if the undo log is full", () => {
    const passes = Math.ceil((UNDO_END - UNDO) / UNDO_SIZE / 64) + 1;
    const writes = Array.from({ length: 64 }, (_, i) => `GAS ${i} SSTORE`).join(" ");
    const codes = {
      [CONTRACT]: `5 0 0 LOG1 ${CALL(A)} 0 SSTORE`,
      [A]: `${passes} top: ${CALL(B)} POP 1 SWAP1 SUB DUP1 @top JUMPI 6 0 0 LOG1`,
      [B]: writes,
    };
    const { outcome, logs, slots } = agreed(codes, { gas: 10n ** 9n });
    expect(outcome).toBe("success");
    expect(slots[0]?.[0]).toBe(bytesToHex(word(1)));
    expect(logs.length).toBe(2);
  }, 240_000);

  it("leaves excess accounts to the host, and forgets those of a failed frame", () => {
    const all = `${MAX_ACCOUNTS + 50} top: 0 0 0 0 0 DUP6 0x20000 ADD GAS CALL POP 1 SWAP1 SUB DUP1 @top JUMPI POP`;
    const called = Array.from({ length: MAX_ACCOUNTS + 50 }, (_, i) => [
      0x20_001 + i,
      "1 SLOAD CALLER ADD 1 SSTORE",
    ]);
    const codes = {
      ...Object.fromEntries(called),
      [CONTRACT]: `${CALL(A)} POP GAS ${all} GAS SWAP1 SUB 0 SSTORE ${CALL(B)} POP ${CALL(A)} 1 SSTORE`,
      [A]: `${all} 0 0 REVERT`,
      [B]: all,
    };
    const { slots } = agreed(codes, { gas: 10n ** 9n });
    expect(Number(slots[0]?.[0])).toBeGreaterThan(2600 * MAX_ACCOUNTS);
    expect(slots.at(-1)?.[1]).toBe(bytesToHex(word(7 + CONTRACT + B)));
  });

  it("accepts outputs that are longer than the return data area", () => {
    const length = RETURN_DATA_SIZE + 32;
    const codes = {
      [CONTRACT]: `${CALL(A)} POP ${CALL(A)} POP RETURNDATASIZE 0 SSTORE 64 ${length - 64} 0 RETURNDATACOPY 32 MLOAD 2 SSTORE`,
      [A]: `0x77 ${length - 32} MSTORE ${length} 0 RETURN`,
    };
    const { slots } = agreed(codes, { gas: 10n ** 9n });
    expect(slots[0]?.[2]).toBe(bytesToHex(word(0x77)));
  });

  it("allows the maximum call depth", () => {
    const codes = { [CONTRACT]: `1 SLOAD 1 ADD 1 SSTORE ${CALL(CONTRACT)} POP` };
    const { slots } = agreed(codes, { gas: 10n ** 15n });
    expect(slots[0]?.[1]).toBe(bytesToHex(word(7 + 1025)));
  });
});
