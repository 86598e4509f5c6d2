import type { ValidatorSets } from "../../../../ledger/extensions/valset/validator-sets.ts";
import type { Runtime } from "../../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { addressOfPrivateKey } from "../../../../protocol/crypto/secp256k1.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { ProposerSettings } from "../../proposer-settings.ts";
import { BaseEngine } from "../base-engine.ts";
import type { IstanbulRules } from "../istanbul-rules.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import type { ViewId } from "../machine/types.ts";
import { MessageError } from "../messages/errors.ts";
import { type MessageSigner, signerOf } from "../messages/open-message.ts";
import { Drafter } from "./drafter.ts";
import { ProposalChecker } from "./proposal-checker.ts";
import type { RoundWatch } from "./round-watch.ts";
import { Seat } from "./seat.ts";
import type { RawConsensusMessage, ValidatorPeer } from "./validator-peer.ts";
import { ViewCommittees } from "./view-committees.ts";
import { VoteRelay } from "./vote-relay.ts";

/** Dependencies of a validator among several. */
export interface IstanbulEngineParts {
  readonly rules: IstanbulRules;
  readonly validators: ValidatorSets;
  /** The validator's key, 32 bytes. */
  readonly nodeKey: Uint8Array;
  /** Reread for each block. */
  readonly settings: Readonly<ProposerSettings>;
  /** Opens the vote journal; called when the engine starts. @throws DatabaseError if it is damaged */
  openJournal(): VoteJournal;
  /** The consensus nodes currently connected. */
  peers(): Iterable<ValidatorPeer>;
  readonly watch: RoundWatch;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/**
 * The engine of a council with several members. It takes part while this node is a validator, and otherwise follows the chain: votes can
 * add or remove validators at any block.
 */
export class IstanbulEngine extends BaseEngine {
  readonly #parts: IstanbulEngineParts;
  readonly #signer: MessageSigner;
  readonly #committees: ViewCommittees;
  readonly #relay: VoteRelay;
  #producer: BlockProducer | undefined;
  #journal: VoteJournal | undefined;
  #unsubscribe = (): void => {};
  #head: { readonly number: bigint; readonly hash: Hash } | undefined;
  #seat: Seat | undefined;
  /** Settles with the latest change of the seat; changes never overlap. */
  #seatChange: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hadSeat: boolean | undefined;

  constructor(parts: IstanbulEngineParts) {
    const address = addressOfPrivateKey(parts.nodeKey);
    super(parts.rules, { address, settings: parts.settings });
    this.#parts = parts;
    this.#signer = signerOf(address, parts.nodeKey);
    this.#committees = new ViewCommittees(parts.validators);
    this.#relay = new VoteRelay(() => parts.peers(), parts.runtime.clock);
  }

  /** The current view; undefined while this node is not a validator. */
  get view(): ViewId | undefined {
    return this.#seat?.view;
  }

  start(producer: BlockProducer): void {
    this.#producer = producer;
    this.#journal = this.#parts.openJournal();
    this.#unsubscribe = producer.onHead(() => this.#onHead());
    this.#onHead();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#seatChange;
    await this.#seat?.leave();
    this.#seat = undefined;
    await this.#journal?.close();
  }

  /**
   * Handles a message of a connected consensus node.
   * @throws MessageError, RlpError, TransactionError when no honest node would have sent it
   */
  receive(peer: ValidatorPeer, passed: RawConsensusMessage): void {
    try {
      this.#seat?.receive(peer, passed);
    } catch (error) {
      // A node at another height may have other validators.
      if (!(error instanceof MessageError && error.code === "MESSAGE_SENDER")) throw error;
    }
  }

  /** Sends a newly connected consensus node the recent messages about the current block. */
  sendRecentTo(peer: ValidatorPeer): void {
    this.#relay.sendRecentTo(peer);
  }

  /** Continues with the next block. The chain may also have been rewound or reorganised. */
  #onHead(): void {
    const { header, hash } = (this.#producer as BlockProducer).tip;
    const { number } = header;
    const before = this.#head;
    if (before !== undefined && equalBytes(before.hash, hash)) return;
    this.#head = { number, hash };
    this.#committees.forget();
    const isAhead = before === undefined || number > before.number;
    const hasSeat = this.#committees.qualified(Number(number) + 1).has(bytesToHex(this.#signer.address));
    if (this.#seat !== undefined && isAhead && hasSeat) this.#seat.newHead(Number(number));
    else this.#changeSeat();
  }

  /** Leaves the current seat, and takes a new one if this node is a validator. */
  #changeSeat(): void {
    const before = this.#seat;
    this.#seat = undefined;
    this.#seatChange = this.#seatChange
      .then(async () => {
        await before?.leave();
        await this.#takeSeat();
      })
      .catch((error: unknown) => this.#parts.logger.error("could not start validating", { error }));
  }

  /** Logs once when this node becomes or ceases to be a validator, and if its BLS key is wrong, which matters only for validators. */
  #logSeatChange(hasSeat: boolean, number: bigint): void {
    if (this.#hadSeat === hasSeat) return;
    this.#hadSeat = hasSeat;
    const address = bytesToHex(this.#signer.address);
    const { logger, rules } = this.#parts;
    const fault = hasSeat ? rules.revealFault(number, this.#signer.address) : undefined;
    if (fault !== undefined)
      logger.error("others will reject the blocks of this validator", { address, fault });
    if (hasSeat) logger.info("this node validates", { address });
    else logger.warn("this node only follows: it is not among the validators", { address });
  }

  async #takeSeat(): Promise<void> {
    const { rules, watch, runtime, logger } = this.#parts;
    const { clock } = runtime;
    const producer = this.#producer as BlockProducer;
    const journal = this.#journal as VoteJournal;
    const number = producer.tip.header.number + 1n;
    const hasSeat = this.#committees.qualified(Number(number)).has(bytesToHex(this.#signer.address));
    this.#logSeatChange(hasSeat, number);
    if (this.#isStopped || this.#seat !== undefined || !hasSeat) return;
    const { oldest } = journal;
    if (number < oldest)
      logger.error(
        "the chain was rewound too far: votes/ has no record of the next blocks, so this node will not vote for them",
        {
          next: number,
          votesFrom: oldest,
          remedy: "docs/guide/network.md, `To set back the head of all validators`",
        },
      );
    const seat = await Seat.take({
      ...{ producer, journal, watch, runtime, logger },
      signer: this.#signer,
      checker: new ProposalChecker({ rules, producer, logger }),
      drafter: new Drafter({
        ...{ producer, clock, signer: this.#signer },
        prepare: (parent, nowMs) => this.prepare(parent, nowMs),
      }),
      committees: this.#committees,
      relay: this.#relay,
    });
    if (this.#isStopped) return;
    this.#seat = seat;
    seat.start();
    seat.newHead(Number(producer.tip.header.number));
  }
}
