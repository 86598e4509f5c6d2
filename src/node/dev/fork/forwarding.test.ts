import { describe, expect, it } from "vitest";
import { parameters } from "../../../api/rpc/engine/arguments.ts";
import { encodedText } from "../../../api/rpc/engine/registry.ts";
import { api, devApi, streamApi } from "../../../api/rpc/spec/api.ts";
import { type Method, method } from "../../../api/rpc/spec/method.ts";
import { type Reference, referencesOf, withValueAt } from "../../../api/rpc/spec/references.ts";
import { blockNumber, blockRef } from "../../../api/rpc/spec/values/block-ref.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { hash } from "../../../protocol/codec/json/hex.ts";
import { object, wire } from "../../../protocol/codec/json/object.ts";
import { boolean } from "../../../protocol/codec/json/scalars.ts";
import { optional, required, type Shape } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { RemoteChain } from "./open-fork.ts";
import { readThrough } from "./read-through.ts";

const FORK = 4n;
/** Blocks before and after it, by number and by hash. */
const OLD = ["0x1", `0x${"0a".repeat(32)}`] as const;
const NEW = ["0x6", `0x${"0b".repeat(32)}`] as const;

/** A chain forked at block 4, with its head at `head`; block 6 has the hash of `NEW`. */
function forked(head = 7n, result: Json = "there") {
  const asked: Json[][] = [];
  const turns = { others: 0 };
  const node = {
    call: async (...call: Json[]) => {
      asked.push(call);
      return result;
    },
    pace: { isDue: () => true, yield: async () => void turns.others++ },
    callExactly: (...call: Json[]) => node.call(...call),
    callEach: async () => [],
  };
  const isNew = (bytes: Uint8Array) => bytes[0] === 0x0b;
  const chain = {
    head: { header: { number: head } } as Blockchain["head"],
    number: (bytes: Uint8Array) => (isNew(bytes) ? 6n : undefined),
    locate: () => undefined,
    transactionHashBySender: () => undefined,
  } as unknown as Blockchain;
  const fork = {
    node,
    dialect: "kaia",
    point: { number: FORK, chainId: 1n },
    cache: { markPrefetched: () => false },
  } as unknown as RemoteChain;
  const answer = readThrough({ fork, chain, pool: { get: () => undefined } });
  const call = async (name: string, declaration: Method, params: Json[]) => {
    const bound = { declaration, parameters: parameters(declaration.params), handler: () => undefined };
    return JSON.parse(String(encodedText(await answer(name, params, () => "here", bound))));
  };
  return { call, asked, turns };
}

/** Arguments for parameters that are no references, by the titles of their schemas. */
const SAMPLES: Readonly<Record<string, Json>> = {
  address: `0x${"00".repeat(20)}`,
  DATA: "0x00",
  QUANTITY: "0x1",
  boolean: false,
  string: "0x0",
  integer: 0,
  count: "0x1",
  Simulation: { blockStateCalls: [] },
};

function isHash(params: Shape, { name, member }: Reference): boolean {
  const schema = params[name]?.schema;
  return (member === undefined ? schema : schema?.members?.[member]?.schema)?.denotes === "hash";
}

/** Arguments of a method in which a place, every required one and the ends of a range refer to a block. */
function argumentsFor(
  { params, blocks }: Method,
  place: Reference,
  [number, hashed]: readonly [string, string],
): Json[] {
  const isByHash = isHash(params, place);
  const required = Object.values(params).findLastIndex(({ optional }) => !optional);
  const ends = blocks === undefined || isByHash ? {} : { fromBlock: number, toBlock: number };
  const given = Object.values(params).map(({ schema, optional }): Json => {
    if (optional) return null;
    if (schema.denotes === "block") return number;
    if (schema.denotes === "hash") return hashed;
    if (schema.title in SAMPLES) return SAMPLES[schema.title] as Json;
    return schema.json["type"] === "object" ? ends : [];
  });
  return withValueAt(given, place, isByHash ? hashed : number).slice(0, Math.max(place.index, required) + 1);
}

const reading = Object.entries({ ...api, ...devApi, ...streamApi } as Record<string, Method>).filter(
  ([, { scope }]) => scope === "chain" || scope === "state",
);
const referring = reading.flatMap(([name, declaration]) =>
  referencesOf(declaration.params, "block", "hash").map(
    (place) => [`${name} by ${place.member ?? place.name}`, name, declaration, place] as const,
  ),
);

