import type { ValidatorSets } from "../../../../ledger/extensions/valset/validator-sets.ts";
import type { Runtime } from "../../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { ProposerSettings } from "../../proposer-settings.ts";
import type { IstanbulRules } from "../istanbul-rules.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import type { Attempt } from "../machine/types.ts";
import { MessageError } from "../messages/errors.ts";
import { type MessageSigner, signerOf } from "../messages/open-message.ts";
import { RuledEngine } from "../ruled-engine.ts";
import { Drafter } from "./drafter.ts";
import { ProposalChecker } from "./proposal-checker.ts";
import type { RoundWatch } from "./round-watch.ts";
import { Seat } from "./seat.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";
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
  /** Opens the journal of this node's votes; called when the engine starts. @throws DatabaseError when it is damaged */
  openJournal(): VoteJournal;
  /** The consensus nodes currently connected. */
  peers(): Iterable<ValidatorPeer>;
  readonly watch: RoundWatch;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/**
 * The engine of a council with several members. It takes part while its key has a seat, and otherwise follows the chain: votes can
 * give or take the seat at any block.
 */
export class IstanbulEngine extends RuledEngine {
  readonly #parts: IstanbulEngineParts;
  readonly #signer: MessageSigner;
  readonly #committees: ViewCommittees;
  readonly #relay: VoteRelay;
  #producer: BlockProducer | undefined;
  #journal: VoteJournal | undefined;
  #unsubscribe = (): void => {};
  #head: { readonly number: bigint; readonly hash: Hash } | undefined;
  #seat: Seat | undefined;
  /** Settles with the last taking or leaving of a seat; these never overlap. */
  #changing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hadSeat: boolean | undefined;

  constructor(parts: IstanbulEngineParts) {
    const address = addressOfPublicKey(publicKeyOf(parts.nodeKey));
    super(parts.rules, { address, settings: parts.settings });
    this.#parts = parts;
    this.#signer = signerOf(address, parts.nodeKey);
    this.#committees = new ViewCommittees(parts.validators);
    this.#relay = new VoteRelay(() => parts.peers(), parts.runtime.clock);
  }

  /** The current view; undefined while it has no seat. */
  get view(): Attempt | undefined {
    return this.#seat?.view;
  }

  start(producer: BlockProducer): void {
    this.#producer = producer;
    this.#journal = this.#parts.openJournal();
    this.#unsubscribe = producer.onHead(() => this.#follow());
    this.#follow();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#changing;
    await this.#seat?.leave();
    this.#seat = undefined;
    await this.#journal?.close();
  }

  /**
   * Takes a message of a connected consensus node.
   * @throws MessageError, RlpError, TransactionError when no honest node would have sent it
   */
  receive(peer: ValidatorPeer, passed: PassedMessage): void {
    try {
      this.#seat?.receive(peer, passed);
    } catch (error) {
      // A node at another height may see other validators.
      if (!(error instanceof MessageError && error.code === "MESSAGE_SENDER")) throw error;
    }
  }

  /** Sends a newly connected consensus node the messages about the current block. */
  greet(peer: ValidatorPeer): void {
    this.#relay.greet(peer);
  }

  /** Continues with the next block. The chain may also have been rewound, or have switched to another branch. */
  #follow(): void {
    const { header, hash } = (this.#producer as BlockProducer).tip;
    const { number } = header;
    const before = this.#head;
    if (before !== undefined && equalBytes(before.hash, hash)) return;
    this.#head = { number, hash };
    this.#committees.forget();
    const isAhead = before === undefined || number > before.number;
    const hasSeat = this.#committees.qualified(Number(number) + 1).has(bytesToHex(this.#signer.address));
    if (this.#seat !== undefined && isAhead && hasSeat) this.#seat.newHead(Number(number));
    else this.#change();
  }

  /** Leaves the current seat, and takes one again if there is one. */
  #change(): void {
    const before = this.#seat;
    this.#seat = undefined;
    this.#changing = this.#changing
      .then(async () => {
        await before?.leave();
        await this.#takeSeat();
      })
      .catch((error: unknown) => this.#parts.logger.error("the seat could not be taken", { error }));
  }

  /** Logs once when this node gets or loses its seat, and what is wrong with its BLS key, which only shows once it is voted in. */
  #tell(hasSeat: boolean, number: bigint): void {
    if (this.#hadSeat === hasSeat) return;
    this.#hadSeat = hasSeat;
    const address = bytesToHex(this.#signer.address);
    const { logger, rules } = this.#parts;
    const fault = hasSeat ? rules.revealFault(number, this.#signer.address) : undefined;
    if (fault !== undefined)
      logger.error("others will refuse the blocks of this validator", { address, fault });
    if (hasSeat) logger.info("this node validates", { address });
    else logger.warn("this node follows: its key has no seat among the validators", { address });
  }

  async #takeSeat(): Promise<void> {
    const { rules, watch, runtime, logger } = this.#parts;
    const { clock } = runtime;
    const producer = this.#producer as BlockProducer;
    const journal = this.#journal as VoteJournal;
    const number = producer.tip.header.number + 1n;
    const hasSeat = this.#committees.qualified(Number(number)).has(bytesToHex(this.#signer.address));
    this.#tell(hasSeat, number);
    if (this.#isStopped || this.#seat !== undefined || !hasSeat) return;
    const { oldest } = journal;
    if (number < oldest)
      logger.error(
        "the chain was set back too far: votes/ has no record of its next blocks, so this node votes for none of them",
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
