import type { ValidatorSets } from "../../../ledger/extensions/valset/validator-sets.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash, committedSealMessage, proposerSealMessage } from "../../../protocol/block/hash.ts";
import { encodeSeal, withCommittedSeals, withProposerSeal } from "../../../protocol/block/seal.ts";
import { addressOfPrivateKey, sign } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import { ConsensusError } from "../errors.ts";
import { BaseEngine } from "../istanbul/base-engine.ts";
import type { IstanbulRules } from "../istanbul/istanbul-rules.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import type { ChainClock } from "./chain-clock.ts";
import type { SealingMode } from "./sealing-mode.ts";
import { SealingService } from "./sealing-service.ts";

/** Dependencies of a solo engine. */
export interface SoloParts {
  readonly rules: IstanbulRules;
  readonly validators: ValidatorSets;
  /** The validator's key, 32 bytes. */
  readonly nodeKey: Uint8Array;
  /** Reread for each block. */
  readonly settings: Readonly<ProposerSettings>;
  /** The source of block times. */
  readonly clock: ChainClock;
  /** Initial sealing mode. */
  readonly mode: SealingMode;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/**
 * The engine of a council with a single member: its own seals suffice, so no messages are exchanged. Its blocks are indistinguishable from
 * those of the BFT protocol.
 */
export class SoloEngine extends BaseEngine {
  /** Schedules the sealing; idle until the engine is started. */
  readonly sealing: SealingService;
  readonly #parts: SoloParts;
  readonly #address: Address;

  constructor(parts: SoloParts) {
    const address = addressOfPrivateKey(parts.nodeKey);
    super(parts.rules, { address, settings: parts.settings });
    this.#parts = parts;
    this.#address = address;
    const { clock, runtime, logger, mode } = parts;
    this.sealing = new SealingService({ engine: this, clock, runtime, logger }, mode);
  }

  /**
   * Adds the proposer's seal and the only committed seal to an executed block.
   * @throws ConsensusError `UNAUTHORIZED` when this node is not the only validator
   */
  seal(block: Block): Block {
    checkAuthority(this.#parts.validators.qualified(block.header.number), this.#address);
    return sealAlone(block, this.#parts.nodeKey);
  }

  start(producer: BlockProducer): void {
    this.sealing.start(producer);
  }

  stop(): Promise<void> {
    return this.sealing.stop();
  }
}

function checkAuthority(qualified: readonly Address[], own: Address): void {
  const [validator, ...others] = qualified;
  if (validator === undefined || others.length > 0 || !equalBytes(validator, own)) {
    throw new ConsensusError("UNAUTHORIZED", "unauthorized");
  }
}

/** The block with its proposer seal and one committed seal, in round 0. */
export function sealAlone(block: Block, nodeKey: Uint8Array): Block {
  const proposed = withProposerSeal(block.header, signed(proposerSealMessage(block.header), nodeKey));
  const committed = signed(committedSealMessage(blockHash(proposed)), nodeKey);
  return { ...block, header: withCommittedSeals(proposed, [committed], 0) };
}

function signed(message: Hash, nodeKey: Uint8Array): Uint8Array {
  return encodeSeal(sign(message, nodeKey));
}
