import type { Header } from "../../protocol/block/header.ts";
import type { ChainConfig, ParamReader } from "../../protocol/params/config.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateStore } from "../state/state.ts";
import type { Ancestry, BlockHooks, ConsensusRules } from "./execute/consensus-rules.ts";

/** A block by its header and hash. */
export interface BlockReference {
  readonly header: Header;
  readonly hash: Hash;
}

/** The canonical chain up to the newest committed block. */
export interface TipAncestry extends Ancestry {
  hash(number: bigint): Hash | undefined;
}

/** What a chain is made of. */
export interface ChainParts {
  readonly store: StateStore;
  readonly config: ChainConfig;
  readonly genesisHash: Hash;
  readonly params: ParamReader;
  readonly consensus: Pick<ConsensusRules, "author">;
  readonly hooks: readonly BlockHooks[];
  /** What a development chain sees otherwise than its blocks say. */
  readonly overrides?: ChainOverrides | undefined;
}

/** Where a development chain departs from the protocol. */
export interface ChainOverrides {
  /** Base fee that the next block was given, in place of the computed one. */
  nextBaseFee(): bigint | undefined;
  /** Told of transactions that were read from the database, before anybody sees them. */
  restore(transactions: readonly Transaction[]): void;
  /** Hash of a block before the one from which the chain goes on; undefined for others. */
  ancestorHash?(number: bigint): Hash | undefined;
}
