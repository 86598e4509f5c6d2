import { describe, expect, it } from "vitest";
import { bytesToBigint, concat } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { assemble, returning } from "../../testing/assemble.ts";
import {
  address,
  CONTRACT,
  call,
  ENGINE_VARIANTS,
  engine,
  SENDER,
  stateOf,
  type TestAccount,
  word,
} from "../../testing/run-code.ts";

const GAS = 1_000_000n;
const OTHER = 0x3000;
const top = (output: Uint8Array) => bytesToBigint(output);

/** Calls CONTRACT with the code `source` among `others`, and returns result and state. */
function run(
  source: string,
  others: Record<number, TestAccount> = {},
  options: Parameters<typeof call>[1] = {},
) {
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n },
    [CONTRACT]: { code: returning(source), balance: 100n },
    ...others,
  });
  const result = call(state, { gas: GAS, ...options });
  return { ...result, state, used: Number(GAS - result.gasLeft) - 15 };
}

describe("message calls", () => {
  it("transfer value, create the account, and add the stipend", () => {
    const paid = run("0 0 0 0 1 0x9999 0 CALL", {}, { fork: "kore" });
    expect(top(paid.output)).toBe(1n);
    expect(paid.state.account(address(0x9999))).toMatchObject({ type: "eoa", balance: 1n });
    // 7 pushes, cold account, value, new account; the stipend is returned
    expect(paid.used).toBe(21 + 2600 + 9000 + 25000 - 2300);
  });

  it("pass at most all but 1/64 of the gas", () => {
    const callee = returning("GAS");
    const { output } = run("32 0 0 0 0 0x3000 GAS CALL POP 0 MLOAD", { [OTHER]: { code: callee } });
    const before = Number(GAS) - 5 * 3 - 3 - 2 - 2600 - 3;
    expect(Number(top(output))).toBe(before - Math.floor(before / 64) - 2);
  });

  it.each([
    ["an endless loop", "again: @again JUMP"],
    ["memory it cannot pay for", "1 0xffffffff MSTORE"],
    ["an invalid opcode", "INVALID"],
  ])("that end with %s leave their caller 1/64 of its gas, in every engine", (_, source) => {
    // before the call six pushes, GAS and the cold account; after it POP and GAS, and 15 for returning the word
    const caller = "0 0 0 0 0 0x3000 GAS CALL POP GAS";
    const before = Number(GAS) - 6 * 3 - 2 - 2600;
    for (const variant of ENGINE_VARIANTS) {
      const { outcome, output, gasLeft } = run(
        caller,
        { [OTHER]: { code: assemble(source) } },
        { evm: engine(variant) },
      );
      expect(outcome).toBe("success");
      expect(Number(top(output))).toBe(Math.floor(before / 64) - 2 - 2);
      expect(Number(gasLeft)).toBe(Math.floor(before / 64) - 2 - 2 - 15);
    }
  });

  it("fail and return the gas if the balance is insufficient", () => {
    const { output, used, state } = run("0 0 0 0 101 0x9999 50000 CALL", {}, { fork: "kore" });
    expect(top(output)).toBe(0n);
    expect(used).toBe(21 + 2600 + 9000 + 25000 - 2300);
    expect(state.exists(address(0x9999))).toBe(false);
  });

  it("nest at most 1024 deep", () => {
    const recursing = returning("0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 ADDRESS GAS CALL");
    const state = stateOf({ [CONTRACT]: { code: recursing } });
    const { outcome } = call(state, { gas: 10n ** 15n });
    expect(outcome).toBe("success");
    expect(state.storage(address(CONTRACT), word(0))).toEqual(word(1025));
  });

  it("keep the caller's context in DELEGATECALL, and only its storage in CALLCODE", () => {
    const callee = assemble("CALLER 0 SSTORE CALLVALUE 1 SSTORE ADDRESS 2 SSTORE");
    const slots = (state: ReturnType<typeof stateOf>) =>
      [0, 1, 2].map((i) => top(state.storage(address(CONTRACT), word(i))));
    const delegate = run("0 0 0 0 0x3000 GAS DELEGATECALL", { [OTHER]: { code: callee } }, { value: 7n });
    expect(slots(delegate.state)).toEqual([BigInt(SENDER), 7n, BigInt(CONTRACT)]);
    const callcode = run("0 0 0 0 5 0x3000 GAS CALLCODE", { [OTHER]: { code: callee } }, { value: 7n });
    expect(slots(callcode.state)).toEqual([BigInt(CONTRACT), 5n, BigInt(CONTRACT)]);
    expect(callcode.state.balance(address(OTHER))).toBe(0n);
  });

  it("revert a failed callee's changes, and keep gas and output only of a REVERT", () => {
    const failing = (end: string) => ({ [OTHER]: { code: assemble(`1 0 SSTORE 0xff 0 MSTORE8 ${end}`) } });
    const source = "0 0 0 0 0 0x3000 50000 CALL RETURNDATASIZE 8 SHL OR";
    const reverted = run(source, failing("1 0 REVERT"));
    expect(top(reverted.output)).toBe(0x100n);
    const invalid = run(source, failing("INVALID"));
    expect(top(invalid.output)).toBe(0n);
    expect(invalid.used - reverted.used).toBeGreaterThan(20000);
    for (const { state } of [reverted, invalid])
      expect(state.storage(address(OTHER), word(0))).toEqual(word(0));
  });

  it("return more than a mebibyte of data", () => {
    const callee = assemble("7 0x120000 MSTORE8 0x120001 0 RETURN");
    const source = "0 0 0 0 0 0x3000 GAS CALL POP 1 0x120000 0 RETURNDATACOPY RETURNDATASIZE 0 MLOAD OR";
    const { output } = run(source, { [OTHER]: { code: callee } }, { gas: 100_000_000n });
    expect(top(output)).toBe((7n << 248n) | 0x120001n);
    const beyond = run(
      "0 0 0 0 0 0x3000 GAS CALL POP 2 0x120000 0 RETURNDATACOPY 0",
      { [OTHER]: { code: callee } },
      { gas: 100_000_000n },
    );
    expect(beyond).toMatchObject({ outcome: "vmError", error: "evm: return data out of bounds" });
  });

  it.each([
    ["0x30", 0],
    ["0x3f0", 0],
    ["0x400", 1],
  ])("to the reserved address %s without a contract: %i", (to, success) => {
    const { output, state } = run(`0 0 0 0 1 ${to} 50000 CALL`, {}, { fork: "cancun" });
    expect(top(output)).toBe(BigInt(success));
    expect(state.balance(address(CONTRACT))).toBe(100n - BigInt(success));
  });

  it("to a reserved address return all gas at the top level", () => {
    const state = stateOf({ [SENDER]: { balance: 10n } });
    expect(call(state, { gas: GAS }, 0x30)).toMatchObject({ outcome: "reservedAddress", gasLeft: GAS });
    expect(call(state, { gas: GAS, value: 1n }, 2)).toMatchObject({
      outcome: "reservedAddress",
      gasLeft: GAS,
    });
  });
});

