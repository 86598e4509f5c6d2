import type { Attempt, MachineMessage, Member } from "./types.ts";

/** Messages of one sender that wait. */
const MOST_OF_A_SENDER = 256;
/** Senders of which any wait. */
const MOST_SENDERS = 512;
/** How far ahead of ours a sequence may be. */
const MOST_AHEAD = 8;

/** In which order kinds of the same view are replayed. */
const KIND_ORDER = { roundChange: 0, preprepare: 1, commit: 2, prepare: 3 } as const;

/** A message with where it came from. */
export interface Received<Source> {
  readonly message: MachineMessage;
  readonly source: Source;
}

/** Compares views: by sequence, then by round. */
export function compareAttempts(a: Attempt, b: Attempt): number {
  return a.sequence - b.sequence || a.round - b.round;
}

/**
 * Messages that came too early, by sender and in the order in which their time comes. The reference keeps any number of
 * them; here the latest give way, so that no sender can fill the memory or displace what others said.
 */
export class Backlog<Source> {
  readonly #queues = new Map<Member, Received<Source>[]>();

  /** Keeps a message until its time has come. */
  add(received: Received<Source>, now: Attempt): void {
    const { message } = received;
    if (message.sequence > now.sequence + MOST_AHEAD) return;
    let queue = this.#queues.get(message.from);
    if (queue === undefined) {
      if (this.#queues.size >= MOST_SENDERS) return;
      queue = [];
      this.#queues.set(message.from, queue);
    }
    const place = queue.findIndex((other) => compareDue(message, other.message) < 0);
    queue.splice(place < 0 ? queue.length : place, 0, received);
    if (queue.length > MOST_OF_A_SENDER) queue.pop();
  }

  /**
   * Takes out what need not wait any longer.
   * @param judge - `early` = waits on, and all of its sender behind it; `due` = is given out; `late` = is dropped
   */
  take(judge: (message: MachineMessage) => "early" | "due" | "late"): Received<Source>[] {
    const due: Received<Source>[] = [];
    for (const [member, queue] of this.#queues) {
      let done = 0;
      for (const received of queue) {
        const verdict = judge(received.message);
        if (verdict === "early") break;
        if (verdict === "due") due.push(received);
        done++;
      }
      if (done === queue.length) this.#queues.delete(member);
      else if (done > 0) queue.splice(0, done);
    }
    return due;
  }
}

/** Votes for another round wait for their sequence alone, and come before all else in it. */
function compareDue(a: MachineMessage, b: MachineMessage): number {
  const bySequence = a.sequence - b.sequence;
  if (bySequence !== 0 || a.kind === "roundChange" || b.kind === "roundChange")
    return bySequence || Number(a.kind !== "roundChange") - Number(b.kind !== "roundChange");
  return a.round - b.round || KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}
