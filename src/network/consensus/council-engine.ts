import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "./block-producer.ts";
import type { ConsensusEngine } from "./engine.ts";

/** The engines of a node with a key, and which of them decides. */
export interface CouncilEngineParts {
  readonly solo: ConsensusEngine;
  readonly istanbul: ConsensusEngine;
  /** Whether this node is the only validator of the block after the tip. */
  isAlone(): boolean;
  readonly logger: Logger;
}

/**
 * Seals by itself while the node is the only validator, and agrees with the others from the block on from which a vote gives it
 * company. With them it stays, also when it is alone again.
 */
export class CouncilEngine implements ConsensusEngine {
  readonly #parts: CouncilEngineParts;
  #unsubscribe = (): void => {};
  #handingOver: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: CouncilEngineParts) {
    this.#parts = parts;
  }

  verifyHeader(header: Header, parent: Header): void {
    this.#parts.istanbul.verifyHeader(header, parent);
  }

  verifyAhead(headers: readonly Header[]): void {
    this.#parts.istanbul.verifyAhead?.(headers);
  }

  author(header: Header): Address {
    return this.#parts.istanbul.author(header);
  }

  prepare(parent: Header, nowMs: number): Header {
    return this.#parts.istanbul.prepare(parent, nowMs);
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

  /** @throws DatabaseError when the journal of votes is damaged, and what the engine of one fails to stop with */
  async #startIstanbul(producer: BlockProducer): Promise<void> {
    const { solo, istanbul } = this.#parts;
    await solo.stop();
    if (!this.#isStopped) istanbul.start(producer);
  }
}
