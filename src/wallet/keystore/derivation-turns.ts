import { watchedByMany } from "../../platform/runtime/signals.ts";
import type { CallerIdentity } from "../../platform/runtime/turns/caller-identity.ts";
import {
  laneOf,
  type QueueLane,
  type WaitFailure,
  WaitQueue,
} from "../../platform/runtime/turns/wait-queue.ts";
import { callerGone, kdfBusy, type WalletError } from "../errors.ts";
import type { PassphraseCaller } from "../passphrase.ts";

/** Limits of key derivations. */
export interface DerivationLimits {
  /**
   * Maximum number of concurrent derivations, 2 or more: one at standard cost takes 256 MiB and about a second of one core. The
   * last slot is reserved for the owner, on the IPC socket or in this process.
   */
  readonly concurrent: number;
  /** Maximum number waiting for callers over the network, half of them of one client. */
  readonly waiting: number;
}

/** The limits where no others are given. */
export const DEFAULT_DERIVATION_LIMITS: DerivationLimits = { concurrent: 2, waiting: 16 };
/** Maximum number waiting for the owner. */
const OWNER_WAITING = 256;

/** For callers that cannot disconnect. */
const NEVER = watchedByMany(new AbortController()).signal;

/**
 * Schedules key derivations. The owner has a separate lane: when the lane of network callers is full they get an error, and
 * the owner waits only for the owner's own requests. A client that disconnects loses its turn before it costs anything.
 */
export class DerivationTurns {
  readonly #line: WaitQueue;
  readonly #most: Readonly<Record<QueueLane, number>>;
  readonly #running: Record<QueueLane, number> = { owner: 0, others: 0 };
  /** Tickets that have had a turn, for another of their keys. */
  readonly #admitted = new WeakSet<object>();

  constructor(limits: Partial<DerivationLimits> = {}) {
    const { concurrent, waiting } = { ...DEFAULT_DERIVATION_LIMITS, ...limits };
    this.#most = { owner: concurrent, others: concurrent - 1 };
    this.#line = new WaitQueue({
      owner: { waiting: OWNER_WAITING, waitingPerClient: OWNER_WAITING },
      others: { waiting, waitingPerClient: Math.ceil(waiting / 2) },
    });
  }

  /**
   * Runs a task when it is the caller's turn.
   * @param ticket - shared by the tasks of one call; only the first of them can be refused for a full queue
   * @throws WalletError `KDF_BUSY` when too many wait, `CALLER_GONE` when the caller has left, and what `task` throws
   */
  async run<T>(ticket: { readonly caller: PassphraseCaller }, task: () => Promise<T>): Promise<T> {
    const { isLocal, signal = NEVER, client } = ticket.caller;
    const standing: CallerIdentity = { isLocal, signal, client };
    if (signal.aborted) throw callerGone();
    const lane = laneOf(standing);
    const begin = (): void => void this.#running[lane]++;
    if (this.#line.sizeOf(lane) === 0 && this.#mayRun(lane)) begin();
    else
      await this.#line.wait(standing, { begin, lost: lostTurnError, isAdmitted: this.#admitted.has(ticket) });
    this.#admitted.add(ticket);
    try {
      return await task();
    } finally {
      this.#running[lane]--;
      this.#next();
    }
  }

  #mayRun(lane: QueueLane): boolean {
    const { owner, others } = this.#running;
    return this.#running[lane] < this.#most[lane] && owner + others < this.#most.owner;
  }

  #next(): void {
    for (const lane of ["owner", "others"] as const) while (this.#mayRun(lane) && this.#line.next(lane));
  }
}

function lostTurnError(why: WaitFailure): WalletError {
  return why === "full" || why === "clientFull" ? kdfBusy() : callerGone();
}
