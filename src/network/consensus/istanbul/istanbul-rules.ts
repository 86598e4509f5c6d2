import type { BlockHooks } from "../../../ledger/chain/execute/consensus-rules.ts";
import type { StakingInfo } from "../../../ledger/extensions/staking/staking-info.ts";
import type { ValidatorSets } from "../../../ledger/extensions/valset/validator-sets.ts";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { sealerOf } from "../../../protocol/block/seal.ts";
import type { ChainConfig, ParamReader } from "../../../protocol/params/config.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { verifyBlobFields, verifyPlainFields } from "./header-rules.ts";
import { type ProposerOptions, prepareHeader } from "./prepare.ts";
import { type RandaoParts, revealFault, verifyRandao } from "./randao-rules.ts";
import { RevealChecks } from "./reveal-checks.ts";
import { verifyCommittedSeals, verifyProposer } from "./seal-rules.ts";

/** Dependencies of the Istanbul rules. */
export interface IstanbulParts {
  readonly config: ChainConfig;
  readonly params: ParamReader;
  readonly validators: ValidatorSets;
  readonly stakingAt: (number: bigint) => StakingInfo;
  /** Absent on a chain without randao. */
  readonly randao?: RandaoParts | undefined;
  /** Extensions whose header fields are checked and prepared last, in this order. */
  readonly hooks: readonly BlockHooks[];
  readonly clock: Clock;
}

/** The rules of Istanbul headers; sealing is added by `consensus/solo` and by the BFT protocol. */
export class IstanbulRules {
  readonly #parts: IstanbulParts;
  readonly #reveals: RevealChecks | undefined;

  constructor(parts: IstanbulParts) {
    this.#parts = parts;
    this.#reveals = parts.randao && new RevealChecks(parts.randao);
  }

  /** Runs the header checks that are cheaper in batches. */
  verifyAhead(headers: readonly Header[]): void {
    this.#reveals?.checkAhead(headers);
  }

  /**
   * Checks a header of a finished block.
   * @throws ConsensusError, ExtensionError, BlockError with the reference's text
   */
  verifyHeader(header: Header, parent: Header): void {
    this.#verify(header, parent, () => verifyCommittedSeals(header, this.#parts.validators));
  }

  /** Checks a proposed header, which has no committed seals yet. @throws as `verifyHeader` */
  verifyProposal(header: Header, parent: Header): void {
    this.#verify(header, parent, () => {});
  }

  #verify(header: Header, parent: Header, verifyCommitted: () => void): void {
    const { config, params, validators, randao, clock, hooks } = this.#parts;
    verifyPlainFields(header, parent, { config, params, nowMs: clock.now() });
    const proposer = verifyProposer(header, validators);
    verifyRandao(header, parent, { config, proposer, randao, reveals: this.#reveals });
    verifyBlobFields(header, parent, config);
    verifyCommitted();
    for (const hook of hooks) hook.verifyHeader?.(header, parent);
  }

  /** The header of the block after `parent`, as this node would propose it. */
  prepare(parent: Header, nowMs: number, proposer: ProposerOptions): Header {
    const prepared = prepareHeader(parent, nowMs, { ...this.#parts, proposer });
    return this.#parts.hooks.reduce((header, hook) => hook.prepare?.(header) ?? header, prepared);
  }

  /** Why others would reject this node's random reveals in a block; undefined if they would not. */
  revealFault(number: bigint, validator: Address): string | undefined {
    return revealFault(number, validator, this.#parts.config, this.#parts.randao);
  }

  /** Address that sealed a header; the zero address for the genesis block and for headers without a seal. */
  author(header: Header): Address {
    return sealerOf(header);
  }
}
