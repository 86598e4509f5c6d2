import { describe, expect, it } from "vitest";
import { contractAddress, saltedContractAddress } from "../../../../protocol/account/address.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { assemble, deploying, returning } from "../../testing/assemble.ts";
import {
  address,
  CONTRACT,
  call,
  type RunOptions,
  SENDER,
  stateOf,
  type TestAccount,
  word,
} from "../../testing/run-code.ts";

const GAS = 10_000_000n;
const RUNTIME = assemble("1 0 SSTORE");
const created = contractAddress(address(SENDER), 5n);

/** Runs init code as a creation by SENDER, whose nonce is 5. */
function create(initCode: Uint8Array, options: RunOptions = {}) {
  const state = stateOf({ [SENDER]: { balance: 10n ** 18n, nonce: 5n } });
  return { ...call(state, { gas: GAS, input: initCode, ...options }, null), state };
}

describe("creations", () => {
  it("deploy code, set nonce 1 and increase the creator's nonce", () => {
    const { outcome, createdAddress, state, output } = create(deploying(RUNTIME), { value: 9n });
    expect(outcome).toBe("success");
    expect(createdAddress).toEqual(created);
    expect(output).toEqual(RUNTIME);
    expect(state.code(created)).toEqual(RUNTIME);
    expect(state.account(created)).toMatchObject({
      type: "sca",
      nonce: 1n,
      balance: 9n,
      codeInfo: 0x10,
      key: { type: "fail" },
    });
    expect(state.nonce(address(SENDER))).toBe(6n);
  });

  it("carry the VM version of their fork", () => {
    expect(create(assemble("0 0 RETURN"), { fork: "genesis" }).state.account(created)?.codeInfo).toBe(0);
    expect(create(assemble("0 0 RETURN"), { fork: "istanbul" }).state.account(created)?.codeInfo).toBe(0x10);
  });

  it("fail at the address of any account before shanghai, and later only of a used one", () => {
    const creation = (fork: "kore" | "shanghai", other: TestAccount) => {
      const base = stateOf({ [SENDER]: { balance: 1n, nonce: 5n } });
      if (other.balance) base.addBalance(created, other.balance);
      if (other.nonce) base.setNonce(created, other.nonce);
      return call(base, { fork, gas: GAS, input: deploying(RUNTIME) }, null);
    };
    expect(creation("kore", { balance: 1n })).toMatchObject({ outcome: "addressCollision", gasLeft: 0n });
    expect(creation("shanghai", { balance: 1n }).outcome).toBe("success");
    expect(creation("shanghai", { nonce: 1n })).toMatchObject({ outcome: "addressCollision", gasLeft: 0n });
  });

  it("keep only the nonce increase if they fail", () => {
    const { outcome, gasLeft, state } = create(assemble("1 0 SSTORE INVALID"));
    expect([outcome, gasLeft]).toEqual(["vmError", 0n]);
    expect(state.exists(created)).toBe(false);
    expect(state.nonce(address(SENDER))).toBe(6n);
  });

  it.each([
    ["shanghai", 24576, "success"],
    ["shanghai", 24577, "maxCodeSize"],
  ] as const)("at %s store %i bytes: %s", (fork, size, outcome) => {
    expect(create(assemble(`${size} 0 RETURN`), { fork }).outcome).toBe(outcome);
  });

  it("pay 200 gas per byte of code, or fail and use all gas", () => {
    const rich = create(deploying(RUNTIME));
    const spent = GAS - rich.gasLeft;
    expect(create(deploying(RUNTIME), { gas: spent }).outcome).toBe("success");
    expect(create(deploying(RUNTIME), { gas: spent - 1n })).toMatchObject({
      outcome: "codeStoreOutOfGas",
      gasLeft: 0n,
    });
  });

  it("treat code that starts with 0xEF by fork", () => {
    const initCode = assemble("0xef 0 MSTORE8 1 0 RETURN");
    const error = "invalid code: must not begin with 0xef";
    expect(create(initCode, { fork: "magma" }).outcome).toBe("success");
    const late = create(initCode, { fork: "kore" });
    expect(late).toMatchObject({ outcome: "vmError", error });
    expect(late.gasLeft).toBeGreaterThan(GAS - 1000n);
    expect(late.state.code(created)).toEqual(Uint8Array.of(0xef));
    const strict = create(initCode, { fork: "prague" });
    expect(strict).toMatchObject({ outcome: "vmError", error, gasLeft: 0n });
    expect(strict.state.exists(created)).toBe(false);
  });

  it("by CREATE2 depend only on salt and init code", () => {
    const init = word(0x600160005360016000f3n).subarray(22);
    const source = "0x600160005360016000f3 0 MSTORE 7 10 22 0 CREATE2";
    const state = stateOf({ [CONTRACT]: { code: returning(source) } });
    const { output } = call(state);
    const expected = saltedContractAddress(address(CONTRACT), word(7), keccak256(init));
    expect(output.subarray(12)).toEqual(expected);
    expect(state.code(expected)).toEqual(Uint8Array.of(1));
    expect(bytesToBigint(call(state).output)).toBe(0n);
  });

  it("by contracts charge for init code from shanghai on, and reject more than 49152 bytes", () => {
    const used = (fork: "kore" | "shanghai", size: number) => {
      const state = stateOf({ [CONTRACT]: { code: assemble(`${size} 0 0 CREATE`) } });
      const result = call(state, { fork, gas: GAS });
      return { gas: Number(GAS - result.gasLeft), outcome: result.outcome };
    };
    expect(used("shanghai", 64).gas - used("kore", 64).gas).toBe(4);
    expect(used("shanghai", 49152).outcome).toBe("success");
    expect(used("shanghai", 49153).outcome).toBe("outOfGas");
    expect(used("kore", 49153).outcome).toBe("success");
  });
});

describe("SELFDESTRUCT", () => {
  const destroy = assemble("0x9999 SELFDESTRUCT");

  it("deletes the account at the end of the transaction before cancun", () => {
    const state = stateOf({ [CONTRACT]: { code: destroy, balance: 5n } });
    expect(call(state, { fork: "shanghai" }).outcome).toBe("success");
    expect(state.code(address(CONTRACT))).toEqual(destroy);
    state.endTransaction();
    expect(state.exists(address(CONTRACT))).toBe(false);
    expect(state.balance(address(0x9999))).toBe(5n);
  });

  it("only moves the balance from cancun on", () => {
    const state = stateOf({ [CONTRACT]: { code: destroy, balance: 5n } });
    call(state, { fork: "cancun" });
    state.endTransaction();
    expect(state.code(address(CONTRACT))).toEqual(destroy);
    expect([state.balance(address(CONTRACT)), state.balance(address(0x9999))]).toEqual([0n, 5n]);
  });

  it("deletes a contract created in the same transaction", () => {
    const { state } = create(destroy, { value: 3n });
    state.endTransaction();
    expect(state.exists(created)).toBe(false);
    expect(state.balance(address(0x9999))).toBe(3n);
  });

  it.each([
    ["genesis", 5000 + 25000, 24000],
    ["kore", 5000 + 2600 + 25000, 0],
  ] as const)("at %s costs %i and refunds %i when the beneficiary is new", (fork, gas, refund) => {
    const state = stateOf({ [CONTRACT]: { code: destroy, balance: 5n } });
    const { gasLeft } = call(state, { fork, gas: GAS });
    expect([Number(GAS - gasLeft), Number(state.refund)]).toEqual([3 + gas, refund]);
  });
});
