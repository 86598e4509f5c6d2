import type { Clock } from "../../../../platform/runtime/runtime.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";
import type { Member } from "../machine/types.ts";
import { messageHash } from "../messages/message-codec.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";

/** Number of messages remembered: those received, and those that each peer has. */
const REMEMBERED = 4_096;
/** Messages that one node may send at once, and per second after that: many times what a committee of 100 sends. */
const BURST = 4_000;
const PER_SECOND = 1_000;
/** A message counts once more per this many bytes. */
const COUNTED_BYTES = 16_384;
/** Number of nodes whose allowance is remembered. */
const NODES = 1_024;

/** Hashes of messages that a peer has sent or received. */
type Known = LruMap<string, true>;

/** Allowance of a node, over all its connections. */
interface Allowance {
  readonly left: number;
  readonly countedAtMs: number;
}

/** Newest messages about the current block, for peers that connect late. */
const REPEATED = 512;
/** Their total size in bytes. */
const REPEATED_BYTES = 16 << 20;
/** How often a node may reconnect and get them, and milliseconds until it may once more. */
const GREETINGS = 4;
const GREETING_MS = 10_000;

interface Repeated {
  readonly message: PassedMessage;
  readonly hash: string;
  readonly members: ReadonlySet<Member>;
}

/** Sends messages to the members they concern, each once, and accepts each once. */
export class VoteRelay {
  readonly #peers: () => Iterable<ValidatorPeer>;
  readonly #clock: Clock;
  readonly #seen = new LruMap<string, true>(REMEMBERED);
  readonly #known = new WeakMap<ValidatorPeer, Known>();
  readonly #allowances = new LruMap<string, Allowance>(NODES);
  readonly #greetings = new LruMap<string, Allowance>(NODES);
  #repeated: Repeated[] = [];
  #repeatedBytes = 0;

  constructor(peers: () => Iterable<ValidatorPeer>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /**
   * Registers a message that a peer has sent.
   * @returns its hash if it is worth reading: new, and within the peer's allowance
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
    this.#repeatedBytes += message.payload.length;
    while (this.#repeated.length > REPEATED || this.#repeatedBytes > REPEATED_BYTES)
      this.#repeatedBytes -= this.#repeated.shift()?.message.payload.length ?? 0;
    for (const peer of this.#peers()) this.#sendTo(peer, repeated);
  }

  /**
   * Sends a newly connected peer the messages about the current block. The reference does not, so that a peer
   * that connects a moment late waits until the round is over. A peer that keeps reconnecting gets no more for a while.
   */
  greet(peer: ValidatorPeer): void {
    if (!this.#mayBeGreeted(peer)) return;
    for (const repeated of this.#repeated) this.#sendTo(peer, repeated);
  }

  /** The connected ones among the given members. */
  connected(members: ReadonlySet<Member>): ReadonlySet<Member> {
    const peers = [...this.#peers()].map(({ address }) => bytesToHex(address));
    return new Set(peers.filter((peer) => members.has(peer)));
  }

  /** Forgets the messages kept so far, as another block begins. */
  begin(): void {
    this.#repeated = [];
    this.#repeatedBytes = 0;
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
    const left = this.#left(this.#allowances, address, { burst: BURST, eachMs: 1_000 / PER_SECOND });
    const after = left - 1 - Math.floor(bytes / COUNTED_BYTES);
    this.#spend(this.#allowances, address, after);
    return after >= 0;
  }

  #mayBeGreeted({ address }: ValidatorPeer): boolean {
    const after = this.#left(this.#greetings, address, { burst: GREETINGS, eachMs: GREETING_MS }) - 1;
    if (after >= 0) this.#spend(this.#greetings, address, after);
    return after >= 0;
  }

  /** The rest of a node's allowance, which is replenished over time. */
  #left(
    allowances: LruMap<string, Allowance>,
    address: Address,
    { burst, eachMs }: { readonly burst: number; readonly eachMs: number },
  ): number {
    const nowMs = this.#clock.elapsed();
    const before = allowances.get(bytesToHex(address)) ?? { left: burst, countedAtMs: nowMs };
    return Math.min(burst, before.left + (nowMs - before.countedAtMs) / eachMs);
  }

  #spend(allowances: LruMap<string, Allowance>, address: Address, left: number): void {
    allowances.set(bytesToHex(address), { left: Math.max(0, left), countedAtMs: this.#clock.elapsed() });
  }
}
