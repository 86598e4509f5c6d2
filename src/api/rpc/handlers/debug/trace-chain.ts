import type { Json } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../errors.ts";
import type { SubscriptionHandlers } from "../../method.ts";
import type { BlockNumber } from "../../spec/block-ref.ts";
import type { debugSubscriptions, TraceConfig } from "../../spec/debug/traces.ts";
import type { ChainReader } from "../chain-reader.ts";
import { type BlockTraces, upToFailure } from "./block-traces.ts";

/** What traces of a chain are made with. */
export interface ChainTraceDeps {
  readonly reader: ChainReader;
  readonly blocks: BlockTraces;
  /** Told of what ends the tracing early: the subscriber only sees that no more comes, as on the reference. */
  readonly onFailure: (error: unknown) => void;
}

/** Traces of block after block, as subscriptions. */
export function traceChainHandlers(deps: ChainTraceDeps): SubscriptionHandlers<typeof debugSubscriptions> {
  const { reader, onFailure } = deps;
  return {
    traceChain({ first, last, config }, emit) {
      const [from, to] = [first, last].map((number) => reader.requireBlock({ number }).block.header.number);
      if (from === undefined || to === undefined || from >= to)
        throw refused(
          `end block #${shownNumber(last)} needs to come after start block #${shownNumber(first)}`,
        );
      const range = new TracedRange(deps, from, to, config);
      void range.run(emit).catch(onFailure);
      return () => range.stop();
    },
  };
}

/** Traces the blocks behind the first one; those without transactions are left out but for the last. */
class TracedRange {
  readonly #deps: ChainTraceDeps;
  readonly #from: bigint;
  readonly #to: bigint;
  readonly #config: TraceConfig | undefined;
  #isStopped = false;

  constructor(deps: ChainTraceDeps, from: bigint, to: bigint, config: TraceConfig | undefined) {
    this.#deps = deps;
    this.#from = from;
    this.#to = to;
    this.#config = config;
  }

  async run(emit: (traces: Json) => void): Promise<void> {
    const { reader, blocks } = this.#deps;
    for (let number = this.#from + 1n; number <= this.#to; number++) {
      const { block, hash } = reader.requireBlock({ number });
      const traces = upToFailure(await blocks.trace(block, this.#config, "allowed"));
      if (this.#isStopped) return;
      const shown = { block: `0x${number.toString(16)}`, hash: bytesToHex(hash), traces };
      if (traces.length > 0 || number === this.#to) emit(shown);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** As the reference writes a number or tag that it was given. */
function shownNumber(number: BlockNumber): string {
  if (typeof number === "bigint") return String(number);
  return number === "pending" ? "-2" : "-1";
}
