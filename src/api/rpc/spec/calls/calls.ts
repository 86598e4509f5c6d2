import { InvalidParamsError, MismatchError } from "../../../../protocol/codec/json/errors.ts";
import { address, bytes, fixedBytes, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { object, wire } from "../../../../protocol/codec/json/object.ts";
import { optional, required, type Schema, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import { isObject, type Json, kindOf } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { NO_BLOCK, REVERTED } from "../declared-errors.ts";
import { ALICE, BOB, IDENTITY } from "../examples.ts";
import { method } from "../method.ts";
import { blockRef } from "../values/block-ref.ts";
import { callArgs, ethTransactionArgs } from "../values/transaction-args.ts";
import type { WireObject } from "../values/wire-types.ts";
import { callBlockOverrides } from "./block-overrides.ts";

const word = fixedBytes("word", 32, "common.Hash");

/** An object that maps hex keys to values; keys are lower-case hex in memory. */
export function hexMap<T>(
  title: string,
  key: Schema<Uint8Array>,
  value: Schema<T>,
): Schema<ReadonlyMap<string, T>> {
  const expects = `an object from ${key.title} to ${value.title}`;
  return {
    title,
    json: { type: "object", additionalProperties: value.json },
    expects,
    decode(json) {
      if (json === null) return new Map();
      if (!isObject(json)) throw new MismatchError(kindOf(json), title, { got: json, expects });
      const entries = Object.entries(json).map(([name, member]): [string, T] => {
        // Of a wrong key and a wrong value, the reference names the value.
        const decoded = value.decode(member);
        return [bytesToHex(key.decode(name)), decoded];
      });
      return new Map(entries);
    },
    encode: (map) => Object.fromEntries([...map].map(([name, member]) => [name, value.encode(member)])),
  };
}

/** Overrides of an account for a call. */
export const overrideShape = {
  nonce: optional(quantity64, "Nonce to assume."),
  code: optional(bytes, "Code to assume."),
  balance: optional(quantity, "Balance in kei to assume."),
  state: optional(
    hexMap("map[common.Hash]common.Hash", word, word),
    "Storage to assume in place of all of the account's own.",
  ),
  stateDiff: optional(
    hexMap("map[common.Hash]common.Hash", word, word),
    "Storage slots to assume; the others stay.",
  ),
};
const overrideAccount = object("OverrideAccount", overrideShape, { goType: "api.EthOverrideAccount" });

/** Maximum accounts and slots of one set of overrides. */
export const MAX_OVERRIDES = 10_000;

/** Overrides by account. More than `MAX_OVERRIDES` accounts and slots are refused before anything is decoded. */
export function overridesMap<T>(title: string, account: Schema<T>): Schema<ReadonlyMap<string, T>> {
  const map = hexMap(title, address, account);
  return {
    ...map,
    decode(json) {
      checkCount(json);
      return map.decode(json);
    },
  };
}

/** @throws InvalidParamsError */
function checkCount(json: Json): void {
  const accounts = membersOf(json);
  let count = accounts.length;
  for (const account of accounts) for (const member of membersOf(account)) count += membersOf(member).length;
  if (count > MAX_OVERRIDES)
    throw new InvalidParamsError(`more than ${MAX_OVERRIDES} accounts and slots are overridden`);
}

function membersOf(json: Json): Json[] {
  return isObject(json) ? Object.values(json) : [];
}

/** State that a call assumes instead of the real one, by lower-case hex address. */
export const stateOverrides = overridesMap("api.EthStateOverride", overrideAccount);
/** State overrides of a call. */
export type StateOverrides = TypeOf<typeof stateOverrides>;

const block = required(blockRef, "Block after which the call runs.");
const maybeBlock = optional(blockRef, "Block after which the call runs; default latest.");
const overrides = optional(stateOverrides, "State overrides by account.");
/** Release dialects remove this parameter. */
const blockOverrides = optional(
  callBlockOverrides,
  "Block overrides of the call; on development chains without `--compat` only.",
);

/** Calls in the chain namespace. */
export const kaiaCalls = {
  call: method({
    summary: "Executes a call without a transaction and returns its return data.",
    params: { call: required(callArgs, "The call."), block },
    result: bytes,
    scope: "state",
    errors: [REVERTED, NO_BLOCK],
    example: { params: [{ to: IDENTITY, data: "0x6b6169726e" }, "latest"], result: "0x6b6169726e" },
  }),
  estimateGas: method({
    summary: "Lowest gas limit with which a transaction succeeds.",
    params: { call: required(callArgs, "The transaction."), block: maybeBlock, overrides },
    result: quantity64,
    scope: "state",
    errors: [REVERTED, NO_BLOCK],
    example: { params: [{ from: ALICE, to: BOB, value: "0x1" }], result: "0x5208" },
  }),
  estimateComputationCost: method({
    summary: "Computation cost of a call; a transaction may cost 150,000,000 at most.",
    params: { call: required(callArgs, "The call."), block },
    result: quantity64,
    scope: "state",
    errors: [REVERTED, NO_BLOCK],
  }),
};

/** Calls in the eth namespace. */
export const ethCalls = {
  call: method({
    summary: "Executes a call without a transaction and returns its return data.",
    params: { call: required(ethTransactionArgs, "The call."), block, overrides, blockOverrides },
    result: bytes,
    scope: "state",
    errors: [REVERTED, NO_BLOCK],
    example: { params: [{ to: IDENTITY, data: "0x6b6169726e" }, "latest"], result: "0x6b6169726e" },
  }),
  estimateGas: method({
    summary: "Lowest gas limit with which a transaction succeeds.",
    params: {
      call: required(ethTransactionArgs, "The transaction."),
      block: maybeBlock,
      overrides,
      blockOverrides,
    },
    result: quantity64,
    scope: "state",
    errors: [REVERTED, NO_BLOCK],
    example: { params: [{ from: ALICE, to: BOB, value: "0x1" }], result: "0x5208" },
  }),
};

/** Access lists, the same in both namespaces. */
export const accessLists = {
  createAccessList: method({
    summary: "Accounts and slots that a transaction would access.",
    params: {
      call: required(ethTransactionArgs, "The transaction."),
      block: optional(blockRef, "Block after which the call runs; default pending."),
    },
    result: wire<WireObject>("AccessListResult", {
      type: "object",
      description: "`accessList`, `gasUsed`, and `error` when the transaction fails.",
    }),
    scope: "state",
  }),
};
