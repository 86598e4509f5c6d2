import type { Logger } from "../../platform/telemetry/logger.ts";
import type { BlockProducer } from "./block-producer.ts";
import type { ConsensusEngine } from "./engine.ts";
import type { IstanbulRules } from "./istanbul/istanbul-rules.ts";
import { type Proposer, RuledEngine } from "./istanbul/ruled-engine.ts";

/** The part of an engine that differs; the header rules are the same for all. */
type Sealing = Pick<ConsensusEngine, "start" | "stop">;

/** The engines of a node with a key, and what selects between them. */
export interface CouncilEngineParts {
  readonly rules: IstanbulRules;
  readonly proposer: Proposer;
  readonly solo: Sealing;
  readonly istanbul: Sealing;
  /** Whether this node is the only validator of the block after the tip. */
  isAlone(): boolean;
  readonly logger: Logger;
}

/**
 * Seals by itself while the node is the only validator, and runs the BFT protocol once a vote gives it
 * company. It stays with that protocol even when it is alone again.
 */
export class CouncilEngine extends RuledEngine {
  readonly #parts: CouncilEngineParts;
  #unsubscribe = (): void => {};
  #handingOver: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: CouncilEngineParts) {
    super(parts.rules, parts.proposer);
    this.#parts = parts;
  }

  start(producer: BlockProducer): void {
    const { solo, istanbul, isAlone } = this.#parts;
    if (!isAlone()) {
      istanbul.start(producer);
      return;
    }
    solo.start(producer);
    this.#unsubscribe = producer.onHead(() => {
      if (!isAlone()) this.#handOver(producer);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#handingOver;
    try {
      await this.#parts.solo.stop();
    } finally {
      await this.#parts.istanbul.stop();
    }
  }

  #handOver(producer: BlockProducer): void {
    this.#unsubscribe();
    this.#handingOver = this.#startIstanbul(producer).catch((error: unknown) =>
      this.#parts.logger.error("no blocks are made: taking part among several validators failed", { error }),
    );
  }

  /** @throws DatabaseError when the journal of votes is damaged, and any error with which the solo engine fails to stop */
  async #startIstanbul(producer: BlockProducer): Promise<void> {
    const { solo, istanbul } = this.#parts;
    await solo.stop();
    if (!this.#isStopped) istanbul.start(producer);
  }
}
