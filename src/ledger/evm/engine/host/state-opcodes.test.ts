import { describe, expect, it } from "vitest";
import { EMPTY_CODE_HASH } from "../../../../protocol/account/account.ts";
import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { assemble, returning } from "../../testing/assemble.ts";
import { address, CONTRACT, call, type RunOptions, SENDER, stateOf, word } from "../../testing/run-code.ts";

type TestFork = NonNullable<RunOptions["fork"]>;

const GAS = 1_000_000n;

/** Gas and refund of writing each value to slot 0 in turn, minus the pushes. */
function writes(fork: TestFork, original: bigint, values: readonly number[]) {
  const code = assemble(values.map((value) => `${value} 0 SSTORE`).join(" "));
  const state = stateOf({ [CONTRACT]: { code, storage: original ? { 0: original } : {} } });
  const { gasLeft, outcome } = call(state, { fork, gas: GAS });
  expect(outcome).toBe("success");
  return { gas: Number(GAS - gasLeft) - 6 * values.length, refund: Number(state.refund) };
}

/** Runs code that returns a word; the gas excludes MSTORE and RETURN. */
function evaluate(source: string, fork: TestFork, others: Parameters<typeof stateOf>[0] = {}) {
  const state = stateOf({ ...others, [CONTRACT]: { code: returning(source), balance: 77n } });
  const result = call(state, { fork, gas: GAS });
  return {
    value: bytesToBigint(result.output),
    gas: Number(GAS - result.gasLeft) - 15,
    outcome: result.outcome,
  };
}

describe("storage", () => {
  // EIP-2200's table of test cases, first column: values written; then gas and refund. Original value is 0 or 1.
  it.each([
    ["istanbul", 0n, [0, 0], 1600, 0],
    ["istanbul", 0n, [0, 1], 20800, 0],
    ["istanbul", 0n, [1, 0], 20800, 19200],
    ["istanbul", 0n, [1, 2], 20800, 0],
    ["istanbul", 0n, [1, 1], 20800, 0],
    ["istanbul", 1n, [0, 0], 5800, 15000],
    ["istanbul", 1n, [0, 1], 5800, 4200],
    ["istanbul", 1n, [0, 2], 5800, 0],
    ["istanbul", 1n, [2, 0], 5800, 15000],
    ["istanbul", 1n, [2, 1], 5800, 4200],
    ["istanbul", 1n, [0, 1, 0], 10800, 19200],
    ["istanbul", 0n, [1, 0, 1], 40800, 19200],
    // EIP-3529's table: the slot is cold at first
    ["kore", 0n, [0, 0], 2300, 0],
    ["kore", 0n, [1, 0], 22200, 19900],
    ["kore", 1n, [0, 0], 5100, 4800],
    ["kore", 1n, [0, 1], 5100, 2800],
    ["kore", 1n, [2, 0], 5100, 4800],
    ["kore", 1n, [0, 1, 0], 8000, 7600],
    // before EIP-2200 the original value does not matter
    ["genesis", 0n, [1, 0], 25000, 15000],
    ["genesis", 1n, [0, 1, 1], 30000, 15000],
  ] as const)(
    "SSTORE at %s from %i through %j costs %i, refunds %i",
    (fork, original, values, gas, refund) => {
      expect(writes(fork, original, values)).toEqual({ gas, refund });
    },
  );

  it("SSTORE fails with 2300 gas left or less, from istanbul on", () => {
    const state = () => stateOf({ [CONTRACT]: { code: assemble("0 0 SSTORE"), storage: { 1: 1n } } });
    expect(call(state(), { fork: "istanbul", gas: 2306n }).outcome).toBe("outOfGas");
    expect(call(state(), { fork: "istanbul", gas: 2307n }).outcome).toBe("success");
  });

  it.each([
    ["genesis", 200, 200],
    ["istanbul", 800, 800],
    ["kore", 2100, 100],
  ] as const)("SLOAD at %s costs %i, then %i", (fork, first, second) => {
    expect(evaluate("3 SLOAD", fork).gas).toBe(3 + first);
    expect(evaluate("3 SLOAD POP 3 SLOAD", fork).gas).toBe(8 + first + second);
  });

  it("keeps transient storage only for the transaction", () => {
    const code = returning("7 1 TSTORE 1 TLOAD");
    const state = stateOf({ [CONTRACT]: { code } });
    expect(bytesToBigint(call(state, { fork: "cancun" }).output)).toBe(7n);
    expect(state.transientStorage(address(CONTRACT), word(1))).toEqual(word(7));
    state.endTransaction();
    expect(state.transientStorage(address(CONTRACT), word(1))).toEqual(word(0));
  });

  it.each(["1 1 SSTORE", "1 1 TSTORE", "0 0 LOG0", "0 SELFDESTRUCT", "0 0 0 CREATE", "0 0 0 0 1 0 0 CALL"])(
    "refuses %s in a static call",
    (source) => {
      const state = stateOf({ [CONTRACT]: { code: assemble(source), balance: 5n } });
      const result = call(state, { isStatic: true });
      expect(result).toMatchObject({ outcome: "writeProtection", gasLeft: 0n });
    },
  );
});

