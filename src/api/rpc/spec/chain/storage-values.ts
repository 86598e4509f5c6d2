import { address, fixedBytes } from "../../../../protocol/codec/json/hex.ts";
import { list } from "../../../../protocol/codec/json/object.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { hexMap } from "../calls/calls.ts";
import { NO_BLOCK } from "../declared-errors.ts";
import { ALICE } from "../examples.ts";
import { method } from "../method.ts";
import { blockRef } from "../values/block-ref.ts";

/** Maximum slots of one request, of all accounts together. */
export const MAX_STORAGE_VALUES = 1024;

const words = list(fixedBytes("word", 32, "common.Hash"));
const byAccount = hexMap("map[common.Address][]common.Hash", address, words);

/** Storage of several accounts at once. @see execution-apis, which the reference does not follow here */
export const storageValues = {
  getStorageValues: method({
    summary: "Values of storage slots of several accounts, 32 bytes each, in the order of the request.",
    params: {
      slots: required(byAccount, `Slots by account; at most ${MAX_STORAGE_VALUES} in all.`),
      block: optional(blockRef, "Block after which the state is read; default latest."),
    },
    result: byAccount,
    scope: "state",
    errors: [NO_BLOCK],
    example: {
      params: [{ [ALICE]: [`0x${"0".repeat(64)}`] }, "latest"],
      result: { [ALICE]: [`0x${"0".repeat(64)}`] },
    },
  }),
};
