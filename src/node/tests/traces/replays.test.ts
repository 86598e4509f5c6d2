import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

// `vmTrace` and `stateDiff` in OpenEthereum's format, as serialised by it, Erigon and reth.

const STORES = `0x${"74".repeat(20)}`;
const CALLS = `0x${"75".repeat(20)}`;
const FAILS = `0x${"76".repeat(20)}`;
const COPIES = `0x${"77".repeat(20)}`;
const NOWHERE = `0x${"78".repeat(20)}`;
/** Stores 7 in slot 1, then returns slot 1. */
const STORE_CODE = "0x600760015560015460005260206000f3";
/** Calls STORES, keeps the word it returns, then ends. */
const CALL_CODE = `0x602060206000600060007374${"74".repeat(19)}61fffff1806003553450`;
/** Pushes, then jumps where it must not. */
const FAIL_CODE = "0x600156";
/** DUP2, SWAP1, MSTORE8, a call of the identity contract. */
const COPY_CODE = "0x60056006819060005360026020600160006000600461fffff15000";
const GAS = "0x30d40";
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

interface Step {
  readonly op: string;
  readonly ex: { mem: unknown; push: string[]; store: unknown; used: number } | null;
  readonly cost: number;
  readonly pc: number;
  readonly sub: Vm | null;
}
interface Vm {
  readonly code: string;
  readonly ops: readonly Step[];
}
interface Replay {
  readonly output: string;
  readonly stateDiff: Record<string, { storage: object } & Record<string, unknown>>;
  readonly trace: readonly unknown[];
  readonly vmTrace: Vm;
}

let node: Node;
let from: string;
let other: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const replay = (...params: unknown[]) => call("trace_call", ...params) as Promise<Replay>;
const send = async (fields: object) => {
  const hash = (await call("eth_sendTransaction", { from, gas: GAS, ...fields })) as string;
  return { hash, receipt: (await call("eth_getTransactionReceipt", hash)) as Record<string, string> };
};

beforeAll(async () => {
  node = await createNode({ http: { port: 0 } });
  [from = "", other = ""] = (await call("eth_accounts")) as string[];
  for (const [address, code] of [
    [STORES, STORE_CODE],
    [CALLS, CALL_CODE],
    [FAILS, FAIL_CODE],
    [COPIES, COPY_CODE],
  ])
    await call("anvil_setCode", address, code);
});
afterAll(() => node.stop());

