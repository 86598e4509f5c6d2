import { address, quantity, quantity64 } from "../../../protocol/codec/json/hex.ts";
import { list, object, wire } from "../../../protocol/codec/json/object.ts";
import { boolean } from "../../../protocol/codec/json/scalars.ts";
import { optional, required, type TypeOf } from "../../../protocol/codec/json/schema.ts";
import { blockRef } from "./block-ref.ts";
import { stateOverrides } from "./calls.ts";
import { NO_BLOCK } from "./declared-errors.ts";
import { method } from "./method.ts";
import { ethTransactionArgs } from "./transaction-args.ts";
import type { WireObject } from "./wire-types.ts";

const blockOverrides = object("BlockOverrides", {
  number: optional(
    quantity64,
    "Default: one more than the block before; blocks between the two are made, and are empty.",
  ),
  time: optional(quantity64, "Seconds since 1970; default: one more than the block before."),
  gasLimit: optional(quantity64, "Most gas of its calls together; default: none."),
  feeRecipient: optional(address, "Who proposes it; default: as of the block before the first."),
  prevRandao: optional(quantity, "Word of opcode 0x44; default 0."),
  baseFeePerGas: optional(quantity, "In kei; default 0, with `validation` that of the next block."),
  blobBaseFee: optional(quantity, "In kei; default: as of the block before the first."),
});

const blockStateCalls = object("SimulatedBlock", {
  blockOverrides: optional(blockOverrides, "What the block has other than by default."),
  stateOverrides: optional(stateOverrides, "Accounts to assume other than they are before its calls."),
  calls: optional(list(ethTransactionArgs), "Calls, each on the state that the one before has left."),
});

export const simulationArgs = object("Simulation", {
  blockStateCalls: required(list(blockStateCalls), "Blocks in the order of their numbers."),
  traceTransfers: optional(boolean, "Whether transfers of KAIA are shown as logs of 0xeeee…eeee."),
  validation: optional(boolean, "Whether nonces and prices are checked as those of transactions."),
  returnFullTransactions: optional(boolean, "Whether to show whole transactions instead of their hashes."),
});
export type SimulationArgs = TypeOf<typeof simulationArgs>;

/** Blocks of calls that are kept nowhere. */
export const simulation = {
  simulateV1: method({
    summary:
      "Executes calls in blocks after a block, keeps nothing, and shows the blocks with what each call did.",
    params: {
      simulation: required(simulationArgs, "What to execute; 256 blocks at most, with those that fill gaps."),
      block: optional(blockRef, "Block to begin after; default latest."),
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
