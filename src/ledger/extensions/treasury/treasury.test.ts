import { describe, expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { type Address, concat, EMPTY_BYTES, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateReader } from "../../state/state.ts";
import { addressWord, callInput, uintWord } from "../contracts/abi.ts";
import { rebalanceHooks } from "./rebalance.ts";
import { KIP103_FUNCTIONS, KIP160_FUNCTIONS, type TreasuryFunctions } from "./treasury-contract.ts";

const addressOf = (i: number): Address => new Uint8Array(20).fill(i);
const CONTRACT = addressOf(9);
const [OLD, OTHER, NEW] = [addressOf(1), addressOf(2), addressOf(3)] as [Address, Address, Address];
const funds = new Map(
  [OLD, OTHER, NEW].map((address, i) => [bytesToHex(address), newEoa([70n, 30n, 5n][i] as bigint)]),
);
const reader: StateReader = {
  account: (address) => funds.get(bytesToHex(address)),
  storage: () => EMPTY_BYTES,
  code: () => EMPTY_BYTES,
};

interface Plan {
  readonly amount: bigint;
  readonly status?: bigint;
  readonly block?: bigint;
  readonly approved?: boolean;
}

/** Runs the hooks in block 50 with a contract that moves the funds of OLD and OTHER to NEW. */
function rebalance(version: "kip103" | "kip160", plan: Plan) {
  const functions: TreasuryFunctions = version === "kip103" ? KIP103_FUNCTIONS : KIP160_FUNCTIONS;
  const answers = new Map<string, Uint8Array>([
    [bytesToHex(callInput(functions.zeroedCount)), uintWord(2n)],
    [bytesToHex(callInput(functions.zeroed, uintWord(0n))), addressWord(OLD)],
    [bytesToHex(callInput(functions.zeroed, uintWord(1n))), addressWord(OTHER)],
    [bytesToHex(callInput(functions.allocatedCount)), uintWord(1n)],
    [
      bytesToHex(callInput(functions.allocated, uintWord(0n))),
      concat(addressWord(NEW), uintWord(plan.amount)),
    ],
    [bytesToHex(callInput("rebalanceBlockNumber()")), uintWord(plan.block ?? 50n)],
    [bytesToHex(callInput("status()")), uintWord(plan.status ?? 2n)],
  ]);
  if (plan.approved !== false) answers.set(bytesToHex(callInput(functions.checkApproved)), EMPTY_BYTES);
  const call = (_state: unknown, _header: unknown, _to: Address, input: Uint8Array) =>
    answers.get(bytesToHex(input));
  const config = parseChainConfig({
    [`${version}CompatibleBlock`]: 50,
    [`${version}ContractAddress`]: bytesToHex(CONTRACT),
  });
  const state = createJournal(reader);
  const header = { number: 50n } as Header;
  const ancestry = { header: () => header, stateAt: () => reader };
  const hooks = rebalanceHooks({ config, ancestry, contracts: { call, callWithin: call } });
  hooks.finalize?.({ header, gasUsed: 0n, totalFee: 0n }, state);
  return {
    balances: [OLD, OTHER, NEW].map((address) => state.balance(address)),
    nonce: state.nonce(ZERO_ADDRESS),
  };
}

describe("treasury rebalancing", () => {
  it.each(["kip103", "kip160"] as const)("by %s empties the old funds and sets the new one", (version) => {
    expect(rebalance(version, { amount: 90n }).balances).toEqual([0n, 0n, 90n]);
  });

  it("lets the total increase only by kip160", () => {
    expect(rebalance("kip103", { amount: 101n }).balances).toEqual([70n, 30n, 5n]);
    expect(rebalance("kip160", { amount: 101n }).balances).toEqual([0n, 0n, 101n]);
  });

  it.each([
    { amount: 90n, status: 1n },
    { amount: 90n, block: 51n },
    { amount: 90n, approved: false },
  ])("changes no balance if the plan is not approved for the block: %o", (plan) => {
    expect(rebalance("kip103", plan).balances).toEqual([70n, 30n, 5n]);
    expect(rebalance("kip160", plan).balances).toEqual([70n, 30n, 5n]);
  });

  it("counts each call of kip103 as a transaction of the zero address", () => {
    expect(rebalance("kip103", { amount: 90n }).nonce).toBe(8n);
    expect(rebalance("kip103", { amount: 90n, block: 51n }).nonce).toBe(6n);
    expect(rebalance("kip160", { amount: 90n }).nonce).toBe(0n);
  });
});
