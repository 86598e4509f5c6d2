import type { debugSubscriptions, TraceConfig } from "../../../spec/debug/traces.ts";
import type { SubscriptionHandlers } from "../../../spec/method.ts";
import { JsonText } from "../../../spec/values/json-text.ts";
import type { ChainReader } from "../../chain/chain-reader.ts";
import type { BlockTraces } from "./block-traces.ts";
import { signedNumber, wrongOrder } from "./traced-range.ts";

/** What traces of a chain are made with. */
export interface ChainTraceDeps {
  readonly reader: ChainReader;
  readonly blocks: BlockTraces;
  /** Called with the error that ends tracing early: the subscriber only sees that no more traces come, as on the reference. */
  readonly onFailure: (error: unknown) => void;
}

/** Traces of consecutive blocks, as subscriptions. */
export function traceChainHandlers(deps: ChainTraceDeps): SubscriptionHandlers<typeof debugSubscriptions> {
  const { reader, onFailure } = deps;
  return {
    traceChain({ first, last, config }, emit) {
      const [from, to] = [first, last].map((number) => reader.requireBlock({ number }).block.header.number);
      if (from === undefined || to === undefined || from >= to)
        throw wrongOrder(signedNumber(first), signedNumber(last));
      const range = new TracedRange(deps, from, to, config);
      void range.run(emit).catch(onFailure);
      return () => range.stop();
    },
  };
}

/** Traces the blocks after the first one; those without transactions are omitted, except the last. */
class TracedRange {
  readonly #deps: ChainTraceDeps;
  readonly #from: bigint;
  readonly #to: bigint;
  readonly #config: TraceConfig | undefined;
  readonly #stopped = new AbortController();

  constructor(deps: ChainTraceDeps, from: bigint, to: bigint, config: TraceConfig | undefined) {
    this.#deps = deps;
    this.#from = from;
    this.#to = to;
    this.#config = config;
  }

  /** Each block has the full time limit of a request. */
  async run(emit: (traces: JsonText) => void): Promise<void> {
    const { reader, blocks } = this.#deps;
    const caller = { timeMs: blocks.limits.timeMs, context: { signal: this.#stopped.signal } };
    for (let number = this.#from + 1n; number <= this.#to; number++) {
      const isShown = reader.requireBlock({ number }).block.transactions.length > 0 || number === this.#to;
      if (isShown) {
        const text = await blocks.traceIn(number, reader, this.#config, caller);
        if (this.#stopped.signal.aborted) return;
        emit(new JsonText(text));
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#stopped.signal.aborted) return;
    }
  }

  stop(): void {
    this.#stopped.abort();
  }
}