describe("accounts", () => {
  it.each([
    ["BALANCE", "genesis", 400, 400],
    ["BALANCE", "istanbul", 700, 700],
    ["BALANCE", "kore", 2600, 100],
    ["EXTCODESIZE", "istanbul", 700, 700],
    ["EXTCODESIZE", "kore", 2600, 100],
    ["EXTCODEHASH", "genesis", 400, 400],
    ["EXTCODEHASH", "kore", 2600, 100],
    // measured on the reference node: from cancun on neither cold nor warm access costs
    ["EXTCODEHASH", "cancun", 400, 400],
  ] as const)("%s at %s costs %i, then %i", (name, fork, first, second) => {
    expect(evaluate(`9 ${name}`, fork).gas).toBe(3 + first);
    expect(evaluate(`9 ${name} POP 9 ${name}`, fork).gas).toBe(8 + first + second);
  });

  it("returns the empty code hash for an empty account before cancun, and zero from then on", () => {
    const empty = bytesToBigint(EMPTY_CODE_HASH);
    expect(evaluate("9 EXTCODEHASH", "shanghai").value).toBe(empty);
    expect(evaluate("9 EXTCODEHASH", "cancun").value).toBe(0n);
    expect(evaluate("9 EXTCODEHASH", "cancun", { 9: { balance: 1n } }).value).toBe(empty);
  });

  it("copies another account's code, with zeros beyond its end", () => {
    const { value } = evaluate("4 1 0 9 EXTCODECOPY 0 MLOAD", "osaka", {
      9: { code: Uint8Array.of(1, 2, 3) },
    });
    expect(value >> 224n).toBe(0x02030000n);
  });

  it("reads the contract's own balance", () => {
    expect(evaluate("SELFBALANCE", "istanbul").value).toBe(77n);
    expect(evaluate("ADDRESS BALANCE", "istanbul").value).toBe(77n);
  });
});

describe("the environment", () => {
  it.each([
    ["ORIGIN", SENDER],
    ["CALLER", SENDER],
    ["ADDRESS", CONTRACT],
    ["GASPRICE", 0x3a],
    ["COINBASE", 0xc0],
    ["TIMESTAMP", 1700],
    ["NUMBER", 300],
    ["DIFFICULTY", 0x44],
    ["GASLIMIT", 0],
    ["CHAINID", 1001],
    ["BASEFEE", 0x48],
    ["BLOBBASEFEE", 0x4a],
    ["0 BLOBHASH", 0xb10b],
    ["1 BLOBHASH", 0],
  ])("%s", (source, value) => {
    expect(evaluate(source, "osaka").value).toBe(BigInt(value));
  });

  it.each([
    [299, 300n],
    [44, 45n],
    [43, 0n],
    [300, 0n],
    ["0x10000000000000000", 0n],
  ])("BLOCKHASH of %s in block 300 is %i", (number, hash) => {
    expect(evaluate(`${number} BLOCKHASH`, "osaka").value).toBe(hash);
  });

  it("records logs with topics and data, and drops those of a reverted frame", () => {
    const code = assemble("0xabcd 0 MSTORE 2 1 2 30 LOG2");
    const state = stateOf({ [CONTRACT]: { code } });
    const { gasLeft } = call(state, { gas: GAS });
    expect(GAS - gasLeft).toBe(12n + 6n + 375n * 3n + 16n + 6n);
    expect(state.logs).toEqual([
      { address: address(CONTRACT), topics: [word(1), word(2)], data: Uint8Array.of(0xab, 0xcd) },
    ]);
    const reverting = stateOf({ [CONTRACT]: { code: assemble("0 0 LOG0 0 0 REVERT") } });
    expect(call(reverting).outcome).toBe("revert");
    expect(reverting.logs.map((log) => bytesToHex(log.data))).toEqual([]);
  });
});
