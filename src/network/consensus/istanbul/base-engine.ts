import type { Header } from "../../../protocol/block/header.ts";
import { type Address, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ConsensusEngine } from "../engine.ts";
import { ConsensusError } from "../errors.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import type { IstanbulRules } from "./istanbul-rules.ts";

/** The validator that an engine prepares headers for. */
export interface Proposer {
  readonly address: Address;
  /** Reread for each block. */
  readonly settings: Readonly<ProposerSettings>;
}

/** Base class of all engines: verifies and prepares headers by the Istanbul rules, and leaves sealing to subclasses. */
export abstract class BaseEngine implements ConsensusEngine {
  readonly #rules: IstanbulRules;
  readonly #proposer: Proposer | undefined;

  /** @param proposer - absent on a node that seals no blocks */
  constructor(rules: IstanbulRules, proposer?: Proposer) {
    this.#rules = rules;
    this.#proposer = proposer;
  }

  verifyHeader(header: Header, parent: Header): void {
    this.#rules.verifyHeader(header, parent);
  }

  verifyAhead(headers: readonly Header[]): void {
    this.#rules.verifyAhead(headers);
  }

  author(header: Header): Address {
    return this.#rules.author(header);
  }

  prepare(parent: Header, nowMs: number): Header {
    if (this.#proposer === undefined) throw new ConsensusError("UNAUTHORIZED", "unauthorized");
    const { address, settings } = this.#proposer;
    const { rewardbase = address, vanity = EMPTY_BYTES } = settings;
    return this.#rules.prepare(parent, nowMs, { address, rewardbase, vanity });
  }

  abstract start(producer: BlockProducer): void;
  abstract stop(): Promise<void>;
}
