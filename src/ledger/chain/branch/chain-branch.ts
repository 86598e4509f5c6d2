import type { Block } from "../../../protocol/block/block.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { StateError } from "../../state/errors.ts";
import { RowOverlay } from "../../state/row-overlay.ts";
import { stableState } from "../../state/stable-state.ts";
import type { HashedState, HashNext, StateChanges, StateReader, StateStore } from "../../state/state.ts";
import { StateOverlay } from "../../state/state-overlay.ts";
import type { BlockReference, TipAncestry } from "../chain-parts.ts";
import { staleBranch, unknownAncestor } from "../errors.ts";
import type { BlockProcessor } from "../execute/block-processor.ts";
import { verifyBody } from "../execute/body-rules.ts";
import { type CandidateBlock, executedBlock } from "../execute/candidate-block.ts";
import type { Ancestry, BlockHooks, ConsensusRules } from "../execute/consensus-rules.ts";
import type { HashedOnTip, ParentChain } from "../execute/parent-chain.ts";

/** Candidates on top of each other that may replace the blocks above their ancestor. */
export interface VerifiedBranch {
  /** The parent of the first candidate; canonical. */
  readonly ancestor: BlockReference;
  /** Ascending. */
  readonly candidates: readonly CandidateBlock[];
  /** Whether the chain up to the ancestor is still the one the candidates were executed on. */
  readonly isCurrent: () => boolean;
}

/** Rows and ancestors of a chain, as its rules read them. */
export interface RuleSources {
  readonly store: Pick<StateStore, "get" | "range" | "write">;
  readonly ancestry: Ancestry;
}

/** The rules that the blocks of a chain follow; they keep what they derive from its blocks. */
export interface ChainRules {
  readonly params: ParamReader;
  readonly hooks: readonly BlockHooks[];
  readonly consensus: Pick<ConsensusRules, "verifyHeader" | "author">;
}

/** Dependencies of a branch. */
export interface BranchParts {
  readonly config: ChainConfig;
  readonly ancestor: BlockReference;
  /** The canonical chain; read up to the ancestor. */
  readonly trunk: TipAncestry;
  readonly store: Pick<StateStore, "get" | "range">;
  /** The state after the ancestor, on which blocks are executed. */
  readonly state: StateReader;
  /**
   * States up to the ancestor's from which rules derive validators and parameters; absent = `state` and those of the trunk. Given
   * on a chain forked from a remote one, whose contracts decide on nothing here.
   */
  readonly ruleStateAt?: ((number: bigint) => StateReader | undefined) | undefined;
  /** Hashes the states after the ancestor's. */
  readonly hash: HashNext;
  readonly createRules: (sources: RuleSources) => ChainRules;
  readonly createProcessor: (chain: ParentChain) => BlockProcessor;
  readonly isCurrent: () => boolean;
}

/**
 * A chain that leaves the canonical one after some block, in memory: its own tip, state, rows and rules. It takes no lock, and
 * what is built or verified on it leaves the canonical chain untouched.
 */
export class ChainBranch implements ParentChain, VerifiedBranch {
  readonly config: ChainConfig;
  readonly ancestor: BlockReference;
  readonly isCurrent: () => boolean;
  readonly params: ParamReader;
  readonly hooks: readonly BlockHooks[];
  readonly processor: BlockProcessor;
  readonly ancestry: TipAncestry;
  readonly #parts: BranchParts;
  readonly #consensus: ChainRules["consensus"];
  readonly #candidates: CandidateBlock[] = [];
  readonly #references: BlockReference[];
  /** The changes of each candidate, with storage roots. */
  readonly #changes: StateChanges[] = [];
  readonly #rows: RowOverlay;
  readonly #state: StateOverlay;
  readonly #ruleState: StateOverlay;
  /** The state after the block in progress, once hashed. */
  #hashed: HashedState | undefined;
  /** Whether a block is being added, and its state is or was hashed; `ended` after one not added, or once the branch is closed. */
  #phase: "open" | "adding" | "hashed" | "ended" = "open";

