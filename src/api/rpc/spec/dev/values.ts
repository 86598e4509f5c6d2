import { InvalidParamsError } from "../../../../protocol/codec/json/errors.ts";
import { wire } from "../../../../protocol/codec/json/object.ts";
import type { Json, Schema } from "../../../../protocol/codec/json/schema.ts";
import { isObject, numberText } from "../../../../protocol/codec/json/value.ts";
import { bigintToFixedBytes } from "../../../../protocol/primitives/bytes.ts";
import type { WireObject } from "../values/wire-types.ts";

const NUMBER = /^-?(?:0[xX][0-9a-fA-F]+|[0-9]+)$/;

/** Maximum length of a decimal number: 256 bits and a sign. */
const MAX_DIGITS = 79;

/** A whole number as tools for development chains write it: JSON number, hex with or without leading zeros, decimal text. */
export const count: Schema<bigint> = {
  title: "number",
  json: { oneOf: [{ type: "integer" }, { type: "string" }] },
  expects: "a whole number, as a JSON number, as 0x-prefixed hex or as decimal text",
  decode(value) {
    const text = typeof value === "string" ? value : numberText(value);
    if (text === undefined || !NUMBER.test(text))
      throw new InvalidParamsError("invalid number", { got: value, expects: count.expects });
    if (text.length > MAX_DIGITS)
      throw new InvalidParamsError("number of more than 256 bits", { got: value, expects: count.expects });
    return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  },
  encode: (value) => `0x${value.toString(16)}`,
};

/** A number that is not negative. */
export const amount: Schema<bigint> = {
  ...count,
  decode(value) {
    const number = count.decode(value);
    if (number < 0n) throw new InvalidParamsError("negative number", { got: value, expects: count.expects });
    return number;
  },
};

/** About an hour of sealing. */
const MAX_BLOCKS = 10_000_000n;

/** A bounded number. @param what - it counts, with the bound, for the error text */
function upTo(max: bigint, what: string): Schema<bigint> {
  const expects = `${what} up to ${max}`;
  return {
    ...amount,
    expects,
    decode(value) {
      const number = amount.decode(value);
      if (number <= max) return number;
      throw new InvalidParamsError(`more than ${max}`, { got: value, expects });
    },
  };
}

/** Interval between block timestamps in seconds or milliseconds, within the range of a date. */
export const spacing: Schema<bigint> = upTo(8_640_000_000_000_000n, "a length of time");

/** Interval between blocks in milliseconds or seconds, within the range of a timer. */
export const timerLength: Schema<bigint> = upTo(2n ** 31n - 1n, "a length of time");

/** Maximum blocks sealed by one call. */
export const blockCount: Schema<bigint> = {
  ...amount,
  expects: `a number of blocks up to ${MAX_BLOCKS}`,
  decode(value) {
    const blocks = amount.decode(value);
    if (blocks <= MAX_BLOCKS) return blocks;
    throw new InvalidParamsError("too many blocks", { got: value, expects: blockCount.expects });
  },
};

/** 32 bytes; shorter hex is a number. */
export const word: Schema<Uint8Array> = {
  title: "word",
  json: { type: "string", pattern: "^0x[0-9a-fA-F]{0,64}$" },
  expects: "a number or up to 32 bytes as 0x-prefixed hex",
  decode(value) {
    const number = value === "0x" ? 0n : amount.decode(value);
    if (number >> 256n !== 0n)
      throw new InvalidParamsError("more than 32 bytes", { got: value, expects: word.expects });
    return bigintToFixedBytes(number, 32);
  },
  encode: (value) => `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
};

/** Results of setters: true as in Hardhat, null as in anvil. */
export type Done = true | null;

/** The result of a setter. */
export const done: Schema<Done> = wire("done", {
  oneOf: [{ const: true }, { type: "null" }],
  description: "true under hardhat_, else null.",
});

/** true, false or null. */
export const answer: Schema<boolean | null> = wire("answer", { type: ["boolean", "null"] });

/** A JSON number. */
export const plainNumber: Schema<number> = wire("number", { type: "integer" });

/** Facts about the node. */
export const facts: Schema<WireObject> = wire("Facts", {
  type: "object",
  description: "An object in the format of the tool with that prefix.",
});

/** How many blocks `evm_mine` seals, and when. */
export interface MineOptions {
  /** Seconds since 1970. */
  readonly timestamp?: bigint;
  readonly blocks?: bigint;
}

/** `evm_mine` takes a time, or an object with `timestamp` and `blocks`. */
export const mineOptions: Schema<MineOptions> = {
  title: "MineOptions",
  json: { oneOf: [{ type: "integer" }, { type: "string" }, { type: "object" }] },
  expects: "a time in seconds since 1970, or an object with timestamp and blocks",
  decode(value) {
    if (!isObject(value)) return { timestamp: amount.decode(value) };
    const { timestamp, blocks } = value;
    return {
      ...(isGiven(timestamp) && { timestamp: amount.decode(timestamp) }),
      ...(isGiven(blocks) && { blocks: blockCount.decode(blocks) }),
    };
  },
  encode: ({ timestamp, blocks }) => ({
    ...(timestamp !== undefined && { timestamp: count.encode(timestamp) }),
    ...(blocks !== undefined && { blocks: count.encode(blocks) }),
  }),
};

/** The target of a reset: `forking` gives the node of the chain to fork, and the block. */
export interface ResetOptions {
  readonly url?: string;
  readonly block?: bigint;
}

/** What `anvil_reset` takes: the chain to fork from, or nothing for a chain that is not a fork. */
export const resetOptions: Schema<ResetOptions> = {
  title: "ResetOptions",
  json: { type: "object" },
  expects: "an object that may have the member forking",
  decode(value) {
    const forking = isObject(value) ? value["forking"] : undefined;
    if (!isGiven(forking) || !isObject(forking)) return {};
    const { jsonRpcUrl: url, blockNumber: block } = forking;
    // viem sends NaN for no number.
    return {
      ...(typeof url === "string" && { url }),
      ...(isGiven(block) && !Number.isNaN(block) && { block: amount.decode(block) }),
    };
  },
  encode: ({ url, block }) => ({
    forking: {
      ...(url !== undefined && { jsonRpcUrl: url }),
      ...(block !== undefined && { blockNumber: count.encode(block) }),
    },
  }),
};

/** An account key: `{ keyType, key }`, or its encoding in hex. */
export const accountKeyArgument: Schema<Json> = wire(
  "AccountKey",
  { oneOf: [{ type: "object" }, { type: "string" }] },
  "an object with keyType and key, or an encoded key as 0x-prefixed hex",
);

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null;
}
