import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { EMPTY_BYTES, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { revertReason } from "../../evm/revert-reason.ts";
import { CallError } from "../errors.ts";
import { alice, BASE_FEE, CONTRACT, createWorld, FUNDS, STRANGER } from "../testing/world.ts";
import { type CallRequest, call, callGas, defaultCallPrice } from "./call.ts";
import { type EstimateRequest, estimateGas } from "./estimate.ts";
import { applyOverrides } from "./overrides.ts";
import { failureOf } from "./revert.ts";

const request = (parts: Partial<CallRequest> = {}): CallRequest => ({
  from: STRANGER,
  to: CONTRACT,
  value: 0n,
  input: EMPTY_BYTES,
  gas: 1_000_000n,
  gasPrice: 2n * BASE_FEE,
  ...parts,
});
/** Returns the word in slot 0. */
const READS_SLOT = hexToBytes("0x5f545f5260205ff3");
const NOT_ENOUGH = hexToBytes(
  "0x08c379a0" +
    "0000000000000000000000000000000000000000000000000000000000000020" +
    "000000000000000000000000000000000000000000000000000000000000000a" +
    "6e6f7420656e6f75676800000000000000000000000000000000000000000000",
);

describe("a call", () => {
  it("needs no balance beyond the value", () => {
    const world = createWorld({ code: READS_SLOT });
    expect(call(request(), world)).toMatchObject({ status: 1, output: ZERO_HASH, error: undefined });
    expect(() => call(request({ value: 1n }), createWorld({ code: READS_SLOT }))).toThrowError(
      "err: insufficient balance for transfer (supplied gas 1000000)",
    );
  });

  it("defaults to the reference node's price and gas", () => {
    const { context } = createWorld();
    expect(defaultCallPrice(context)).toBe(2n * BASE_FEE);
    expect(callGas(undefined, 0n)).toBe(500_000_000n);
    expect(callGas(700n, 600n)).toBe(600n);
    expect(() => callGas(500_000_001n, 0n)).toThrowError(
      "gas limit 500000001 exceeds the upper limit 500000000",
    );
  });

  it("reports too little gas, and too low a price", () => {
    expect(() => call(request({ gas: 20_000n }), createWorld())).toThrowError(
      "intrinsic gas too low: msg.gas 20000, want 21000",
    );
    expect(() => call(request({ gasPrice: 1n }), createWorld())).toThrowError(
      /^err: max fee per gas less than block base fee: address 0xEeeee[Ee]{35}, .* \(supplied gas 1000000\)$/,
    );
  });

  it("creates a contract without a recipient", () => {
    const result = call(request({ to: undefined, input: hexToBytes("0x60ff5f5360015ff3") }), createWorld());
    expect(result).toMatchObject({ status: 1, output: Uint8Array.of(0xff) });
  });

  it("sees overridden accounts", () => {
    const world = createWorld();
    const slot = { slot: ZERO_HASH, value: new Uint8Array(32).fill(9) };
    applyOverrides(
      [{ address: CONTRACT, code: READS_SLOT, stateDiff: [slot], balance: 5n, nonce: 3n }],
      world.state,
    );
    expect(call(request(), world).output).toEqual(slot.value);
    expect(world.state.balance(CONTRACT)).toBe(5n);
    applyOverrides([{ address: CONTRACT, state: [] }], world.state);
    expect(call(request(), world).output).toEqual(ZERO_HASH);
    expect(() => applyOverrides([{ address: CONTRACT, state: [], stateDiff: [] }], world.state)).toThrowError(
      /has both 'state' and 'stateDiff'$/,
    );
  });

  it("accepts an authorization list", () => {
    const authorization = { chainId: 1n, address: CONTRACT, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
    const world = createWorld({ code: READS_SLOT });
    expect(call(request({ authorizationList: [authorization] }), world).status).toBe(1);
  });
});

describe("a failed call", () => {
  /** Copies the input into memory and reverts with it. */
  const world = () => createWorld({ code: hexToBytes("0x365f5f37365ffd") });

  it("reports the contract's revert reason", () => {
    const error = failureOf(call(request({ input: NOT_ENOUGH }), world()));
    expect(error.message).toBe("execution reverted: not enough");
    expect(error.code).toBe("REVERTED");
    expect(failureOf(call(request(), world())).message).toBe("evm: execution reverted");
  });

  it.each([
    ["0x4e487b71", 0x11, "arithmetic underflow or overflow"],
    ["0x4e487b71", 0x77, "unknown panic code: 0x77"],
    ["0x12345678", 0x11, undefined],
  ])("decodes the reason %s %i", (selector, code, reason) => {
    const word = code.toString(16).padStart(64, "0");
    expect(revertReason(hexToBytes(`${selector}${word}`))).toBe(reason);
  });

  it.each([0, 3, 40, 68, 77])("ignores a reason truncated to %i bytes", (length) => {
    expect(revertReason(NOT_ENOUGH.subarray(0, length))).toBeUndefined();
  });
});

describe("an estimate", () => {
  /** Stores a word in a fresh slot. */
  const code = hexToBytes("0x60015f5500");
  const estimate = (parts: Partial<EstimateRequest> = {}, of: Partial<CallRequest> = {}) =>
    estimateGas({
      cap: 0n,
      value: 0n,
      gasPrice: 0n,
      balance: FUNDS,
      run: (gas) => call(request({ from: alice.address, gas, ...of }), createWorld({ code })),
      isGasIndependent: () => true,
      ...parts,
    });
  const succeeds = (gas: bigint) => call(request({ gas }), createWorld({ code })).status === 1;
  const attempts: bigint[] = [];
  /** A run that succeeds with `needed` gas, and uses `used` of it. */
  const needing = (needed: bigint, used: bigint) => (gas: bigint) => {
    attempts.push(gas);
    const isEnough = gas >= needed;
    const result = { output: new Uint8Array(), gasUsed: isEnough ? used : gas, computation: 0n };
    return { ...result, status: isEnough ? 1 : 0x07 };
  };
  beforeEach(() => {
    attempts.length = 0;
  });

  it.each([true, false])("is the minimum gas, gas-independent code: %j", (isIndependent) => {
    const gas = estimate({ isGasIndependent: () => isIndependent });
    expect(succeeds(gas)).toBe(true);
    expect(succeeds(gas - 1n)).toBe(false);
    expect(estimate({ isGasIndependent: () => isIndependent }, { to: STRANGER })).toBe(21_000n);
  });

  it("equals the result of a bisection, whatever gas-independent code needs and refunds", () => {
    const cases = fc.tuple(
      fc.bigInt(0n, 2_000_000n),
      fc.integer({ min: 0, max: 100 }),
      fc.bigInt(20_998n, 3_000_000n),
    );
    fc.assert(
      fc.property(cases, ([needed, percent, ceiling]) => {
        const used = (needed * BigInt(percent)) / 100n;
        const found = [true, false].map((isIndependent) => {
          const run = needing(needed, used);
          try {
            return estimate({ run, gas: ceiling, cap: ceiling, isGasIndependent: () => isIndependent });
          } catch (error) {
            return (error as Error).message;
          }
        });
        expect(found[0]).toBe(found[1]);
      }),
    );
  });

  it("takes two attempts for gas-independent code without a refund, the first halfway", () => {
    expect(estimate({ run: needing(51_234n, 51_234n), cap: 10_000_000n })).toBe(51_234n);
    expect(attempts).toEqual([5_010_499n, 51_234n]);
  });

  it("retries failing gas-independent code once, with all the gas", () => {
    expect(() => estimate({ run: needing(9_000_001n, 0n), cap: 9_000_000n })).toThrowError("(9000000)");
    expect(attempts).toEqual([4_510_499n, 9_000_000n]);
  });

  it("is found by bisection for code that depends on gas", () => {
    const run = (gas: bigint) => ({ ...needing(0n, 30_000n)(gas), status: gas % 2n === 0n ? 1 : 0x07 });
    expect(estimate({ run, cap: 100_000n, isGasIndependent: () => false })).toBe(84_458n);
    expect(attempts.slice(0, 3)).toEqual([60_499n, 80_249n, 90_124n]);
  });

  it.each([
    [{ gas: 30_000n }, "gas required exceeds allowance (30000)"],
    [{ cap: 25_000n }, "gas required exceeds allowance (25000)"],
    [{ gasPrice: FUNDS / 30_000n }, "gas required exceeds allowance (30000)"],
    [{ gasPrice: 1n, value: FUNDS }, "insufficient funds for transfer"],
    [{ gas: 500_000_001n }, "gas limit 500000001 exceeds the upper limit 500000000"],
  ])("fails for %o", (parts, text) => {
    expect(() => estimate(parts)).toThrowError(text);
  });

  it("fails with the error of the call", () => {
    const run = () => call(request(), createWorld({ code: Uint8Array.of(0xfe) }));
    expect(() => estimate({ run })).toThrowError("VM error occurs while running smart contract");
    expect(() => estimate({ run })).toThrowError(CallError);
  });
});
