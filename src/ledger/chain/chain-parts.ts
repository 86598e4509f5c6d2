import type { Header } from "../../protocol/block/header.ts";
import type { ChainConfig, ParamReader } from "../../protocol/params/config.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateStore } from "../state/state.ts";
import type { CommitFeed } from "./commit-feed.ts";
import type { Ancestry, BlockHooks, ConsensusRules } from "./execute/consensus-rules.ts";

/** A header with its hash. */
export interface BlockReference {
  readonly header: Header;
  readonly hash: Hash;
}

/** The canonical chain up to the newest committed block. */
export interface TipAncestry extends Ancestry {
  hash(number: bigint): Hash | undefined;
}

/** Dependencies of a chain. */
export interface ChainParts {
  readonly store: StateStore;
  readonly config: ChainConfig;
  readonly genesisHash: Hash;
  readonly params: ParamReader;
  readonly consensus: Pick<ConsensusRules, "author">;
  readonly hooks: readonly BlockHooks[];
  /** Present only on a development chain. */
  readonly overrides?: ChainOverrides | undefined;
  /** Recovers deferred senders on other cores; absent = in this thread. */
  readonly recovery?: SenderRecovery | undefined;
  /** Present on a node with a change log. */
  readonly feed?: CommitFeed | undefined;
}

/** How a development chain departs from the protocol. */
export interface ChainOverrides {
  /** Base fee set for the next block, overriding the computed one. */
  nextBaseFee(): bigint | undefined;
  /** Called with transactions read from the database before anyone else sees them. */
  restore(transactions: readonly Transaction[]): void;
  /** Hash of a remote block below the fork point; undefined for any other number. */
  ancestorHash?(number: bigint): Hash | undefined;
}
