import type { Attempt, MachineMessage, Member } from "./types.ts";

/** Most queued messages per sender. */
const MOST_OF_A_SENDER = 256;
/** Most proposals among them: each has a block of megabytes with it. */
const MOST_PROPOSALS = 4;
/** Most senders with queued messages. */
const MOST_SENDERS = 512;
/** How far ahead of the current one a sequence may be. */
const MOST_AHEAD = 8;

/** Replay order of message kinds within a view. */
const KIND_ORDER = { roundChange: 0, preprepare: 1, commit: 2, prepare: 3 } as const;

/** A message with its source. */
export interface Received<Source> {
  readonly message: MachineMessage;
  readonly source: Source;
}

/** Compares views: by sequence, then by round. */
export function compareAttempts(a: Attempt, b: Attempt): number {
  return a.sequence - b.sequence || a.round - b.round;
}

/**
 * Messages for future views, by sender and in order of their view. The reference keeps any number of them; here the
 * furthest ones are dropped, so that no sender can exhaust memory or displace messages of others.
 */
export class Backlog<Source> {
  readonly #queues = new Map<Member, Received<Source>[]>();

  /** Queues a message until its view is reached. */
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
    if (message.kind === "preprepare") dropFurthestProposal(queue);
  }

  /**
   * Removes the messages that need not wait any longer.
   * @param judge - `early` = keeps waiting, with all later ones of its sender; `due` = is returned; `late` = is dropped
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

function dropFurthestProposal<Source>(queue: Received<Source>[]): void {
  const isProposal = ({ message }: Received<Source>) => message.kind === "preprepare";
  if (queue.filter(isProposal).length > MOST_PROPOSALS) queue.splice(queue.findLastIndex(isProposal), 1);
}

/** Round change messages wait only for their sequence, and come first in it. */
function compareDue(a: MachineMessage, b: MachineMessage): number {
  const bySequence = a.sequence - b.sequence;
  if (bySequence !== 0 || a.kind === "roundChange" || b.kind === "roundChange")
    return bySequence || Number(a.kind !== "roundChange") - Number(b.kind !== "roundChange");
  return a.round - b.round || KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}
