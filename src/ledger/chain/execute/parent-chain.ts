import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StagedState, StateChanges, StateReader } from "../../state/state.ts";
import type { BlockReference, TipAncestry } from "../chain-parts.ts";
import type { BlockHooks } from "./consensus-rules.ts";

/** A chain on whose tip blocks are executed: the canonical one, or a branch of it. */
export interface ParentChain {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly hooks: readonly BlockHooks[];
  /** The parent of the blocks to be executed. */
  readonly tip: BlockReference;
  /** The chain up to the tip. */
  readonly ancestry: TipAncestry;
  /** The state after the tip, whichever block that is. */
  readonly tipState: StateReader;
  /** The state after what is the tip now, also after later blocks. */
  pinnedTipState(): StateReader;
  /**
   * Hashes changes to the state after the tip, in steps.
   * @throws StateError `STATE_STALE` if that state changes between the steps
   */
  hashOnTip(changes: StateChanges): Generator<void, HashedOnTip>;
  rulesAt(number: bigint): Rules;
  /** Address that sealed a block (zero address for the genesis). */
  author(header: Header): Address;
}

/** Hashed changes to the state after a tip. */
export interface HashedOnTip {
  readonly root: Hash;
  /** The same, ready to be committed; absent on a branch. */
  readonly staged?: StagedState;
}
