import type { Address } from "../../../protocol/primitives/bytes.ts";
import { AbiOutput, callInput, uintWord } from "../contracts/abi.ts";

/** Asks the rebalancing contract; undefined when the call fails. */
export type Ask = (input: Uint8Array) => Uint8Array | undefined;

/** Function names of the contract, which differ between the two rebalancings. */
export interface TreasuryFunctions {
  readonly zeroedCount: string;
  readonly zeroed: string;
  readonly allocatedCount: string;
  readonly allocated: string;
  readonly checkApproved: string;
}

/** @see KIP-103 */
export const KIP103_FUNCTIONS: TreasuryFunctions = {
  zeroedCount: "getRetiredCount()",
  zeroed: "retirees(uint256)",
  allocatedCount: "getNewbieCount()",
  allocated: "newbies(uint256)",
  checkApproved: "checkRetiredsApproved()",
};

/** @see KIP-160 */
export const KIP160_FUNCTIONS: TreasuryFunctions = {
  zeroedCount: "getZeroedCount()",
  zeroed: "zeroeds(uint256)",
  allocatedCount: "getAllocatedCount()",
  allocated: "allocateds(uint256)",
  checkApproved: "checkZeroedsApproved()",
};

/** The plan of a rebalancing contract. */
export interface TreasuryPlan {
  /** Accounts that are emptied, each once. */
  readonly zeroed: readonly Address[];
  /** New balances, kei; the last one of an account counts. */
  readonly allocated: readonly { readonly address: Address; readonly amount: bigint }[];
  readonly block: bigint;
  /** 2 when approved. */
  readonly status: bigint;
}

/**
 * Reads a plan, call by call in the reference's order: within KIP-103 each call leaves a trace in the state.
 * @returns undefined as soon as a call fails or the plan is not approved for `number`
 */
export function readApprovedPlan(
  ask: Ask,
  functions: TreasuryFunctions,
  number: bigint,
): TreasuryPlan | undefined {
  const zeroed = readList(ask, functions.zeroedCount, functions.zeroed, (output) => output.address(0));
  if (zeroed === undefined) return undefined;
  const allocated = readAllocated(ask, functions);
  if (allocated === undefined) return undefined;
  const block = readUint(ask, "rebalanceBlockNumber()");
  if (block !== number) return undefined;
  const status = readUint(ask, "status()");
  if (status !== 2n || ask(callInput(functions.checkApproved)) === undefined) return undefined;
  return { zeroed, allocated, block, status };
}

/** A failing call for the allocation count counts as zero, as in the reference. */
function readAllocated(ask: Ask, functions: TreasuryFunctions): TreasuryPlan["allocated"] | undefined {
  const count = readUint(ask, functions.allocatedCount) ?? 0n;
  return readElements(ask, count, functions.allocated, (output) => ({
    address: output.address(0),
    amount: output.uint(1),
  }));
}

function readList<T>(
  ask: Ask,
  count: string,
  element: string,
  parse: (output: AbiOutput) => T,
): T[] | undefined {
  const length = readUint(ask, count);
  return length === undefined ? undefined : readElements(ask, length, element, parse);
}

function readElements<T>(
  ask: Ask,
  count: bigint,
  element: string,
  parse: (output: AbiOutput) => T,
): T[] | undefined {
  const elements: T[] = [];
  for (let i = 0n; i < count; i++) {
    const output = ask(callInput(element, uintWord(i)));
    if (output === undefined) return undefined;
    elements.push(parse(new AbiOutput(output)));
  }
  return elements;
}

function readUint(ask: Ask, signature: string): bigint | undefined {
  const output = ask(callInput(signature));
  return output === undefined ? undefined : new AbiOutput(output).uint(0);
}
