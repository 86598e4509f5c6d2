import type { Logger } from "../../platform/telemetry/logger.ts";
import type { BlockProducer } from "./block-producer.ts";
import type { ConsensusEngine } from "./engine.ts";
import { BaseEngine, type Proposer } from "./istanbul/base-engine.ts";
import type { IstanbulRules } from "./istanbul/istanbul-rules.ts";

/** The part that differs between engines; the header rules are the same. */
type Sealing = Pick<ConsensusEngine, "start" | "stop">;

/** The engines of a node with a key, and how to select one. */
export interface CouncilEngineParts {
  readonly rules: IstanbulRules;
  readonly proposer: Proposer;
  readonly solo: Sealing;
  readonly istanbul: Sealing;
  /** Whether this node is the only validator of the block after the tip. */
  isSoleValidator(): boolean;
  readonly logger: Logger;
}

/**
 * Seals by itself while the node is the only validator, and switches to the BFT protocol once more validators are voted in. It never
 * switches back.
 */
export class CouncilEngine extends BaseEngine {
  readonly #parts: CouncilEngineParts;
  #unsubscribe = (): void => {};
  #handingOver: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: CouncilEngineParts) {
    super(parts.rules, parts.proposer);
    this.#parts = parts;
  }

  start(producer: BlockProducer): void {
    const { solo, istanbul, isSoleValidator } = this.#parts;
    if (!isSoleValidator()) {
      istanbul.start(producer);
      return;
    }
    solo.start(producer);
    this.#unsubscribe = producer.onHead(() => {
      if (!isSoleValidator()) this.#handOver(producer);
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
      this.#parts.logger.error("no blocks are sealed: the Istanbul engine failed to start", { error }),
    );
  }

  /** @throws DatabaseError if the vote journal is damaged; any error of stopping the solo engine */
  async #startIstanbul(producer: BlockProducer): Promise<void> {
    const { solo, istanbul } = this.#parts;
    await solo.stop();
    if (!this.#isStopped) istanbul.start(producer);
  }
}
