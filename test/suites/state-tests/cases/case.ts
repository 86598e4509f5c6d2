import { ETHEREUM_FORKS, type EthereumFork } from "../../../../src/ledger/evm/tables/ethereum-rules.ts";
import type { Authorization } from "../../../../src/protocol/transaction/transaction.ts";

/** An account before a case runs; `code` is assembler source or bytes. */
export interface CaseAccount {
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly code?: Code;
  /** Values by slot. */
  readonly storage?: Readonly<Record<string, bigint>>;
}

/** Assembler source, or raw bytes. */
export type Code = string | Uint8Array;

/** An address: a small number or 20 bytes. */
export type AddressSource = number | Uint8Array;

/** An access list: slots by address. */
export type AccessListSource = readonly (readonly [at: AddressSource, slots: readonly (number | bigint)[]])[];

/** Prices of a transaction, wei; a `gasPrice` of 10 if absent. */
export interface CaseFees {
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly maxFeePerBlobGas?: bigint;
}

/**
 * A state test in compact form: every combination of data, gas and value runs under every fork. The transaction calls TARGET, whose
 * code is `code`; with `to: null` it creates a contract, its data being the init code.
 */
export interface StateCase {
  /** File name without extension. */
  readonly name: string;
  /** What an incorrect engine would get wrong. */
  readonly about: string;
  readonly forks: readonly EthereumFork[];
  readonly code?: Code;
  /** Other accounts by address; TARGET's balance and storage too. */
  readonly accounts?: ReadonlyMap<AddressSource, CaseAccount> | Readonly<Record<number, CaseAccount>>;
  readonly target?: Omit<CaseAccount, "code">;
  readonly sender?: Partial<CaseAccount>;
  /** A sender without a known key, instead of the default one. */
  readonly from?: AddressSource;
  readonly to?: AddressSource | null;
  readonly nonce?: bigint;
  readonly data?: readonly Code[];
  readonly gas?: readonly (number | bigint)[];
  readonly value?: readonly bigint[];
  /** Adds, for each fork and data, the gas that our engine uses and one less. */
  readonly edges?: boolean;
  /** One for every data, or one for all. */
  readonly accessLists?: readonly (AccessListSource | null)[];
  readonly fees?: CaseFees;
  readonly blobs?: readonly Uint8Array[];
  readonly authorizations?: readonly Authorization[];
  /** Fields of the environment that differ; empty ones are omitted. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Cases of one directory. */
export interface Theme {
  readonly directory: string;
  readonly cases: readonly StateCase[];
}

/** The contract called by transactions. */
export const TARGET = 0xc0de;
/** The recipient of fees. */
export const COINBASE = 0xc01bba5e;

/** Forks from one to another, inclusive. */
export function forks(first: EthereumFork, last: EthereumFork = "Osaka"): readonly EthereumFork[] {
  return ETHEREUM_FORKS.slice(ETHEREUM_FORKS.indexOf(first), ETHEREUM_FORKS.indexOf(last) + 1);
}

/** The forks of `spread` from one on: those that changed gas or opcodes of the topic. */
export function since(first: EthereumFork): readonly EthereumFork[] {
  const spread: readonly EthereumFork[] = ["Frontier", "EIP150", "Byzantium", "Istanbul", "Berlin", "London"];
  const wanted = [...spread, "Cancun", "Prague", "Osaka"];
  return forks(first).filter((fork) => fork === first || wanted.includes(fork));
}
