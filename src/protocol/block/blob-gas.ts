import type { ChainConfig } from "../params/config.ts";
import { DEFAULT_BLOB_SCHEDULE } from "../params/defaults.ts";
import { BLOB_BASE_FEE_MULTIPLIER, GAS_PER_BLOB } from "../params/gas.ts";
import type { Header } from "./header.ts";

/** First byte of a versioned hash: of a KZG commitment (EIP-4844). */
export const KZG_VERSION = 1;

/** Largest blob gas of one block. */
export function maxBlobGas(config: ChainConfig): bigint {
  return scheduleOf(config).max * GAS_PER_BLOB;
}

/** Excess blob gas of the block after `parent`, from osaka. @see KIP-279 */
export function nextExcessBlobGas(parent: Header, config: ChainConfig): bigint {
  const sum = (parent.excessBlobGas ?? 0n) + (parent.blobGasUsed ?? 0n);
  const target = scheduleOf(config).target * GAS_PER_BLOB;
  return sum < target ? 0n : sum - target;
}

/** Price of blob gas, kei per gas, in a block with this base fee. @see KIP-279: it follows the base fee, not the excess */
export function blobBaseFee(baseFee: bigint): bigint {
  return BLOB_BASE_FEE_MULTIPLIER * baseFee;
}

function scheduleOf(config: ChainConfig): NonNullable<ChainConfig["blobSchedule"]> {
  return config.blobSchedule ?? DEFAULT_BLOB_SCHEDULE;
}
