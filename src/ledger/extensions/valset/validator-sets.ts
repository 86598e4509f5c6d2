import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { Ancestry, BlockHooks } from "../../chain/execute/consensus-rules.ts";
import type { Row } from "../../state/state.ts";
import { ExtensionError } from "../errors.ts";
import type { StakingInfo } from "../staking/staking-info.ts";
import { type ProposerList, Selection } from "./committee.ts";
import type { CouncilHistory } from "./council.ts";
import { uniformProposers, weightedProposers, withoutRemoved } from "./proposer-list.ts";
import {
  demotedValidators,
  effectiveCommitteeSize,
  type QualificationInput,
  qualifiedValidators,
} from "./qualified.ts";

/** Dependencies of `ValidatorSets`. */
export interface ValidatorSetsParts {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly council: CouncilHistory;
  readonly ancestry: Ancestry;
  readonly stakingAt: (number: bigint) => StakingInfo;
}

/** The proposers and committees of each block. */
export class ValidatorSets implements BlockHooks {
  readonly #parts: ValidatorSetsParts;
  readonly #selections = new LruMap<bigint, Selection>(16);
  /** Proposer lists by the block at which they were made, before removals. */
  readonly #lists = new LruMap<bigint, readonly Address[]>(8);

  constructor(parts: ValidatorSetsParts) {
    this.#parts = parts;
  }

  /** All validators of a block, sorted by checksum form. */
  council(number: bigint): readonly Address[] {
    return this.#parts.council.at(number);
  }

  /** Validators with less than the minimum stake. */
  demoted(number: bigint): readonly Address[] {
    return number === 0n ? [] : demotedValidators(this.council(number), this.#qualification(number));
  }

  /** Validators that may propose and vote. */
  qualified(number: bigint): readonly Address[] {
    const council = this.council(number);
    return number === 0n ? council : qualifiedValidators(council, this.#qualification(number));
  }

  /**
   * Validators that vote on a block in a round.
   * @throws ExtensionError `HISTORY_MISSING`
   */
  committee(number: bigint, round: number): readonly Address[] {
    return number === 0n ? this.council(0n) : this.#selection(number).committee(round);
  }

  /** Actual size of a block's committees. */
  committeeSize(number: bigint): number {
    return effectiveCommitteeSize(this.qualified(number).length, this.#parts.params.at(number).committeeSize);
  }

  /**
   * The validator that may propose a block in a round.
   * @throws ExtensionError `HISTORY_MISSING`
   */
  proposer(number: bigint, round: number): Address {
    return this.#selection(number).proposer(round);
  }

  rewind(): readonly Row[] {
    this.#selections.clear();
    this.#lists.clear();
    return [];
  }

  #qualification(number: bigint): QualificationInput {
    const { config, params, stakingAt } = this.#parts;
    return { rules: rulesAt(config, number), params: params.at(number), staking: () => stakingAt(number) };
  }

  #selection(number: bigint): Selection {
    let selection = this.#selections.get(number);
    if (selection === undefined) {
      selection = this.#select(number);
      this.#selections.set(number, selection);
    }
    return selection;
  }

  #select(number: bigint): Selection {
    const parent = this.#header(number - 1n);
    const { policy, committeeSize } = this.#parts.params.at(number);
    const qualified = this.qualified(number);
    return new Selection({
      number,
      policy,
      committeeSize,
      randao: rulesAt(this.#parts.config, number).randao,
      qualified,
      parentHash: blockHash(parent),
      parentMixHash: parent.mixHash,
      parentProposer: parent.number === 0n ? (qualified[0] as Address) : authorOf(parent),
      proposerList: () => this.#proposerList(number),
    });
  }

  /** The proposer list of the current update interval, without validators removed since it was made. */
  #proposerList(number: bigint): ProposerList {
    const { proposerUpdateInterval: interval } = this.#parts.params.at(number);
    const madeAt = number - 1n - ((number - 1n) % interval);
    let list = this.#lists.get(madeAt);
    if (list === undefined) {
      list = this.#shuffledList(madeAt);
      this.#lists.set(madeAt, list);
    }
    return { list: withoutRemoved(list, this.#removedProposers(madeAt, number)), madeAt, interval };
  }

  #shuffledList(madeAt: bigint): readonly Address[] {
    const { config, params, stakingAt } = this.#parts;
    const first = madeAt + 1n;
    const qualified = this.qualified(first);
    const hash = blockHash(this.#header(madeAt));
    if (rulesAt(config, first).kore) return uniformProposers(qualified, hash);
    const { useGiniCoeff: useGini } = params.at(first);
    return weightedProposers(qualified, { staking: stakingAt(madeAt), useGini, hash });
  }

  /** Removed validators that had been qualified; the others were not on the list. */
  #removedProposers(madeAt: bigint, number: bigint): readonly Address[] {
    return this.#parts.council.removals(madeAt, number).flatMap(({ number: votedIn, removed }) => {
      const qualified = this.qualified(votedIn);
      return removed.filter((gone) => qualified.some((address) => equalBytes(address, gone)));
    });
  }

  #header(number: bigint): Header {
    const header = this.#parts.ancestry.header(number);
    if (header === undefined) throw new ExtensionError("HISTORY_MISSING", "unknown block", { number });
    return header;
  }
}