describe("vmTrace", () => {
  const stepsOf = async (to: string) => (await replay({ from, to, gas: GAS }, ["vmTrace"])).vmTrace.ops;

  it("shows each step with its pushes, writes and remaining gas, and nothing that was not requested", async () => {
    const shown = await replay({ from, to: STORES, gas: GAS }, ["vmTrace"]);
    expect(shown).toMatchObject({ output: word(7), stateDiff: null, trace: [] });
    const { code, ops } = shown.vmTrace;
    expect(code).toBe(STORE_CODE);
    const start = 0x30d40 - 21_000;
    const step = (pc: number, op: string, cost: number, used: number, rest: object = {}) => ({
      ...{ pc, op, cost, sub: null },
      ex: { mem: null, push: [], store: null, used, ...rest },
    });
    const afterStore = start - 6 - 22_100;
    expect(ops).toEqual([
      step(0, "PUSH1", 3, start - 3, { push: ["0x7"] }),
      step(2, "PUSH1", 3, start - 6, { push: ["0x1"] }),
      step(4, "SSTORE", 22_100, afterStore, { store: { key: "0x1", val: "0x7" } }),
      step(5, "PUSH1", 3, afterStore - 3, { push: ["0x1"] }),
      step(7, "SLOAD", 100, afterStore - 103, { push: ["0x7"] }),
      step(8, "PUSH1", 3, afterStore - 106, { push: ["0x0"] }),
      step(10, "MSTORE", 6, afterStore - 112, { mem: { data: word(7), off: 0 } }),
      step(11, "PUSH1", 3, afterStore - 115, { push: ["0x20"] }),
      step(13, "PUSH1", 3, afterStore - 118, { push: ["0x0"] }),
      step(15, "RETURN", 0, afterStore - 118),
    ]);
  });

  it("nests the steps of a call, and shows its result afterwards", async () => {
    const step = (await stepsOf(CALLS)).find(({ op }) => op === "CALL");
    expect(step?.sub?.code).toBe(STORE_CODE);
    expect(step?.sub?.ops).toHaveLength(10);
    expect(step?.ex).toMatchObject({ push: ["0x1"], mem: { data: word(7), off: 32 }, store: null });
    const inner = step?.sub?.ops.at(-1)?.ex?.used ?? 0;
    expect(step?.ex?.used).toBeGreaterThan(inner);
  });

  it("treats the results of DUP and SWAP as pushed, and shows no steps of precompiled contracts", async () => {
    const ops = await stepsOf(COPIES);
    const named = (name: string) => ops.find(({ op }) => op === name);
    expect(named("DUP2")?.ex?.push).toEqual(["0x5", "0x6", "0x5"]);
    expect(named("SWAP1")?.ex?.push).toEqual(["0x5", "0x6"]);
    expect(named("MSTORE8")?.ex?.mem).toEqual({ data: "0x06", off: 0 });
    expect(named("CALL")).toMatchObject({ sub: null, ex: { mem: { data: "0x0600", off: 32 } } });
  });

  it("shows no effects of a failed step", async () => {
    const ops = await stepsOf(FAILS);
    expect(ops.map(({ op, ex }) => [op, ex !== null])).toEqual([
      ["PUSH1", true],
      ["JUMP", false],
    ]);
    const starved = await replay({ from, to: STORES, gas: "0x5300" }, ["vmTrace"]);
    expect(starved.output).toBe("0x");
    expect(starved.vmTrace.ops.at(-1)).toMatchObject({ op: "SSTORE", ex: null });
  });

  it("is empty if no code runs, and has the init code of a creation", async () => {
    expect((await replay({ from, to: other, gas: GAS }, ["vmTrace"])).vmTrace).toEqual({
      code: "0x",
      ops: [],
    });
    const created = await replay({ from, data: "0x60016000526001601ff3", gas: GAS }, ["vmTrace"]);
    expect(created).toMatchObject({ output: "0x01", vmTrace: { code: "0x60016000526001601ff3" } });
  });
});

