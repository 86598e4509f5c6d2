import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { SyncProgress } from "../../../../network/sync/synchroniser.ts";
import { hexQuantity } from "../../../../protocol/primitives/hex.ts";
import type { fees, kaiaNetwork, nextBlockFee } from "../../spec/fees.ts";
import type { Handlers } from "../../spec/method.ts";
import type { FeeHistory } from "./fee-history.ts";
import type { FeeOracle } from "./fee-oracle.ts";

/** Whether blocks are being downloaded; implemented by `network/sync`. */
export interface SyncStatus {
  /** Undefined while there is nothing to download. */
  progress(): SyncProgress | undefined;
  /** Called when downloading starts and when it ends. Returns the unsubscribe function. */
  onChange(listener: (progress: SyncProgress | undefined) => void): () => void;
}

/** Version of the Istanbul protocol reported by the reference node v2.2.1. */
const PROTOCOL_VERSION = 67n;

/** Whether a download is more than the next block of a node that follows the chain, which the reference does not report either. */
export function isCatchingUp(progress: SyncProgress | undefined): progress is SyncProgress {
  return progress !== undefined && progress.highestBlock > progress.startingBlock + 1n;
}

/** Progress as RPC shows it: false when not syncing. */
export function syncingResult(progress: SyncProgress | undefined): false | { [key: string]: string } {
  if (!isCatchingUp(progress) || progress.currentBlock >= progress.highestBlock) return false;
  return {
    currentBlock: hexQuantity(progress.currentBlock),
    highestBlock: hexQuantity(progress.highestBlock),
    knownStates: "0x0",
    pulledStates: "0x0",
    startingBlock: hexQuantity(progress.startingBlock),
  };
}

/** What prices are computed from. */
export interface FeeDeps {
  readonly chain: Chain;
  readonly oracle: FeeOracle;
  readonly history: FeeHistory;
  readonly sync: SyncStatus;
}

/** Prices, and facts about the chain in both namespaces. */
export function feeHandlers(deps: FeeDeps): Handlers<typeof fees> {
  const { chain, oracle, history, sync } = deps;
  return {
    gasPrice: () => oracle.gasPrice(),
    maxPriorityFeePerGas: () => oracle.tip(),
    feeHistory: ({ blockCount: count, newestBlock: newest, rewardPercentiles }, context) =>
      history.of({ count, newest, percentiles: rewardPercentiles ?? [] }, context),
    upperBoundGasPrice: () => oracle.bound("upperBoundBaseFee"),
    lowerBoundGasPrice: () => oracle.bound("lowerBoundBaseFee"),
    chainId: () => chain.config.chainId,
    syncing: () => syncingResult(sync.progress()),
  };
}

/** The base fee alone. */
export function nextBlockFeeHandlers(chain: Chain): Handlers<typeof nextBlockFee> {
  return { baseFee: () => chain.nextBaseFee() };
}

/** Facts about the chain in the chain namespace only. */
export function kaiaNetworkHandlers(chain: Chain): Handlers<typeof kaiaNetwork> {
  return { chainID: () => chain.config.chainId, protocolVersion: () => PROTOCOL_VERSION };
}
