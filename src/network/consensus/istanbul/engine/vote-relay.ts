import type { Clock } from "../../../../platform/runtime/runtime.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";
import type { Member } from "../machine/types.ts";
import { messageHash } from "../messages/message-codec.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";

/** Messages that are remembered: those that came, and those that each peer has. */
const REMEMBERED = 4_096;
/** Messages that one node may send at once, and for each second after that: many times what a committee of 100 sends. */
const BURST = 4_000;
const PER_SECOND = 1_000;
/** A message counts once more for each of so many bytes. */
const COUNTED_BYTES = 16_384;
/** Nodes whose allowance is remembered. */
const NODES = 1_024;

/** Hashes of what a peer has sent or was sent. */
type Known = LruMap<string, true>;

/** Of a node, over all its connections. */
interface Allowance {
  readonly messages: number;
  readonly countedAtMs: number;
}

/** Newest messages about the current block, which a peer gets that connects late. */
const REPEATED = 512;

interface Repeated {
  readonly message: PassedMessage;
  readonly hash: string;
  readonly members: ReadonlySet<Member>;
}

/** Passes messages on to whom they concern, each once, and takes each once. */
export class VoteRelay {
  readonly #peers: () => Iterable<ValidatorPeer>;
  readonly #clock: Clock;
  readonly #seen = new LruMap<string, true>(REMEMBERED);
  readonly #known = new WeakMap<ValidatorPeer, Known>();
  readonly #allowances = new LruMap<string, Allowance>(NODES);
  #repeated: Repeated[] = [];

  constructor(peers: () => Iterable<ValidatorPeer>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /**
   * Takes a message that a peer has sent.
   * @returns its hash, where it is worth reading: it is new, and not one of too many
   */
  admit(peer: ValidatorPeer, payload: Uint8Array): string | undefined {
    if (!this.#isAllowed(peer, payload.length)) return undefined;
    const hash = bytesToHex(messageHash(payload));
    this.#knownOf(peer).set(hash, true);
    if (this.#seen.get(hash)) return undefined;
    this.#seen.set(hash, true);
    return hash;
  }

  /** Sends a message to the connected members that do not have it. */
  send(message: PassedMessage, hash: string, members: ReadonlySet<Member>): void {
    this.#seen.set(hash, true);
    const repeated = { message, hash, members };
    this.#repeated.push(repeated);
    if (this.#repeated.length > REPEATED) this.#repeated.shift();
    for (const peer of this.#peers()) this.#sendTo(peer, repeated);
  }

  /**
   * Sends a newly connected peer the messages about the current block. The reference does not, so that whoever
   * connects a moment late waits until the round is over.
   */
  greet(peer: ValidatorPeer): void {
    for (const repeated of this.#repeated) this.#sendTo(peer, repeated);
  }

  /** Forgets what was said: it is about another block from now on. */
  begin(): void {
    this.#repeated = [];
  }

  #sendTo(peer: ValidatorPeer, { message, hash, members }: Repeated): void {
    if (!members.has(bytesToHex(peer.address))) return;
    const known = this.#knownOf(peer);
    if (known.get(hash)) return;
    known.set(hash, true);
    peer.send(message);
  }

  #knownOf(peer: ValidatorPeer): Known {
    const known = this.#known.get(peer) ?? new LruMap(REMEMBERED);
    this.#known.set(peer, known);
    return known;
  }

  #isAllowed({ address }: ValidatorPeer, bytes: number): boolean {
    const node = bytesToHex(address);
    const nowMs = this.#clock.elapsed();
    const before = this.#allowances.get(node) ?? { messages: BURST, countedAtMs: nowMs };
    const refilled = before.messages + ((nowMs - before.countedAtMs) * PER_SECOND) / 1_000;
    const left = Math.min(BURST, refilled) - 1 - Math.floor(bytes / COUNTED_BYTES);
    this.#allowances.set(node, { messages: Math.max(0, left), countedAtMs: nowMs });
    return left >= 0;
  }
}
