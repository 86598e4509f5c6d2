import type { Clock } from "../../../../platform/runtime/runtime.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";
import type { Member } from "../machine/types.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";

/** Messages that are remembered: those that came, and those that each peer has. */
const REMEMBERED = 4_096;
/** Messages that one peer may send at once, and for each second after that: many times what a committee of 100 sends. */
const BURST = 4_000;
const PER_SECOND = 1_000;

interface PeerMemory {
  /** Hashes of what it has sent or was sent. */
  readonly known: LruMap<string, true>;
  allowance: number;
  countedAtMs: number;
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
  readonly #memories = new WeakMap<ValidatorPeer, PeerMemory>();
  #repeated: Repeated[] = [];

  constructor(peers: () => Iterable<ValidatorPeer>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /** Whether a message that a peer has sent is worth reading: it is new, and not one of too many. */
  admit(peer: ValidatorPeer, hash: string): boolean {
    const memory = this.#memoryOf(peer);
    memory.known.set(hash, true);
    const nowMs = this.#clock.elapsed();
    const refilled = memory.allowance + ((nowMs - memory.countedAtMs) * PER_SECOND) / 1_000;
    memory.countedAtMs = nowMs;
    memory.allowance = Math.min(BURST, refilled) - 1;
    if (memory.allowance < 0) {
      memory.allowance = 0;
      return false;
    }
    if (this.#seen.get(hash)) return false;
    this.#seen.set(hash, true);
    return true;
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
   * Tells a peer that has just connected what was said about the current block. The reference does not, so that whoever
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
    const { known } = this.#memoryOf(peer);
    if (known.get(hash)) return;
    known.set(hash, true);
    peer.send(message);
  }

  #memoryOf(peer: ValidatorPeer): PeerMemory {
    let memory = this.#memories.get(peer);
    if (memory === undefined) {
      memory = {
        known: new LruMap(REMEMBERED),
        allowance: BURST,
        countedAtMs: this.#clock.elapsed(),
      };
      this.#memories.set(peer, memory);
    }
    return memory;
  }
}
