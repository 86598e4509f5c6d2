import { type Address, equalBytes, type Hash, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { GoRandom, legacySeed, randaoSeed } from "./go-random.ts";

/** The proposers of one update interval. */
export interface ProposerList {
  readonly list: readonly Address[];
  readonly madeAt: bigint;
  /** Number of blocks for which a list is valid. */
  readonly interval: bigint;
}

/** All that determines the proposers and committees of one block. */
export interface SelectionInput {
  readonly number: bigint;
  /** 0 round robin, 1 sticky, 2 weighted random. */
  readonly policy: number;
  readonly committeeSize: number;
  readonly randao: boolean;
  /** Sorted by checksum form; never empty. */
  readonly qualified: readonly Address[];
  readonly parentHash: Hash;
  readonly parentMixHash: Hash | undefined;
  /** Proposer of the parent; for block 1, the first qualified validator. */
  readonly parentProposer: Address;
  /** The shuffled list and the block at which it was made; for policy 2 before randao. */
  readonly proposerList: () => ProposerList;
}

/** Selects the proposers and committees of one block by policy and fork. */
export class Selection {
  readonly #input: SelectionInput;
  #shuffled: readonly Address[] | undefined;

  constructor(input: SelectionInput) {
    this.#input = input;
  }

  /** The proposer of a round. */
  proposer(round: number): Address {
    const { policy, qualified, randao } = this.#input;
    if (policy !== 2) return at(qualified, this.#parentIndex() + round + (policy === 0 ? 1 : 0));
    return randao ? at(this.#randaoCommittee(), round) : this.#listedProposer(round);
  }

  /** The committee of a round; all qualified validators if they do not exceed its size. */
  committee(round: number): readonly Address[] {
    const { policy, qualified, committeeSize, randao } = this.#input;
    if (qualified.length <= committeeSize) return qualified;
    return policy === 2 && randao ? this.#randaoCommittee() : this.#randomCommittee(round);
  }

  #parentIndex(): number {
    const { qualified, parentProposer } = this.#input;
    return Math.max(
      0,
      qualified.findIndex((address) => equalBytes(address, parentProposer)),
    );
  }

  #listedProposer(round: number): Address {
    const { list, madeAt } = this.#input.proposerList();
    return at(list, Number(this.#input.number - madeAt) - 1 + round);
  }

  #randaoCommittee(): readonly Address[] {
    const { qualified, committeeSize, parentMixHash = ZERO_HASH } = this.#input;
    this.#shuffled ??= new GoRandom(randaoSeed(parentMixHash)).shuffled(qualified);
    return this.#shuffled.slice(0, committeeSize);
  }

  /** The proposer, the next one, and others by a shuffle seeded by the parent hash. */
  #randomCommittee(round: number): readonly Address[] {
    const { qualified, committeeSize, parentHash } = this.#input;
    const first = this.proposer(round);
    if (committeeSize === 1) return [first];
    const second = this.#nextProposer(first, round);
    if (second === undefined) return qualified;
    const others = qualified.filter((address) => !equalBytes(address, first) && !equalBytes(address, second));
    const shuffled = new GoRandom(legacySeed(parentHash)).legacyShuffled(others);
    return [first, second, ...shuffled.slice(0, committeeSize - 2)];
  }

  /** The first different proposer of the following rounds; the reference considers only as many as an update interval has blocks. */
  #nextProposer(current: Address, round: number): Address | undefined {
    if (this.#input.policy !== 2) return this.proposer(round + 1);
    const { interval } = this.#input.proposerList();
    for (let i = 1; i <= interval; i++) {
      const next = this.proposer(round + i);
      if (!equalBytes(next, current)) return next;
    }
    return undefined;
  }
}

function at(list: readonly Address[], index: number): Address {
  return list[index % list.length] as Address;
}