it("writes a long result of the other chain in turns with other work", async () => {
  const list = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  const { call, turns } = forked(7n, list);
  expect(await call("eth_getBlockByNumber", api.eth_getBlockByNumber, [OLD[0], false])).toEqual(list);
  expect(turns.others).toBeGreaterThan(200);
});

describe("a method that refers to blocks", () => {
  it("is one of many", () => {
    expect(referring.length).toBeGreaterThan(100);
  });

  it.each(referring)(
    "%s is answered by the other chain up to the fork",
    async (_, name, declaration, place) => {
      const { call, asked } = forked();
      const params = argumentsFor(declaration, place, OLD);
      expect(await call(name, declaration, params)).toBe("there");
      expect(asked).toEqual([[name, ...params]]);
    },
  );

  it.each(referring)("%s is answered here after the fork", async (_, name, declaration, place) => {
    const { call, asked } = forked();
    expect(await call(name, declaration, argumentsFor(declaration, place, NEW))).toBe("here");
    expect(asked).toEqual([]);
  });

  it("names in no parameter a block that its schema does not denote", () => {
    const aBlock =
      /^(the block|block after|blocks (before|after) this|(number|hash) of the .*block|(first|last|after which) block)/i;
    const named = reading.flatMap(([name, { params }]) =>
      Object.entries(params)
        .filter(([, { doc }]) => aBlock.test(doc))
        .map(([parameter]) => `${name} ${parameter}`),
    );
    const denoted = new Set(referring.map(([, name, , place]) => `${name} ${place.name}`));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((each) => !denoted.has(each))).toEqual([]);
  });
});

describe("a method nobody has heard of", () => {
  const weighed = (params: Shape, scope: "chain" | "state" = "chain"): Method =>
    method({ summary: "", params, result: wire<Json>("any", {}), scope });
  const filter = object("Odd", {
    since: optional(blockNumber, "First block."),
    exact: optional(hash, "A block."),
    loud: optional(boolean, "Whether."),
  });
  const range = weighed({
    first: required(blockNumber, "First block."),
    last: optional(blockNumber, "Last block."),
  });
  const filtered = weighed({ filter: required(filter, "Which.") });

  it.each([
    ["a range", range, ["0x1", "0x3"], "there"],
    ["a range after the fork", range, ["0x5", "0x6"], "here"],
    ["a range that begins with the fork point", range, ["0x4", "0x6"], "here"],
    ["a number in a filter", filtered, [{ since: "0x2" }], "there"],
    ["a newer number in a filter", filtered, [{ since: "0x5" }], "here"],
    ["a hash in a filter", filtered, [{ exact: OLD[1], loud: true }], "there"],
    ["a newer hash in a filter", filtered, [{ exact: NEW[1] }], "here"],
    ["no block", filtered, [{ loud: true }], "here"],
    ["a state before the fork", weighed({ at: required(blockRef, "") }, "state"), ["0x3"], "there"],
    ["the state of the fork point", weighed({ at: required(blockRef, "") }, "state"), ["0x4"], "here"],
  ] as const)("works by itself with %s", async (_, declaration, params, expected) => {
    expect(await forked().call("odd_weigh", declaration, [...params])).toBe(expected);
  });

  it("is refused for blocks before and after the fork that nobody can join", async () => {
    await expect(forked().call("odd_weigh", range, ["0x1", "0x6"])).rejects.toThrow(
      "blocks up to 4 are on the forked chain: ask for them and for later ones separately",
    );
  });

  it("asks for the fork point by its number where that is the newest block, or was left out", async () => {
    const { call, asked } = forked(FORK);
    const one = weighed({ loud: optional(boolean, ""), at: optional(blockNumber, "") });
    for (const params of [[true, "latest"], [true], []]) await call("kaia_weigh", one, params);
    await call("klay_weigh", filtered, [{ since: "latest" }]);
    expect(asked).toEqual([
      ["kaia_weigh", true, "0x4"],
      ["kaia_weigh", true, "0x4"],
      ["kaia_weigh", null, "0x4"],
      ["kaia_weigh", { since: "0x4" }],
    ]);
  });
});
