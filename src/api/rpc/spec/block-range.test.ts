import { expect, it } from "vitest";
import { readExactly } from "../../../protocol/codec/json/parse.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import {
  atPositions,
  inFilter,
  JoinError,
  joinedFees,
  joinedLists,
  joinedMembers,
  joinedRewards,
} from "./block-range.ts";
import { exactOf, exactText } from "./values/exact-json.ts";

function parsed(text: string): Json {
  const exact = readExactly(text);
  if (!("value" in exact)) throw new Error(exact.syntaxError);
  return exact.value;
}

it("writes the ends of a range into positions or members, and keeps the rest", () => {
  expect(atPositions(1, 2)(["a", "latest", "0x9", "b"], 3n, 16n)).toEqual(["a", "0x3", "0x10", "b"]);
  expect(inFilter([{ address: "a", toBlock: "latest" }, "b"], 3n, 16n)).toEqual([
    { address: "a", fromBlock: "0x3", toBlock: "0x10" },
    "b",
  ]);
});

it("joins lists and members, the earlier ones first", () => {
  expect(joinedLists([1], [2, 3])).toEqual([1, 2, 3]);
  expect(joinedLists(null, [2])).toEqual([2]);
  expect(Object.entries(joinedMembers({ b: 1 }, { a: 2 }) as object)).toEqual([
    ["b", 1],
    ["a", 2],
  ]);
});

it("refuses a response of another form, which would leave out its blocks, but takes null for none", () => {
  for (const other of [5, "x", true, {}]) expect(() => joinedLists(other, [2])).toThrow(JoinError);
  for (const other of [5, "x", true, []]) {
    for (const join of [joinedMembers, joinedFees, joinedRewards])
      expect(() => join(other, { a: 2 })).toThrow(JoinError);
  }
  expect(joinedMembers(null, { a: 2 })).toEqual({ a: 2 });
  expect(() => joinedFees({ gasUsedRatio: {} }, { gasUsedRatio: [1] })).toThrow(JoinError);
});

it("adds up rewards with all their digits", () => {
  const earlier = parsed(
    '{"firstBlockTime":1,"lastBlockTime":3,"firstBlock":1,"lastBlock":3,"totalMinted":9600000000000000001,"rewards":{"0x02":9600000000000000001}}',
  );
  const later = parsed(
    '{"firstBlockTime":4,"lastBlockTime":5,"firstBlock":4,"lastBlock":5,"totalMinted":6400000000000000002,"rewards":{"0x01":1,"0x02":6400000000000000001}}',
  );
  expect(exactText(exactOf(joinedRewards(earlier, later)))).toBe(
    '{"firstBlockTime":1,"lastBlockTime":5,"firstBlock":1,"lastBlock":5,"totalMinted":16000000000000000003,"rewards":{"0x01":1,"0x02":16000000000000000002}}',
  );
});

it.each(["1e400", "1.5", '"5"', "9".repeat(79), "9".repeat(2_000_000)])(
  "refuses an amount that is none, before it is computed with",
  (amount) => {
    const own = parsed('{"totalMinted":1,"rewards":{"0x01":1}}');
    for (const text of [`{"totalMinted":${amount},"rewards":{}}`, `{"rewards":{"0x01":${amount}}}`])
      expect(() => joinedRewards(parsed(text), own)).toThrow(JoinError);
  },
);

it("computes nothing with a number longer than amounts are", () => {
  expect(exactText(exactOf(parsed(`[${"9".repeat(78)},1e30]`)))).toBe(`[${"9".repeat(78)},1e+30]`);
  expect(exactOf(parsed(`[${"9".repeat(2_000_000)}]`))).toEqual([Number.POSITIVE_INFINITY]);
});