describe("precompiles", () => {
  it("can be called by every call opcode, and create no account", () => {
    for (const kind of [
      "0 0 0 0 0 4 GAS CALL",
      "0 0 0 0 0 4 GAS CALLCODE",
      "0 0 0 0 4 GAS STATICCALL",
      "0 0 0 0 4 GAS DELEGATECALL",
    ]) {
      const { output, state } = run(kind);
      expect(top(output)).toBe(1n);
      state.endTransaction();
      expect(state.exists(address(4))).toBe(false);
    }
  });

  it("count their computation cost, and fail without gas", () => {
    const enough = run("0 0 0 0 2 60 STATICCALL", {}, { fork: "kore" });
    const short = run("0 0 0 0 2 59 STATICCALL", {}, { fork: "kore" });
    expect([top(enough.output), top(short.output)]).toEqual([1n, 0n]);
    expect(enough.computation).toBe(short.computation);
  });

  it("keep their old addresses for contracts deployed before istanbul", () => {
    // feePayer: 0x0a for old contracts, 0x3fe for others
    const source = (at: string) => `20 0 0 0 0 ${at} GAS CALL POP 0 MLOAD 96 SHR`;
    const feePayer = BigInt(0xfee);
    const old = { [CONTRACT]: { code: returning(source("0x0a")), codeInfo: 0 } };
    expect(top(run("0", old, { fork: "shanghai" }).output)).toBe(feePayer);
    expect(top(run(source("0x3fe"), {}, { fork: "shanghai" }).output)).toBe(feePayer);
    expect(top(run(source("0x0a"), {}, { fork: "shanghai" }).output)).toBe(0n);
  });
});

describe("delegations", () => {
  const designator = concat(Uint8Array.of(0xef, 1, 0), address(0x4000));
  const others = { [OTHER]: { code: designator }, 16384: { code: returning("ADDRESS") } };

  it("run the delegate's code in the delegating account from prague on", () => {
    const source = "32 0 0 0 0 0x3000 GAS CALL POP 0 MLOAD";
    expect(top(run(source, others, { fork: "prague" }).output)).toBe(BigInt(OTHER));
    expect(top(run(source, others, { fork: "kaia" }).output)).toBe(0n);
  });

  it("cost a second account access", () => {
    const used = (source: string) => run(source, others, { fork: "prague" }).used;
    const direct = used("32 0 0 0 0 0x4000 GAS CALL");
    expect(used("32 0 0 0 0 0x3000 GAS CALL")).toBe(direct + 2600);
  });

  it("are plain bytes to EXTCODE opcodes", () => {
    expect(top(run("0x3000 EXTCODESIZE", others).output)).toBe(23n);
    expect(bytesToHex(run("32 0 0 0x3000 EXTCODECOPY 0 MLOAD", others).output).slice(0, 48)).toBe(
      bytesToHex(designator),
    );
  });
});
