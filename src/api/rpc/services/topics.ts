import { type BoundSubscription, encoded, encodedText } from "../engine/registry.ts";
import type { Deliveries, Subscriber } from "./deliveries.ts";

/** Active subscriptions, each distinct one once: an event is built and encoded once for all equal subscribers. */
export class Topics {
  readonly #live = new Map<BoundSubscription["handler"], Map<string, Topic>>();
  readonly #deliveries: Deliveries;
  readonly #onDefect: (error: unknown) => void;

  /** @param onDefect called with events that cannot be encoded */
  constructor(deliveries: Deliveries, onDefect: (error: unknown) => void) {
    this.#deliveries = deliveries;
    this.#onDefect = onDefect;
  }

  /**
   * Adds a member.
   * @param key equal for equal arguments
   * @returns the function that ends it
   * @throws what the handler throws about the arguments
   */
  join(
    bound: BoundSubscription,
    args: Record<string, unknown>,
    key: string,
    subscriber: Subscriber,
  ): () => void {
    const isLive = bound.declaration.live === true;
    const siblings = isLive ? this.#siblings(bound) : new Map<string, Topic>();
    let topic = siblings.get(key);
    if (topic === undefined) {
      topic = new Topic(bound, this.#deliveries, this.#onDefect);
      topic.add(subscriber);
      topic.begin(args);
      siblings.set(key, topic);
    } else topic.add(subscriber);
    const joined = topic;
    return () => {
      if (joined.remove(subscriber)) siblings.delete(key);
    };
  }

  #siblings({ handler }: BoundSubscription): Map<string, Topic> {
    let siblings = this.#live.get(handler);
    if (siblings === undefined) {
      siblings = new Map();
      this.#live.set(handler, siblings);
    }
    return siblings;
  }
}

class Topic {
  readonly #bound: BoundSubscription;
  readonly #deliveries: Deliveries;
  readonly #onDefect: (error: unknown) => void;
  readonly #subscribers = new Set<Subscriber>();
  /** The subscribers as an immutable list; rebuilt after one was added or removed. */
  #list: readonly Subscriber[] | undefined;
  #end: () => void = () => {};

  constructor(bound: BoundSubscription, deliveries: Deliveries, onDefect: (error: unknown) => void) {
    this.#bound = bound;
    this.#deliveries = deliveries;
    this.#onDefect = onDefect;
  }

  begin(args: Record<string, unknown>): void {
    this.#end = this.#bound.handler(
      args,
      (event) => this.#emit(event),
      () => {
        for (const subscriber of [...this.#subscribers]) subscriber.cutOff();
      },
    );
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.#list = undefined;
  }

  /** @returns whether it was the last one, which ends the subscription */
  remove(subscriber: Subscriber): boolean {
    this.#subscribers.delete(subscriber);
    this.#list = undefined;
    if (this.#subscribers.size > 0) return false;
    this.#end();
    return true;
  }

  #emit(event: unknown): void {
    try {
      this.#list ??= [...this.#subscribers];
      this.#deliveries.add(encodedText(encoded(this.#bound.declaration.event, event)), this.#list);
    } catch (error) {
      this.#onDefect(error);
    }
  }
}
