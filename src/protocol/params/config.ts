import type { Address } from "../primitives/bytes.ts";
import type { Fork } from "./forks.ts";

/** The `config` object of a genesis file, decoded. */
export interface ChainConfig {
  readonly chainId: bigint;
  /** Activation block of each fork that is set. */
  readonly forks: Readonly<Partial<Record<Fork, bigint>>>;
  readonly kip103?: { readonly block: bigint; readonly contract: Address };
  readonly kip160?: { readonly block: bigint; readonly contract: Address };
  readonly randaoRegistry?: {
    readonly records: Readonly<Record<string, Address>>;
    readonly owner: Address;
  };
  readonly blobSchedule?: {
    readonly target: bigint;
    readonly max: bigint;
    readonly baseFeeUpdateFraction: bigint;
  };
  /** Maximum bytes of a contract's code, if a development chain departs from EIP-170; never part of a genesis file. */
  readonly codeSizeLimit?: number;
  /** Parameters set by the genesis; the rest has defaults. */
  readonly params: Readonly<Partial<ParamSet>>;
  /** The JSON as given, for `admin_nodeInfo` and the database. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Governance parameters in force at one block. */
export interface ParamSet {
  readonly unitPrice: bigint;
  readonly deriveShaImpl: number;
  readonly governanceMode: "none" | "single" | "ballot";
  readonly governingNode: Address;
  readonly govParamContract: Address;
  readonly epoch: bigint;
  /** 0 round robin, 1 sticky, 2 weighted random. */
  readonly policy: number;
  readonly committeeSize: number;
  readonly mintingAmount: bigint;
  /** "34/54/12" */
  readonly ratio: string;
  readonly kip82Ratio: string;
  readonly useGiniCoeff: boolean;
  readonly deferredTxFee: boolean;
  /** KAIA, not kei. */
  readonly minimumStake: bigint;
  readonly stakingUpdateInterval: bigint;
  readonly proposerUpdateInterval: bigint;
  readonly lowerBoundBaseFee: bigint;
  readonly upperBoundBaseFee: bigint;
  readonly gasTarget: bigint;
  readonly maxBlockGasUsedForBaseFee: bigint;
  readonly baseFeeDenominator: bigint;
}

/** Reads the parameters in force at a block; implemented by `extensions/governance`. */
export interface ParamReader {
  at(number: bigint): ParamSet;
}