  constructor(parts: BranchParts) {
    const { config, ancestor, store, state } = parts;
    this.#parts = parts;
    this.config = config;
    this.ancestor = ancestor;
    this.isCurrent = parts.isCurrent;
    this.#references = [ancestor];
    this.#rows = new RowOverlay(store);
    this.#state = new StateOverlay(state);
    this.#ruleState = parts.ruleStateAt ? new StateOverlay(this.#ruleStateBelow) : this.#state;
    this.ancestry = {
      header: (number) => this.#reference(number)?.header ?? this.#belowBranch(number, parts.trunk.header),
      hash: (number) => this.#reference(number)?.hash ?? this.#belowBranch(number, parts.trunk.hash),
      stateAt: (number) => this.#ruleStateAt(number),
    };
    const rules = parts.createRules({ store: this.#rows, ancestry: this.ancestry });
    this.params = rules.params;
    this.hooks = rules.hooks;
    this.#consensus = rules.consensus;
    for (const hook of this.hooks) this.#rows.put(hook.rewind?.(ancestor.header, ancestor.hash) ?? []);
    this.processor = parts.createProcessor(this);
  }

  get tip(): BlockReference {
    return this.#references.at(-1) as BlockReference;
  }

  /** The blocks of the branch so far. */
  get candidates(): readonly CandidateBlock[] {
    return this.#candidates;
  }

  get tipState(): StateReader {
    return this.#state;
  }

  pinnedTipState(): StateReader {
    return new StateOverlay(this.#parts.state, ...this.#candidates.map(({ changes }) => changes));
  }

  rulesAt(number: bigint): Rules {
    return rulesAt(this.config, number);
  }

  author(header: Header): Address {
    return this.#consensus.author(header);
  }

  /**
   * For one block only unless that is added: a branch with a draft or a preview ends there, and others on the same parent belong
   * on branches of their own.
   * @throws StateError `STATE_STALE`
   */
  *hashOnTip(changes: StateChanges): Generator<void, HashedOnTip> {
    if (this.#phase === "hashed" || this.#phase === "ended") throw ended();
    this.#phase = this.#phase === "adding" ? "hashed" : "ended";
    this.#hashed = yield* this.#parts.hash(changes);
    return { root: this.#hashed.root };
  }

  /**
   * Checks a block that follows the tip of the branch, executes it and makes it the tip, one at a time. After a block that was
   * refused, the branch takes no others.
   * @throws ChainError `UNKNOWN_ANCESTOR`, `BAD_BLOCK`, and `STALE_CANDIDATE` if the chain was rewound or edited under the branch;
   * ConsensusError, ExecutionError with the reference node's text; StateError `STATE_PRUNED`, `STATE_STALE` after the end of the branch
   */
  async add(block: Block): Promise<CandidateBlock> {
    const { header } = block;
    const { tip } = this;
    if (this.#phase !== "open") throw ended();
    if (header.number !== tip.header.number + 1n || !equalBytes(header.parentHash, tip.hash))
      throw unknownAncestor(block);
    this.#phase = "adding";
    try {
      this.#consensus.verifyHeader(header, tip.header);
      verifyBody(block, this.rulesAt(header.number), this.params.at(header.number).deriveShaImpl);
      const candidate = await this.processor.verify(block, () => this.#checkTrunk());
      this.#checkTrunk();
      this.#advance(candidate, this.#hashed as HashedState);
      return candidate;
    } catch (error) {
      this.close();
      this.#checkTrunk();
      throw error;
    }
  }

  /** Ends the branch: it takes no more blocks. */
  close(): void {
    this.#phase = "ended";
  }

  #checkTrunk(): void {
    if (!this.isCurrent()) throw staleBranch(this.ancestor.header.number);
  }

  #advance(candidate: CandidateBlock, { changes }: HashedState): void {
    const executed = executedBlock(candidate);
    for (const hook of this.hooks) this.#rows.put(hook.inserted?.(executed) ?? []);
    for (const hook of this.hooks) hook.committed?.(executed);
    if (this.#ruleState !== this.#state) this.#state.add(candidate.changes);
    this.#ruleState.add(changes);
    this.#changes.push(changes);
    this.#candidates.push(candidate);
    this.#references.push({ header: executed.block.header, hash: executed.hash });
    if (this.#phase === "hashed") this.#phase = "open";
  }

  /** The state after the ancestor from which rules derive validators and parameters. */
  get #ruleStateBelow(): StateReader {
    const { state, ancestor, ruleStateAt } = this.#parts;
    return ruleStateAt ? stableState(ruleStateAt, ancestor.header.number) : state;
  }

  #reference(number: bigint): BlockReference | undefined {
    return this.#references[Number(number - this.ancestor.header.number)];
  }

  #belowBranch<T>(number: bigint, read: (number: bigint) => T | undefined): T | undefined {
    return number < this.ancestor.header.number ? read(number) : undefined;
  }

  #ruleStateAt(number: bigint): StateReader | undefined {
    const depth = Number(number - this.ancestor.header.number);
    if (depth === this.#changes.length) return this.#ruleState;
    const { trunk, ruleStateAt = trunk.stateAt } = this.#parts;
    if (depth < 0) return ruleStateAt(number);
    if (depth > this.#changes.length) return undefined;
    return new StateOverlay(this.#ruleStateBelow, ...this.#changes.slice(0, depth));
  }
}

function ended(): StateError {
  return new StateError("STATE_STALE", "the branch has ended, or a block is being executed on its tip");
}
