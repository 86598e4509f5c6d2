import { describe, expect, it } from "vitest";
import { addFilters, type Every, type Filter } from "../methods/filters.ts";
import type { Namespace } from "../methods/namespaces.ts";
import { addContracts } from "./contracts.ts";

const TOKEN = `0x${"11".repeat(20)}`;
const OWNER = `0x${"22".repeat(20)}`;
const word = (digits: string) => digits.padStart(64, "0");
const uint = (name: string, indexed = false) => ({ name, type: "uint256", indexed });
const address = (name: string, indexed = false) => ({ name, type: "address", indexed });
const abi = [
  { type: "constructor", inputs: [uint("supply")] },
  {
    type: "function",
    name: "balanceOf",
    inputs: [address("owner")],
    outputs: [uint("")],
    stateMutability: "view",
  },
  { type: "function", name: "transfer", inputs: [address("to"), uint("value")], outputs: [{ type: "bool" }] },
  { type: "function", name: "transfer", inputs: [uint("value")], outputs: [] },
  { type: "function", name: "pair", inputs: [], outputs: [uint("a"), address("b")], stateMutability: "view" },
  { type: "function", name: "toString", inputs: [], outputs: [{ type: "string" }], stateMutability: "pure" },
  { type: "event", name: "Transfer", inputs: [address("from", true), address("to", true), uint("value")] },
];
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** A module that records its calls, and returns results from a table. */
function setUp(answers: Record<string, unknown> = {}) {
  const calls: [string, ...unknown[]][] = [];
  const works: (() => void)[] = [];
  const every: Every = (work) => {
    works.push(work);
    return () => void works.splice(works.indexOf(work), 1);
  };
  const names = "call sendTransaction estimateGas getLogs getTransactionReceipt newFilter newBlockFilter";
  const space: Namespace = {};
  for (const name of [...names.split(" "), "getFilterChanges", "uninstallFilter"])
    space[name] = (...args: unknown[]) => {
      calls.push([name, ...args]);
      return answers[name];
    };
  addContracts(space, every);
  addFilters(space, every);
  const factory = (space["contract"] as (abi: unknown) => Record<string, (...args: unknown[]) => unknown>)(
    abi,
  );
  // biome-ignore lint/suspicious/noExplicitAny: members come from the ABI.
  const token = factory["at"]?.(TOKEN) as any;
  const filter = space["filter"] as (wanted: unknown) => Filter;
  return { calls, works, space, factory, token, filter };
}