describe("stateDiff", () => {
  it("shows the changes of a transaction: who paid, who received, which slots", async () => {
    const before = BigInt((await call("eth_getBalance", from, "latest")) as string);
    const nonce = Number(await call("eth_getTransactionCount", from, "latest"));
    const { hash, receipt } = await send({ to: STORES, value: "0x5", gasPrice: "0xba43b7400" });
    const fee = BigInt(receipt["gasUsed"] as string) * BigInt(receipt["effectiveGasPrice"] as string);
    const shown = (await call("trace_replayTransaction", hash, ["stateDiff"])) as Replay;
    expect(shown).toMatchObject({ output: word(7), trace: [], vmTrace: null });
    expect(shown.stateDiff[from]).toEqual({
      balance: { "*": { from: `0x${before.toString(16)}`, to: `0x${(before - 5n - fee).toString(16)}` } },
      ...{ code: "=", storage: {} },
      nonce: { "*": { from: `0x${nonce.toString(16)}`, to: `0x${(nonce + 1).toString(16)}` } },
    });
    expect(shown.stateDiff[STORES]).toEqual({
      balance: { "*": { from: "0x0", to: "0x5" } },
      ...{ code: "=", nonce: "=" },
      storage: { [word(1)]: { "*": { from: word(0), to: word(7) } } },
    });
    const addresses = Object.keys(shown.stateDiff);
    expect(addresses).toEqual([...addresses].sort());
  });

  it("shows new accounts and contracts as created", async () => {
    const { hash } = await send({ to: NOWHERE, value: "0x9" });
    const { stateDiff } = (await call("trace_replayTransaction", hash, ["stateDiff"])) as Replay;
    expect(stateDiff[NOWHERE]).toEqual({
      ...{ balance: { "+": "0x9" }, code: { "+": "0x" }, nonce: { "+": "0x0" }, storage: {} },
    });
    const init = "0x600960025560016000526001601ff3";
    const { hash: created, receipt } = await send({ data: init });
    const [shown] = (await call("trace_replayBlockTransactions", receipt["blockNumber"], [
      "stateDiff",
      "trace",
    ])) as [Replay & { transactionHash: string }];
    expect(shown.transactionHash).toBe(created);
    expect(shown.trace).toHaveLength(1);
    expect(shown.stateDiff[receipt["contractAddress"] as string]).toEqual({
      ...{ balance: { "+": "0x0" }, code: { "+": "0x01" }, nonce: { "+": "0x1" } },
      storage: { [word(2)]: { "+": word(9) } },
    });
  });

  it("omits fees and credit for them from calls, and reverted changes everywhere", async () => {
    const shown = await replay({ from, to: other, value: "0x3", gas: GAS }, ["stateDiff"]);
    const [mine, theirs] = [shown.stateDiff[from], shown.stateDiff[other]];
    const moved = (row: unknown) => {
      const { from: was, to: is } = (row as { balance: { "*": { from: string; to: string } } }).balance["*"];
      return BigInt(is) - BigInt(was);
    };
    expect([moved(mine), moved(theirs)]).toEqual([-3n, 3n]);
    const failed = await replay({ from, to: FAILS, gas: GAS, value: "0x1" }, ["stateDiff"]);
    expect(Object.keys(failed.stateDiff)).toEqual([from]);
    expect(failed.stateDiff[from]).toMatchObject({ balance: "=" });
  });

  it("replays a transaction after the earlier ones of its block", async () => {
    await call("evm_setAutomine", false);
    const first = (await call("eth_sendTransaction", { from, to: other, value: "0x1", gas: GAS })) as string;
    const second = (await call("eth_sendTransaction", { from, to: other, value: "0x2", gas: GAS })) as string;
    await call("evm_mine");
    await call("evm_setAutomine", true);
    const shown = (await call("trace_replayBlockTransactions", "latest", ["stateDiff"])) as Replay[];
    const balances = shown.map(
      ({ stateDiff }) => stateDiff[other]?.["balance"] as { "*": Record<string, string> },
    );
    expect(balances[1]?.["*"]["from"]).toBe(balances[0]?.["*"]["to"]);
    const alone = (await call("trace_replayTransaction", second, ["stateDiff"])) as Replay;
    expect(alone.stateDiff).toEqual(shown[1]?.stateDiff);
    expect(first).not.toBe(second);
  });
});

describe("trace_callMany", () => {
  const many = (calls: unknown[], ...rest: unknown[]) =>
    call("trace_callMany", calls, ...rest) as Promise<Replay[]>;

  it("executes each call on the state left by the previous one, with the traces requested for each", async () => {
    const target = `0x${"79".repeat(20)}`;
    await call("anvil_setCode", target, "0x6001546001018060015560005260206000f3"); // counts in slot 1
    const counting = { from, to: target, gas: GAS };
    for (const kinds of [["trace"], ["stateDiff"]]) {
      const shown = await many([
        [counting, kinds],
        [counting, ["trace", "stateDiff"]],
        [counting, ["vmTrace"]],
      ]);
      expect(shown.map(({ output }) => output)).toEqual([word(1), word(2), word(3)]);
      expect(shown[1]?.stateDiff[target]?.storage).toEqual({
        [word(1)]: { "*": { from: word(1), to: word(2) } },
      });
      expect(shown[2]).toMatchObject({ trace: [], stateDiff: null });
    }
    expect(await call("eth_getStorageAt", target, "0x1", "latest")).toBe(word(0));
  });

  it("rejects the whole request if a call cannot be executed, naming the call", async () => {
    expect(await many([])).toEqual([]);
    const poor = [{ from: NOWHERE, to: other, value: "0xffffffffff", gas: GAS }, ["trace"]];
    await expect(many([[{ from, to: other }, ["trace"]], poor])).rejects.toThrow(
      /^call 1: tracing failed: insufficient/,
    );
    await expect(many([[{ to: other }, ["none"]]])).rejects.toThrow("not a kind of trace");
    await expect(many([{ to: other }])).rejects.toMatchObject({ code: -32602 });
    const long = Array.from({ length: 1_001 }, () => [{ to: other }, ["trace"]]);
    await expect(many(long)).rejects.toThrow("at most 1000 calls");
  });
});
