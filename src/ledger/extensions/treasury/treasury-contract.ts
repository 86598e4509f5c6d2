import type { Address } from "../../../protocol/primitives/bytes.ts";
import { AbiOutput, callInput, uintWord } from "../contracts/abi.ts";

/** Calls the rebalancing contract; undefined if the call fails. */
export type TreasuryCall = (input: Uint8Array) => Uint8Array | undefined;

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
  /** Accounts whose balances are zeroed, each once. */
  readonly zeroed: readonly Address[];
  /** New balances, kei; the last one of an account takes effect. */
  readonly allocated: readonly { readonly address: Address; readonly amount: bigint }[];
  readonly block: bigint;
  /** 2 = approved. */
  readonly status: bigint;
}

/**
 * Reads a plan, call by call in the reference's order: under KIP-103, each call changes the state.
 * @returns undefined as soon as a call fails or the plan is not approved for `number`
 */
export function readApprovedPlan(
  call: TreasuryCall,
  functions: TreasuryFunctions,
  number: bigint,
): TreasuryPlan | undefined {
  const zeroed = readList(call, functions.zeroedCount, functions.zeroed, (output) => output.address(0));
  if (zeroed === undefined) return undefined;
  const allocated = readAllocated(call, functions);
  if (allocated === undefined) return undefined;
  const block = readUint(call, "rebalanceBlockNumber()");
  if (block !== number) return undefined;
  const status = readUint(call, "status()");
  if (status !== 2n || call(callInput(functions.checkApproved)) === undefined) return undefined;
  return { zeroed, allocated, block, status };
}

/** If the call for the number of allocations fails, it counts as zero, as in the reference. */
function readAllocated(
  call: TreasuryCall,
  functions: TreasuryFunctions,
): TreasuryPlan["allocated"] | undefined {
  const count = readUint(call, functions.allocatedCount) ?? 0n;
  return readElements(call, count, functions.allocated, (output) => ({
    address: output.address(0),
    amount: output.uint(1),
  }));
}

function readList<T>(
  call: TreasuryCall,
  count: string,
  element: string,
  parse: (output: AbiOutput) => T,
): T[] | undefined {
  const length = readUint(call, count);
  return length === undefined ? undefined : readElements(call, length, element, parse);
}

function readElements<T>(
  call: TreasuryCall,
  count: bigint,
  element: string,
  parse: (output: AbiOutput) => T,
): T[] | undefined {
  const elements: T[] = [];
  for (let i = 0n; i < count; i++) {
    const output = call(callInput(element, uintWord(i)));
    if (output === undefined) return undefined;
    elements.push(parse(new AbiOutput(output)));
  }
  return elements;
}

function readUint(call: TreasuryCall, signature: string): bigint | undefined {
  const output = call(callInput(signature));
  return output === undefined ? undefined : new AbiOutput(output).uint(0);
}