describe("contracts of the console", () => {
  it("call functions that only read, at a block", () => {
    const { calls, token } = setUp({ call: `0x${word("2a")}` });
    expect(token.balanceOf(OWNER)).toBe(42n);
    expect(token.balanceOf(OWNER, { from: OWNER }, 5)).toBe(42n);
    const data = `0x70a08231${word("22".repeat(20))}`;
    expect(calls).toEqual([
      ["call", { to: TOKEN, data }, "latest"],
      ["call", { from: OWNER, to: TOKEN, data }, 5],
    ]);
  });

  it("send transactions for the others, from the given account or the default one", () => {
    const { calls, space, token } = setUp({ sendTransaction: "0xhash" });
    const data = `0xa9059cbb${word("22".repeat(20))}${word("5")}`;
    expect(() => token.transfer(OWNER, 5)).toThrow("no sender");
    expect(token.transfer(OWNER, "5", { from: TOKEN, gas: 9 })).toBe("0xhash");
    space["defaultAccount"] = OWNER;
    token.transfer(OWNER, 5n);
    expect(calls).toEqual([
      ["sendTransaction", { from: TOKEN, gas: 9, to: TOKEN, data }],
      ["sendTransaction", { from: OWNER, to: TOKEN, data }],
    ]);
    expect(token.transfer.getData(OWNER, 5)).toBe(data);
  });

  it("distinguish overloads by their types, and shadow names of every object", () => {
    const { token } = setUp({ call: `0x${word("20")}${word("2")}${"6f6b".padEnd(64, "0")}` });
    expect(token.transfer["address,uint256"]).toBe(token.transfer);
    expect(token.transfer.uint256.getData(1)).toMatch(/^0x12514bba/);
    expect(token.toString()).toBe("ok");
    expect(String({})).toBe("[object Object]");
  });

  it("name results, and report wrong arguments", () => {
    const { token } = setUp({ call: `0x${word("1")}${word("22".repeat(20))}` });
    expect(token.pair()).toEqual({ a: 1n, b: OWNER });
    expect(() => token.balanceOf()).toThrow("missing argument owner");
    expect(() => token.balanceOf("0x12")).toThrow("address takes 20 bytes, not 1");
    expect(() => token.balanceOf("me")).toThrow("argument owner (address): takes bytes as 0x and hex digits");
    expect(() => setUp({ call: "0x" }).token.pair()).toThrow("is there a contract at this address?");
  });

  it("are deployed by new, with their address once in a block", () => {
    const data = `0x6001${word("7")}`;
    const { calls, factory } = setUp({
      sendTransaction: "0xhash",
      getTransactionReceipt: { contractAddress: TOKEN },
    });
    expect(factory["new"]?.(7, { from: OWNER, data: "0x6001" })).toMatchObject({
      address: TOKEN,
      transactionHash: "0xhash",
    });
    expect(calls[0]).toEqual(["sendTransaction", { from: OWNER, data }]);
    expect(factory["getData"]?.(7, { data: "6001" })).toBe(data);
    const waiting = setUp({ sendTransaction: "0xhash", getTransactionReceipt: null }).factory;
    expect(waiting["new"]?.(7, { from: OWNER, data: "0x6001" })).toEqual({
      transactionHash: "0xhash",
      address: undefined,
    });
  });

  it("find their events by indexed values and show them by name", () => {
    const log = {
      blockNumber: 3,
      topics: [TRANSFER, `0x${word("11".repeat(20))}`, `0x${word("22".repeat(20))}`],
      data: `0x${word("5")}`,
    };
    const other = { topics: [`0x${word("1")}`], data: "0x" };
    const { calls, token } = setUp({ getLogs: [log, other] });
    const shown = { blockNumber: 3, event: "Transfer", args: { from: TOKEN, to: OWNER, value: 5n } };
    expect(token.Transfer({ to: OWNER }, { fromBlock: 1 }).get()).toEqual([shown, other]);
    expect(calls[0]).toEqual([
      "getLogs",
      { fromBlock: 1, address: TOKEN, topics: [TRANSFER, null, `0x${word("22".repeat(20))}`] },
    ]);
    token.allEvents().get();
    expect(calls[1]).toEqual(["getLogs", { address: TOKEN, topics: [] }]);
    expect(() => token.Transfer({ value: 5 })).toThrow("no indexed parameter value");
  });
});

describe("filters of the console", () => {
  it("call back with new items until they are stopped", () => {
    const { calls, works, filter } = setUp({
      newBlockFilter: "0x1",
      getFilterChanges: ["0xa", "0xb"],
      uninstallFilter: true,
    });
    const found: unknown[] = [];
    const blocks = filter("latest").watch((_, block) => found.push(block));
    works[0]?.();
    expect(found).toEqual(["0xa", "0xb"]);
    expect(blocks.stopWatching()).toBe(true);
    expect(works).toEqual([]);
    expect(blocks.stopWatching()).toBe(false);
    expect(calls.map(([name]) => name)).toEqual(["newBlockFilter", "getFilterChanges", "uninstallFilter"]);
  });

  it("end when the node has failed", () => {
    const { works, space, filter } = setUp({ newFilter: "0x1" });
    space["getFilterChanges"] = () => {
      throw new Error("filter not found");
    };
    const failures: unknown[] = [];
    filter({ address: TOKEN }).watch((error) => failures.push(error?.message));
    works[0]?.();
    expect([failures, works]).toEqual([["filter not found"], []]);
  });

  it("reject unknown criteria", () => {
    expect(() => setUp().filter("newest")).toThrow('filter takes "latest", "pending"');
  });
});
