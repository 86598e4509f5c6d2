import { address, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import { NO_BLOCK } from "../declared-errors.ts";
import { method } from "../method.ts";
import { blockRef } from "../values/block-ref.ts";
import { firstOf } from "../values/first-of.ts";
import { ethTransactionArgs } from "../values/transaction-args.ts";
import type { WireObject } from "../values/wire-types.ts";
import { word } from "./block-overrides.ts";
import { overrideShape, overridesMap } from "./calls.ts";

/** Maximum blocks of one simulation, including those that fill gaps. */
export const MAX_SIMULATED_BLOCKS = 256;
/** Maximum calls of one simulation in all its blocks: twice as many as the gas of a call allows by default. */
export const MAX_SIMULATED_CALLS = 5_000;

const blockOverrides = object("BlockOverrides", {
  number: optional(
    quantity64,
    "Default: one more than the previous block; a gap between the two is filled with empty blocks.",
  ),
  time: optional(quantity64, "Seconds since 1970; default: one more than the previous block."),
  gasLimit: optional(quantity64, "Maximum gas of its calls together; default: no limit."),
  feeRecipient: optional(address, "The proposer; default: that of the base block."),
  prevRandao: optional(word, "Result of PREVRANDAO (0x44); default 0."),
  baseFeePerGas: optional(quantity, "In kei; default 0, with `validation` that of the next block."),
  blobBaseFee: optional(quantity, "In kei; default: that of the base block."),
});

const stateOverrides = overridesMap(
  "SimulatedStateOverride",
  object("SimulatedOverrideAccount", {
    ...overrideShape,
    movePrecompileToAddress: optional(
      address,
      "Address to which this account's precompiled contract moves in this block.",
    ),
  }),
);

const calls = list(ethTransactionArgs);
const blockStateCalls = object("SimulatedBlock", {
  blockOverrides: optional(blockOverrides, "Overrides of the block's header fields."),
  stateOverrides: optional(stateOverrides, "State overrides by account, applied before its calls."),
  calls: optional(
    { ...calls, decode: (json) => calls.decode(firstOf(json, MAX_SIMULATED_CALLS + 1)) },
    "Calls, each executed on the state that the previous one left.",
  ),
});

/** Blocks up to the limit, plus the first one beyond it, so that longer input costs nothing more to decode. */
const blocks: Schema<readonly TypeOf<typeof blockStateCalls>[]> = {
  ...list(blockStateCalls),
  decode(json) {
    if (!Array.isArray(json)) return list(blockStateCalls).decode(json);
    const read: TypeOf<typeof blockStateCalls>[] = [];
    let sent = 0;
    for (const item of json) {
      const block = blockStateCalls.decode(item);
      read.push(block);
      sent += block.calls?.length ?? 0;
      if (read.length > MAX_SIMULATED_BLOCKS || sent > MAX_SIMULATED_CALLS) break;
    }
    return read;
  },
};

/** Blocks of calls to simulate, and what to show of them. */
export const simulationArgs = object("Simulation", {
  blockStateCalls: required(blocks, "Blocks in the order of their numbers."),
  traceTransfers: optional(boolean, "Whether transfers of KAIA are shown as logs of 0xeeee…eeee."),
  validation: optional(boolean, "Whether nonces and gas prices are checked as for transactions."),
  returnFullTransactions: optional(boolean, "Whether to return transaction objects instead of hashes."),
});

/** The decoded argument of `eth_simulateV1`. */
export type SimulationArgs = TypeOf<typeof simulationArgs>;

/** Blocks of calls that are not stored. */
export const simulation = {
  simulateV1: method({
    summary:
      "Simulates blocks of calls on top of a block, and returns the blocks with the results of their calls; nothing is stored.",
    params: {
      simulation: required(
        simulationArgs,
        "What to execute; at most 256 blocks, including those that fill gaps, and 5,000 calls.",
      ),
      block: optional(blockRef, "Block to build on; default latest."),
    },
    result: wire<readonly WireObject[]>("SimulatedBlocks", {
      type: "array",
      items: {
        type: "object",
        description: "A block, with `calls`: returnData, logs, gasUsed, status, error.",
      },
    }),
    scope: "state",
    errors: [NO_BLOCK],
  }),
};
