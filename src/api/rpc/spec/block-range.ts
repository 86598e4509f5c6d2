import { isObject, type Json, NumberLiteral, numberText } from "../../../protocol/codec/json/value.ts";
import { encodeNumber } from "./values/block-ref.ts";
import { isWhole } from "./values/exact-json.ts";

/** The blocks that a call is about. The last may be below the first: then there are none. */
export interface BlockRange {
  readonly first: bigint;
  readonly last: bigint;
  /** The positional arguments of the same call about some of the blocks. */
  within(values: readonly Json[], first: bigint, last: bigint): readonly Json[];
  /** The response about all blocks from those about its halves; absent = it does not follow from them. @throws JoinError */
  join?(earlier: Json, later: Json): Json;
}

/** A response that cannot be joined; the message completes "the response …". */
export class JoinError extends Error {
  override name = "JoinError";
}

/** Writes the ends of a range into the arguments at two positions. */
export function atPositions(first: number, last: number): BlockRange["within"] {
  return (values, from, to) =>
    values.map((value, i) => (i === first ? encodeNumber(from) : i === last ? encodeNumber(to) : value));
}

/** Writes the ends of a range into the members `fromBlock` and `toBlock` of the first argument. */
export const inFilter: BlockRange["within"] = ([filter, ...others], from, to) => [
  { ...objectOf(filter), fromBlock: encodeNumber(from), toBlock: encodeNumber(to) },
  ...others,
];

/** Joins lists: the elements of the earlier blocks come first. @throws JoinError */
export function joinedLists(earlier: Json, later: Json): Json[] {
  return [...listOf(earlier), ...listOf(later)];
}

/** Joins objects that have a member for each block. @throws JoinError */
export function joinedMembers(earlier: Json, later: Json): Json {
  return { ...objectOf(earlier), ...objectOf(later) };
}

/** Joins fee histories. @throws JoinError */
export function joinedFees(earlier: Json, later: Json): Json {
  const [first, last] = [objectOf(earlier), objectOf(later)];
  const blocks = listOf(first["gasUsedRatio"]).length;
  const joined: Record<string, Json> = { ...last, oldestBlock: first["oldestBlock"] ?? null };
  for (const name of ["baseFeePerGas", "blobBaseFeePerGas", "gasUsedRatio", "reward"]) {
    // Base fees have one more entry, that of the block after the last one.
    if (!(name in last)) continue;
    if (!(name in first)) delete joined[name];
    else joined[name] = [...listOf(first[name]).slice(0, blocks), ...listOf(last[name])];
  }
  return joined;
}

/**
 * Joins sums of rewards: times and numbers of the ends, totals, and `rewards` by address.
 * @throws JoinError also if an amount is none
 */
export function joinedRewards(earlier: Json, later: Json): Json {
  const [first, last] = [objectOf(earlier), objectOf(later)];
  const joined: Record<string, Json> = { ...first };
  for (const [name, value] of Object.entries(last)) {
    if (name.startsWith("last")) joined[name] = value;
    if (name.startsWith("total")) joined[name] = sum(first[name], value);
  }
  const rewards = { ...objectOf(first["rewards"]) };
  for (const [address, amount] of Object.entries(objectOf(last["rewards"])))
    rewards[address] = sum(rewards[address], amount);
  const sorted = Object.entries(rewards).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...joined, rewards: Object.fromEntries(sorted) };
}

function sum(a: Json | undefined, b: Json): Json {
  return new NumberLiteral(String(amountOf(a ?? 0) + amountOf(b)));
}

function amountOf(value: Json): bigint {
  const text = numberText(value) ?? "";
  if (!isWhole(text)) throw new JoinError("has an amount that is not a whole number below 10^78");
  return BigInt(text);
}

/** @throws JoinError if a value is neither a list nor absent, which `null` is too: the reference sends it for an empty list */
function listOf(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null) return [];
  throw new JoinError("has something else in place of a list");
}

/** @throws JoinError if a value is neither an object nor absent */
function objectOf(value: Json | undefined): { readonly [key: string]: Json } {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new JoinError("has something else in place of an object");
}
