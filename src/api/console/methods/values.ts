import type { Json } from "../../../protocol/codec/json/value.ts";
import { NumberLiteral } from "../../../protocol/codec/json/value.ts";
import type { JsonShape } from "./catalogue.ts";

/** Members of rendered objects that count something; they fit a JavaScript number. */
const COUNTS = new Set([
  "blockNumber",
  "cumulativeGasUsed",
  "currentBlock",
  "gas",
  "gasLimit",
  "gasUsed",
  "highestBlock",
  "logIndex",
  "nonce",
  "number",
  "oldestBlock",
  "size",
  "startingBlock",
  "timestamp",
  "timestampFoS",
  "transactionIndex",
]);

/** Members of rendered objects that are amounts or prices; always bigints, whatever their size. */
const AMOUNTS = new Set([
  "balance",
  "baseFeePerGas",
  "blockscore",
  "difficulty",
  "effectiveGasPrice",
  "gasPrice",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
  "reward",
  "totalBlockScore",
  "totalDifficulty",
  "value",
]);

const QUANTITY = /^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$/;
/** Length of a quantity of 64 bits: `0x` and 16 digits. */
const LENGTH_OF_COUNT = 18;

/**
 * A result for the user: counts as numbers, amounts as bigints, everything else unchanged.
 * @param shape - the declared type of the result; where it is silent, names of members decide
 */
export function toConsoleValue(value: Json | undefined, shape: JsonShape, member = ""): unknown {
  if (value === undefined || value === null) return value;
  if (value instanceof NumberLiteral) return exactNumber(value.text);
  if (typeof value === "string") return quantityOr(value, shape, member);
  if (Array.isArray(value)) {
    const items = (shape["items"] ?? {}) as JsonShape;
    return value.map((item) => toConsoleValue(item, items, member));
  }
  if (typeof value !== "object") return value;
  const alternative = alternatives(shape).find((one) => one["type"] === "object") ?? shape;
  const members = (alternative["properties"] ?? {}) as Record<string, JsonShape>;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, toConsoleValue(one, members[name] ?? {}, name)]),
  );
}

function alternatives(shape: JsonShape): readonly JsonShape[] {
  // Both keywords hold a list of schemas, which the recursive type cannot express.
  return (shape["anyOf"] ?? shape["oneOf"] ?? [shape]) as unknown as readonly JsonShape[];
}

function exactNumber(text: string): number | bigint {
  return /^-?\d{16,}$/.test(text) ? BigInt(text) : Number(text);
}

function quantityOr(text: string, shape: JsonShape, member: string): unknown {
  if (!QUANTITY.test(text)) return text;
  const declared = quantityShape(shape);
  const isCount = declared ? Number(declared["maxLength"]) <= LENGTH_OF_COUNT : COUNTS.has(member);
  if (!isCount) return declared || AMOUNTS.has(member) ? BigInt(text) : text;
  const count = BigInt(text);
  return count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : count;
}

function quantityShape(shape: JsonShape): JsonShape | undefined {
  return alternatives(shape).find((one) => one["pattern"] === QUANTITY.source);
}

/**
 * An argument in the form the node expects: numbers are written in hex unless the declaration asks for a JSON
 * integer.
 * @throws Error for values without a JSON form: fractions of a quantity, functions
 */
export function toArgument(value: unknown, shape: JsonShape): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint" || typeof value === "number") return numberArgument(value, shape);
  if (typeof value === "string") return decimalArgument(value, shape);
  if (Array.isArray(value)) {
    const items = (shape["items"] ?? {}) as JsonShape;
    return value.map((item) => toArgument(item, items));
  }
  if (typeof value === "function" || typeof value === "symbol")
    throw new Error(`a ${typeof value} is not an argument for a node`);
  if (typeof value !== "object") return value as boolean;
  const members = (shape["properties"] ?? {}) as Record<string, JsonShape>;
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(known.map(([name, one]) => [name, toArgument(one, members[name] ?? {})]));
}

function numberArgument(value: bigint | number, shape: JsonShape): Json {
  const kinds = alternatives(shape);
  const asText = kinds.some(({ type }) => type === "string");
  if (!asText && (typeof value === "number" || kinds.some(({ type }) => type === "integer")))
    return Number(value);
  if (!Number.isInteger(Number(value))) throw new Error(`${value} is not a whole number`);
  if (value < 0) return Number(value);
  return `0x${BigInt(value).toString(16)}`;
}

/** Decimal strings, as returned by `toKei`, count as numbers where a quantity or a block number is declared. */
function decimalArgument(text: string, shape: JsonShape): Json {
  const takesNumber =
    quantityShape(shape) !== undefined || alternatives(shape).some(({ type }) => type === "integer");
  if (!/^\d+$/.test(text) || !takesNumber) return text;
  return numberArgument(BigInt(text), shape);
}
