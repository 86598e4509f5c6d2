import { describe, expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import type { StateReader } from "../../state/state.ts";
import type { ApproveCall, SwapCall } from "./calls.ts";
import { approveRefusal, swapRefusal } from "./sender-rules.ts";
import type { GaslessContracts } from "./swap-router.ts";

const sender = new Uint8Array(20).fill(1);
const token = new Uint8Array(20).fill(2);
const router = new Uint8Array(20).fill(3);
const contract = { ...newEoa(0n), codeHash: new Uint8Array(32).fill(4), code: true };

/** A sender with code and no tokens, at a router that wants 20 tokens where 10 were offered. */
function settingAt(level: number, code: object = contract) {
  const state = { account: () => code } as unknown as StateReader;
  const contracts = {
    balance: () => 0n,
    allowance: () => 0n,
    amountIn: () => 20n,
  } as unknown as GaslessContracts;
  return { state, contracts, level };
}

const approve = { sender, token, spender: router, amount: 1n } as ApproveCall;
const swap = {
  ...{ sender, router, token, amountIn: 10n, minAmountOut: 5n, amountRepay: 5n, deadline: 7n },
} as SwapCall;
const swapAt = (level: number, code?: object, more: Partial<SwapCall> = {}) =>
  swapRefusal({ ...swap, ...more }, { ...settingAt(level, code), isFirst: true, time: 7n });

describe("checks before a fee is lent, by --gasless.balance-check-level", () => {
  it("0: amounts and the deadline, whatever the sender's balance", () => {
    expect(approveRefusal(approve, settingAt(0))).toBeUndefined();
    expect(swapAt(0)).toBeUndefined();
    expect(swapAt(0, contract, { minAmountOut: 4n })).toMatch(/^insufficient minAmountOut/);
    expect(swapAt(0, contract, { deadline: 6n })).toMatch(/^insufficient deadline/);
  });

  it("1: also the token's balance and allowance", () => {
    expect(approveRefusal(approve, settingAt(1))).toMatch(/^insufficient sender token balance/);
    expect(swapAt(1)).toBe("insufficient approval: approval=0, want=10");
  });

  it("2: also the exchange rate", () => {
    expect(swapAt(2)).toBe("insufficient amountIn: have=10, want=20");
  });

  it("3: also that the sender has no code", () => {
    expect(approveRefusal(approve, settingAt(3))).toBe("sender with code is not allowed");
    expect(swapAt(3)).toBe("sender with code is not allowed");
    expect(swapAt(3, newEoa(0n))).toBe("insufficient amountIn: have=10, want=20");
  });
});
