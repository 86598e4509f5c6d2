import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Ancestry, BlockHooks, BlockOutcome } from "../../chain/execute/consensus-rules.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import {
  KIP103_FUNCTIONS,
  KIP160_FUNCTIONS,
  readApprovedPlan,
  type TreasuryCall,
  type TreasuryPlan,
} from "./treasury-contract.ts";

/** Dependencies of the treasury rebalancing. */
export interface RebalanceParts {
  readonly config: ChainConfig;
  readonly ancestry: Ancestry;
  readonly contracts: ContractReader;
}

/**
 * Rebalances treasury funds, once for each of two contracts, in the configured block. An unapproved plan changes nothing.
 * @see KIP-103, KIP-160
 */
export function rebalanceHooks(parts: RebalanceParts): BlockHooks {
  return {
    finalize({ header }: BlockOutcome, state: StateJournal): void {
      const { kip103, kip160 } = parts.config;
      if (kip160?.block === header.number) rebalanceV2(parts, header, state);
      else if (kip103?.block === header.number) rebalanceV1(parts, header, state);
    },
  };
}

/** Calls the contract in the parent's state; the total may grow. */
function rebalanceV2(
  { config, ancestry, contracts }: RebalanceParts,
  header: Header,
  state: StateJournal,
): void {
  const parent = ancestry.header(header.number - 1n);
  const before = ancestry.stateAt(header.number - 1n);
  const contract = config.kip160?.contract;
  if (parent === undefined || before === undefined || contract === undefined) return;
  const call: TreasuryCall = (input) => contracts.call(before, parent, contract, input);
  const plan = readApprovedPlan(call, KIP160_FUNCTIONS, header.number);
  if (plan !== undefined) apply(balancesOf(plan, state), state);
}

/**
 * Calls the contract in the block's own state. Each call increments the nonce of the zero address, as on mainnet. The total
 * may not grow.
 */
function rebalanceV1({ config, contracts }: RebalanceParts, header: Header, state: StateJournal): void {
  const contract = config.kip103?.contract;
  if (contract === undefined) return;
  const call: TreasuryCall = (input) => {
    state.setNonce(ZERO_ADDRESS, state.nonce(ZERO_ADDRESS) + 1n);
    return contracts.callWithin(state, header, contract, input);
  };
  const plan = readApprovedPlan(call, KIP103_FUNCTIONS, header.number);
  if (plan === undefined) return;
  const balances = balancesOf(plan, state);
  if (balances.zeroedTotal >= balances.allocatedTotal) apply(balances, state);
}

interface Balances {
  readonly zeroed: ReadonlySet<string>;
  readonly allocated: ReadonlyMap<string, bigint>;
  readonly zeroedTotal: bigint;
  readonly allocatedTotal: bigint;
}

function balancesOf(plan: TreasuryPlan, state: StateJournal): Balances {
  const zeroed = new Set(plan.zeroed.map(bytesToHex));
  const allocated = new Map<string, bigint>(
    plan.allocated.map(({ address, amount }) => [bytesToHex(address), amount]),
  );
  const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);
  return {
    zeroed,
    allocated,
    zeroedTotal: sum([...zeroed].map((address) => state.balance(hexToBytes(address)))),
    allocatedTotal: sum(allocated.values()),
  };
}

function apply({ zeroed, allocated }: Balances, state: StateJournal): void {
  for (const address of zeroed) state.setBalance(hexToBytes(address), 0n);
  for (const [address, amount] of allocated) state.setBalance(hexToBytes(address), amount);
}
