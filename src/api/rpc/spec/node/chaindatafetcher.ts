import { nothing } from "../../../../protocol/codec/json/object.ts";
import { int, string, uint64 } from "../../../../protocol/codec/json/scalars.ts";
import { required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { method } from "../method.ts";

/** Which messages of a range of blocks are published again; validated by the handler, with the reference's texts. */
const requestType: Schema<Json> = {
  title: "request type",
  json: { anyOf: [{ enum: ["all", "block", "trace"] }, { enum: [16, 32, 48] }] },
  expects: "all, block or trace; or 16 for block, 32 for trace, 48 for both",
  decode: (value) => value,
  encode: (value) => value,
};

const config: Schema<{ readonly [member: string]: Json }> = {
  title: "settings of the event stream",
  json: { type: "object" },
  expects: "an object",
  decode: (value) => value as { [member: string]: Json },
  encode: (value) => value as { [member: string]: Json },
};

/** The event stream, as the reference's `chaindatafetcher` is controlled. */
export const chaindatafetcher = {
  startFetching: method({
    summary: "Publishes from the checkpoint on, and then each new block.",
    params: {},
    result: nothing,
    scope: "host",
    errors: [{ code: -32000, message: "fetching is already started" }],
  }),
  stopFetching: method({
    summary: "Stops publishing; returns once the checkpoint is on disk.",
    params: {},
    result: nothing,
    scope: "host",
    errors: [{ code: -32000, message: "fetching is not running" }],
  }),
  startRangeFetching: method({
    summary:
      "Publishes a range of blocks once more, alongside everything else; the checkpoint does not change.",
    params: {
      start: required(uint64, "First block; the genesis block is skipped."),
      end: required(uint64, "Last block, at most the newest one."),
      type: required(requestType, "Which messages."),
    },
    result: nothing,
    scope: "host",
    errors: [{ code: -32000, message: "range fetching is already started" }],
  }),
  stopRangeFetching: method({
    summary: "Stops publishing a range of blocks.",
    params: {},
    result: nothing,
    scope: "host",
    errors: [{ code: -32000, message: "range fetching is not running" }],
  }),
  status: method({
    summary:
      "Whether the stream follows the chain and whether it publishes a range: `{fetching: 1, rangeFetching: 0}`.",
    params: {},
    result: string,
    scope: "node",
  }),
  readCheckpoint: method({
    summary: "Number of the first block that is not published yet.",
    params: {},
    result: int,
    scope: "node",
  }),
  writeCheckpoint: method({
    summary: "Sets the block to continue with; only while the stream is stopped.",
    params: { checkpoint: required(int, "Number of the first block to publish.") },
    result: nothing,
    scope: "host",
    errors: [{ code: -32000, message: "call stopFetching before writing checkpoint manually" }],
  }),
  getConfig: method({
    summary: "Settings of the stream, without user names and passwords.",
    params: {},
    result: config,
    scope: "host",
  }),
};
