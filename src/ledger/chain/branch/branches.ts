import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { stableState } from "../../state/stable-state.ts";
import type { StateReader } from "../../state/state.ts";
import type { Blockchain } from "../blockchain.ts";
import { ChainError, staleBranch } from "../errors.ts";
import type { BlockProcessor } from "../execute/block-processor.ts";
import type { ParentChain } from "../execute/parent-chain.ts";
import { ChainBranch, type ChainRules, type RuleSources } from "./chain-branch.ts";

/** Dependencies of the branches of a chain. */
export interface BranchesParts {
  readonly chain: Blockchain;
  /** Creates the rules of a branch, which must leave alone those of the chain. */
  readonly createRules: (sources: RuleSources) => ChainRules;
  readonly createProcessor: (chain: ParentChain) => BlockProcessor;
  /** State from which rules derive validators and parameters, if that is not all of the chain's. */
  readonly ruleStateAt?: ((number: bigint) => StateReader | undefined) | undefined;
}

/** Opens branches of a chain. */
export class Branches {
  readonly #parts: BranchesParts;

  constructor(parts: BranchesParts) {
    this.#parts = parts;
  }

  /**
   * Calls `use` with a new branch that begins after a canonical block. It can be extended during the call only; its candidates
   * outlast it. Any number of branches may be open, and the chain may advance meanwhile.
   * @param number - of the canonical block
   * @throws ChainError `OUT_OF_RANGE`, `STATE_PRUNED`; StateError `STATE_PRUNED` if the state is pruned meanwhile, and what `use` throws
   */
  async openAfter<T>(number: bigint, use: (branch: ChainBranch) => Promise<T>): Promise<T> {
    const { chain, createRules, createProcessor, ruleStateAt } = this.#parts;
    const { config, store } = chain;
    const [header, hash] = [chain.ancestry.header(number), chain.ancestry.hash(number)];
    if (header === undefined || hash === undefined)
      throw new ChainError("OUT_OF_RANGE", `no block ${number} to branch from`, { number });
    if (store.at(number) === undefined)
      throw new ChainError("STATE_PRUNED", `state of block ${number} is not available`, { number });
    const isCurrent = chain.watchPast();
    // The store may be replaced by that of another chain (`Blockchain.restart`), so that every look asks first.
    const whileCurrent =
      (read: (asked: bigint) => StateReader | undefined) =>
      (asked: bigint): StateReader | undefined => {
        if (!isCurrent()) throw staleBranch(number);
        return read(asked);
      };
    const state = stableState(
      whileCurrent((asked) => store.at(asked)),
      number,
    );
    return store.hashSuccessors(number, new TimeSlice(), async (hashNext) => {
      const branch = new ChainBranch({
        ...{ config, store, state, isCurrent, createRules, createProcessor },
        ...{ ancestor: { header, hash }, trunk: chain.ancestry, hash: hashNext },
        ruleStateAt: ruleStateAt && whileCurrent(ruleStateAt),
      });
      try {
        return await use(branch);
      } finally {
        branch.close();
      }
    });
  }
}
