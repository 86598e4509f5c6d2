import type { Clock } from "../../../../platform/runtime/runtime.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";
import type { Member } from "../machine/types.ts";
import { messageHash } from "../messages/message-codec.ts";
import type { RawConsensusMessage, ValidatorPeer } from "./validator-peer.ts";

/** Number of messages remembered: those seen, and those that each peer has. */
const MAX_REMEMBERED = 4_096;
/** Rate limit of messages per node, burst and per second: many times what a committee of 100 sends. */
const BURST = 4_000;
const RATE_PER_SECOND = 1_000;
/** A message takes one more token per this many bytes. */
const BYTES_PER_TOKEN = 16_384;
/** Number of nodes whose token buckets are remembered. */
const MAX_NODES = 1_024;

/** Hashes of messages that a peer has. */
type Known = LruMap<string, true>;

/** Rate limit of a node, across its connections. */
interface TokenBucket {
  readonly left: number;
  readonly countedAtMs: number;
}

/** Maximum number of recent messages about the current block kept for new connections. */
const MAX_RECENT = 512;
/** Their total size in bytes. */
const MAX_RECENT_BYTES = 16 << 20;
/** Rate limit of resending them to a reconnecting node: burst, and milliseconds per token. */
const RESEND_BURST = 4;
const RESEND_REFILL_MS = 10_000;

interface RecentMessage {
  readonly message: RawConsensusMessage;
  readonly hash: string;
  readonly members: ReadonlySet<Member>;
}

/** Sends each message once to the members concerned, and accepts each message once. */
export class VoteRelay {
  readonly #peers: () => Iterable<ValidatorPeer>;
  readonly #clock: Clock;
  readonly #seen = new LruMap<string, true>(MAX_REMEMBERED);
  readonly #known = new WeakMap<ValidatorPeer, Known>();
  readonly #buckets = new LruMap<string, TokenBucket>(MAX_NODES);
  readonly #resendBuckets = new LruMap<string, TokenBucket>(MAX_NODES);
  #recent: RecentMessage[] = [];
  #recentBytes = 0;

  constructor(peers: () => Iterable<ValidatorPeer>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /**
   * Registers a message that a peer has sent.
   * @returns its hash if it is new and within the rate limit
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
  send(message: RawConsensusMessage, hash: string, members: ReadonlySet<Member>): void {
    this.#seen.set(hash, true);
    const recent = { message, hash, members };
    this.#recent.push(recent);
    this.#recentBytes += message.payload.length;
    while (this.#recent.length > MAX_RECENT || this.#recentBytes > MAX_RECENT_BYTES)
      this.#recentBytes -= this.#recent.shift()?.message.payload.length ?? 0;
    for (const peer of this.#peers()) this.#sendTo(peer, recent);
  }

  /**
   * Sends a newly connected peer the recent messages about the current block. The reference does not, so that a peer that connects a
   * moment late has to wait for the round change. A peer that keeps reconnecting is rate-limited.
   */
  sendRecentTo(peer: ValidatorPeer): void {
    if (!this.#mayResend(peer)) return;
    for (const recent of this.#recent) this.#sendTo(peer, recent);
  }

  /** The given members that are connected. */
  connected(members: ReadonlySet<Member>): ReadonlySet<Member> {
    const peers = [...this.#peers()].map(({ address }) => bytesToHex(address));
    return new Set(peers.filter((peer) => members.has(peer)));
  }

  /** Drops the recent messages when the next sequence starts. */
  begin(): void {
    this.#recent = [];
    this.#recentBytes = 0;
  }

  #sendTo(peer: ValidatorPeer, { message, hash, members }: RecentMessage): void {
    if (!members.has(bytesToHex(peer.address))) return;
    const known = this.#knownOf(peer);
    if (known.get(hash)) return;
    known.set(hash, true);
    peer.send(message);
  }

  #knownOf(peer: ValidatorPeer): Known {
    const known = this.#known.get(peer) ?? new LruMap(MAX_REMEMBERED);
    this.#known.set(peer, known);
    return known;
  }

  #isAllowed({ address }: ValidatorPeer, bytes: number): boolean {
    const left = this.#refilled(this.#buckets, address, { burst: BURST, eachMs: 1_000 / RATE_PER_SECOND });
    const after = left - 1 - Math.floor(bytes / BYTES_PER_TOKEN);
    this.#spend(this.#buckets, address, after);
    return after >= 0;
  }

  #mayResend({ address }: ValidatorPeer): boolean {
    const after =
      this.#refilled(this.#resendBuckets, address, { burst: RESEND_BURST, eachMs: RESEND_REFILL_MS }) - 1;
    if (after >= 0) this.#spend(this.#resendBuckets, address, after);
    return after >= 0;
  }

  /** The tokens of a node's bucket, refilled for the time since the last use. */
  #refilled(
    buckets: LruMap<string, TokenBucket>,
    address: Address,
    { burst, eachMs }: { readonly burst: number; readonly eachMs: number },
  ): number {
    const nowMs = this.#clock.elapsed();
    const before = buckets.get(bytesToHex(address)) ?? { left: burst, countedAtMs: nowMs };
    return Math.min(burst, before.left + (nowMs - before.countedAtMs) / eachMs);
  }

  #spend(buckets: LruMap<string, TokenBucket>, address: Address, left: number): void {
    buckets.set(bytesToHex(address), { left: Math.max(0, left), countedAtMs: this.#clock.elapsed() });
  }
}
