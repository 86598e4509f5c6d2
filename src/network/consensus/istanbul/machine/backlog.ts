import type { MachineMessage, Member, ViewId } from "./types.ts";

/** Maximum queued messages per sender. */
const MAX_PER_SENDER = 256;
/** Maximum proposals among them, each of which may have megabytes. */
const MAX_PROPOSALS_PER_SENDER = 4;
/** Maximum senders with queued messages. */
const MAX_SENDERS = 512;
/** How many sequences ahead a message may be. */
const MAX_SEQUENCES_AHEAD = 8;

/** Replay order of message kinds within a view. */
const KIND_ORDER = { roundChange: 0, preprepare: 1, commit: 2, prepare: 3 } as const;

/** A message with its source. */
export interface Received<Source> {
  readonly message: MachineMessage;
  readonly source: Source;
}

/** Compares views: by sequence, then by round. */
export function compareViews(a: ViewId, b: ViewId): number {
  return a.sequence - b.sequence || a.round - b.round;
}

/**
 * Messages for future views, by sender and ordered by view. The reference keeps any number of them; here the furthest ones are dropped,
 * so that no sender can exhaust memory or evict messages of others.
 */
export class Backlog<Source> {
  readonly #queues = new Map<Member, Received<Source>[]>();

  /** Queues a message until its view is reached. */
  add(received: Received<Source>, now: ViewId): void {
    const { message } = received;
    if (message.sequence > now.sequence + MAX_SEQUENCES_AHEAD) return;
    let queue = this.#queues.get(message.from);
    if (queue === undefined) {
      if (this.#queues.size >= MAX_SENDERS) return;
      queue = [];
      this.#queues.set(message.from, queue);
    }
    const place = queue.findIndex((other) => compareDue(message, other.message) < 0);
    queue.splice(place < 0 ? queue.length : place, 0, received);
    if (queue.length > MAX_PER_SENDER) queue.pop();
    if (message.kind === "preprepare") dropFurthestProposal(queue);
  }

  /**
   * Removes the messages that are no longer in the future.
   * @param judge - `early` = stays queued, with all later ones of its sender; `due` = is returned; `late` = is dropped
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
  if (queue.filter(isProposal).length > MAX_PROPOSALS_PER_SENDER)
    queue.splice(queue.findLastIndex(isProposal), 1);
}

/** Round changes wait only for their sequence, and come first in it. */
function compareDue(a: MachineMessage, b: MachineMessage): number {
  const bySequence = a.sequence - b.sequence;
  if (bySequence !== 0 || a.kind === "roundChange" || b.kind === "roundChange")
    return bySequence || Number(a.kind !== "roundChange") - Number(b.kind !== "roundChange");
  return a.round - b.round || KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}
