import type { Json } from "../../../../protocol/codec/json/value.ts";
import { refused } from "../../engine/errors.ts";
import type { Handlers } from "../../spec/method.ts";
import type { chaindatafetcher } from "../../spec/node/chaindatafetcher.ts";

/** Kinds of messages about a block. */
type Kind = "block" | "trace";

/** Controls of the event stream for operators; each throws if it refuses. */
export interface StreamControls {
  startFetching(): void;
  stopFetching(): Promise<void>;
  /** Both ends included. */
  startRangeFetching(start: bigint, end: bigint, kinds: readonly Kind[]): void;
  stopRangeFetching(): Promise<void>;
  readonly status: { readonly fetching: boolean; readonly rangeFetching: boolean };
  /** Number of the first block that is not published yet. */
  readonly next: bigint;
  writeCheckpoint(next: bigint): Promise<void>;
  /** Settings as they are shown: without secrets. */
  readonly shownConfig: { readonly [member: string]: Json };
}

const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  all: ["block", "trace"],
  block: ["block"],
  trace: ["trace"],
  "16": ["block"],
  "32": ["trace"],
  "48": ["block", "trace"],
};

/** The chaindatafetcher namespace. */
export function chaindatafetcherHandlers(stream: StreamControls): Handlers<typeof chaindatafetcher> {
  return {
    startFetching() {
      stream.startFetching();
      return null;
    },
    async stopFetching() {
      await stream.stopFetching();
      return null;
    },
    startRangeFetching({ start, end, type }) {
      stream.startRangeFetching(start, end, kindsOf(type));
      return null;
    },
    async stopRangeFetching() {
      await stream.stopRangeFetching();
      return null;
    },
    status() {
      const { fetching, rangeFetching } = stream.status;
      return `{fetching: ${Number(fetching)}, rangeFetching: ${Number(rangeFetching)}}`;
    },
    readCheckpoint: () => stream.next,
    async writeCheckpoint({ checkpoint }) {
      await stream.writeCheckpoint(checkpoint);
      return null;
    },
    getConfig: () => stream.shownConfig,
  };
}

/** @throws RpcError -32000 with the reference's texts */
function kindsOf(type: Json): readonly Kind[] {
  if (typeof type !== "number" && !["all", "block", "trace"].includes(type as string))
    throw refused("the request type should be 'all', 'block', 'trace', or uint type");
  const kinds = KINDS[String(type)];
  if (kinds === undefined) throw refused("the request type is not valid");
  return kinds;
}
