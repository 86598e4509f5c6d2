import { systemRuntime } from "../../platform/runtime/system.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** A part that did not stop in time; the others were stopped all the same. */
export class PartError extends NodeError<"PART_STOP"> {
  override name = "PartError";
}

/** Default time limit for stopping a part. */
const STOP_MS = 15_000;

/** A started part: what it offers to others, and how to stop it. */
export interface Running<Offer> {
  readonly offers: Offer;
  /** Called once, after everything that needs the part has stopped. */
  stop?(): void | Promise<void>;
}

/** One part of a whole. Parts are constants that name each other, so that what one needs is there when it is started. */
export interface Part<Offer, Context> {
  /** For people: `pool`. */
  readonly name: string;
  readonly needs: PartSet<Context>;
  /** The composition waits this long for it to stop; default 15 s. */
  readonly stopMs?: number;
  /** @param given - what the needed parts offer, by the names in `needs` */
  start(given: Readonly<Record<string, unknown>>, context: Context): Running<Offer> | Promise<Running<Offer>>;
}

/** Parts by the names under which another uses them. */
export type PartSet<Context> = Readonly<Record<string, Part<unknown, Context>>>;

/** What a set of parts offers, by the same names. */
export type OffersOf<P> = { readonly [K in keyof P]: P[K] extends Part<infer Offer, never> ? Offer : never };

/** A part as it is declared: `start` knows the types of what it needs. */
export interface PartDeclaration<Needs, Offer, Context>
  extends Pick<Part<Offer, Context>, "name" | "stopMs"> {
  readonly needs: Needs;
  start(given: OffersOf<Needs>, context: Context): Running<Offer> | Promise<Running<Offer>>;
}

/**
 * Starts parts, each once and after those that it needs, and stops them in the opposite order.
 * @example
 * const composition = new Composition(context);
 * const offer = await composition.start(httpServer); // and everything that it needs
 * await composition.stop();
 */
export class Composition<Context> {
  readonly #context: Context;
  readonly #running = new Map<Part<unknown, Context>, Running<unknown>>();
  #stopping: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Whether stopping has begun. */
  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Starts a part unless it is running, after those that it needs.
   * @returns what it offers
   * @throws whatever the part or one that it needs throws; what was started before keeps running until `stop`
   */
  async start<Offer>(part: Part<Offer, Context>): Promise<Offer> {
    const before = this.#running.get(part);
    if (before !== undefined) return before.offers as Offer; // kept under the part that offers it
    const running = await part.start(await this.startAll(part.needs), this.#context);
    this.#running.set(part, running);
    return running.offers;
  }

  /** Starts several parts in their order, as `start` does. @returns what they offer, by the same names */
  async startAll<Parts extends PartSet<Context>>(parts: Parts): Promise<OffersOf<Parts>> {
    const offers: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(parts)) offers[name] = await this.start(part);
    return offers as OffersOf<Parts>;
  }

  /**
   * Stops everything that was started, in reverse order, even when a part fails: what a full disk leaves open would
   * hold the folder and the process. A part that takes too long is abandoned. Can be called twice.
   * @throws what the first that could not stop threw; PartError for one that was left behind
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const [part, running] of [...this.#running].toReversed()) {
      await stopWithin(part, running).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

async function stopWithin<Context>(
  { name, stopMs = STOP_MS }: Part<unknown, Context>,
  running: Running<unknown>,
): Promise<void> {
  let cancel = (): void => {};
  // By the machine's clock: a test's virtual clock might never advance.
  const late = new Promise<never>((_, reject) => {
    const tooLate = (): void =>
      reject(new PartError("PART_STOP", `${name} did not stop within ${stopMs} ms`, { name, stopMs }));
    cancel = systemRuntime.timers.schedule(stopMs, tooLate);
  });
  try {
    await Promise.race([running.stop?.(), late]);
  } finally {
    cancel();
  }
}
