import { ZERO_ADDRESS } from "../primitives/bytes.ts";
import type { ChainConfig, ParamSet } from "./config.ts";

/** Governance parameters that neither genesis nor votes set. @see reference node v2.2.1, `kaiax/gov` */
export const DEFAULT_PARAMS: ParamSet = Object.freeze({
  unitPrice: 250_000_000_000n,
  deriveShaImpl: 0,
  governanceMode: "none",
  governingNode: ZERO_ADDRESS,
  govParamContract: ZERO_ADDRESS,
  epoch: 604_800n,
  policy: 0,
  committeeSize: 21,
  mintingAmount: 0n,
  ratio: "100/0/0",
  kip82Ratio: "20/80",
  useGiniCoeff: false,
  deferredTxFee: false,
  minimumStake: 2_000_000n,
  stakingUpdateInterval: 86_400n,
  proposerUpdateInterval: 3_600n,
  lowerBoundBaseFee: 25_000_000_000n,
  upperBoundBaseFee: 750_000_000_000n,
  gasTarget: 30_000_000n,
  maxBlockGasUsedForBaseFee: 60_000_000n,
  baseFeeDenominator: 20n,
});

/** Target and limit of blobs per block from osaka, when the configuration has no `blobSchedule`. */
export const DEFAULT_BLOB_SCHEDULE: NonNullable<ChainConfig["blobSchedule"]> = Object.freeze({
  target: 1n,
  max: 1n,
  baseFeeUpdateFraction: 5_007_716n,
});

/** The parameters in force before any vote: the defaults, overridden by the genesis. */
export function genesisParams(config: ChainConfig): ParamSet {
  return { ...DEFAULT_PARAMS, ...config.params };
}
