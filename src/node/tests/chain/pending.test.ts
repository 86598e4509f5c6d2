import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, type Json } from "../../../protocol/codec/json/value.ts";
import type { ConfigJson } from "../../../protocol/params/config-json.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";

const FIXTURES = new URL("../../../../test/fixtures/", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, FIXTURES), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: answers of many methods
const call = (node: Node, method: string, ...params: unknown[]): Promise<any> =>
  node.provider.request({ method, params });
const answer = (node: Node, [method, ...params]: readonly [string, ...Json[]]) =>
  call(node, method, ...params).catch(({ code, message }) => `ERR ${code} ${message}`);

/** Members that differ from chain to chain. */
const OWN: ReadonlySet<string> = new Set(
  "number parentHash stateRoot timestamp timestampFoS mixHash mixhash randomReveal blockHash blockNumber sigHash oldestBlock".split(
    " ",
  ),
);
const isHash = (text: string) => /^0x[0-9a-f]{64}$/.test(text);

/** A response in which members that differ between chains are replaced by whether they are present. */
function common(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((each) => common(each));
  if (typeof value === "string") {
    if (name === "extraData") return value.slice(66);
    if (OWN.has(name) || (name === "hash" && isHash(value))) return typeof value;
    return value.replace(/\(0x[0-9a-f]{64}\)/, "(hash)");
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, common(value[key] as Json, key)]),
  );
}

interface Recorded {
  readonly request: readonly [string, ...Json[]];
  readonly answer: Json;
}

describe("the pending block of a proposer is that of the reference node", () => {
  const recorded: {
    transactions: string[];
    funded: string;
    empty: Recorded[];
    full: Recorded[];
  } = JSON.parse(read("pending/kaia-2.2.1.json"));
  let node: Node;
  beforeAll(async () => {
    const genesis = JSON.parse(read("golden/genesis/kaia-2.2.1.json"));
    const rich = { balance: `0x${(10n ** 24n).toString(16)}` };
    const recipient = recorded.full.find(({ request }) => request[0] === "eth_getBalance")?.request[1];
    for (const address of [recorded.funded, recipient as string])
      genesis.alloc[address.slice(2).toLowerCase()] = rich;
    const nodeKey = hexToBytes(`0x${read("golden/genesis/nodekey").trim()}`);
    const rewardbase = new Uint8Array(20).fill(0x11);
    node = await createNode({
      genesis: genesis as ConfigJson,
      nodeKey,
      rewardbase,
      sealing: { kind: "manual" },
    });
  });
  afterAll(() => node.stop());

  it("while the pool is empty", async () => {
    for (const { request, answer: theirs } of recorded.empty)
      expect([request, common(await answer(node, request))]).toEqual([request, common(theirs)]);
  });

  it("while the pool has transactions", async () => {
    for (const raw of recorded.transactions) await call(node, "eth_sendRawTransaction", raw);
    for (const { request, answer: theirs } of recorded.full)
      expect([request, common(await answer(node, request))]).toEqual([request, common(theirs)]);
  });
});

describe("the pending block of a development chain", () => {
  let node: Node;
  let from: string;
  let to: string;
  const send = (value: string) => call(node, "eth_sendTransaction", { from, to, value, gas: "0x5208" });
  beforeAll(async () => {
    node = await createNode({ sealing: { kind: "manual" } });
    [from, to] = await call(node, "eth_accounts");
  });
  afterAll(() => node.stop());

  it("is the next one mined", async () => {
    await call(node, "evm_setNextBlockTimestamp", 9_000_000_000);
    const hashes = [await send("0x1"), await send("0x2")];
    const pending = await call(node, "eth_getBlockByNumber", "pending", false);
    expect(pending).toMatchObject({
      number: "0x1",
      hash: null,
      miner: null,
      nonce: null,
      transactions: hashes,
    });
    const shown = await call(node, "eth_getBlockReceipts", "pending");
    await call(node, "anvil_mine", "0x1");
    const { hash, miner, nonce, size, ...mined } = await call(node, "eth_getBlockByNumber", "latest", false);
    expect(pending).toMatchObject(mined);
    const receipts = await call(node, "eth_getBlockReceipts", "latest");
    const gas = (list: { gasUsed: string }[]) => list.map(({ gasUsed }) => gasUsed);
    expect([shown.length, gas(shown)]).toEqual([2, gas(receipts)]);
  });

  it("shows pending transactions to balances, calls and estimates", async () => {
    const before = BigInt(await call(node, "eth_getBalance", to, "latest"));
    await send("0x5");
    expect(BigInt(await call(node, "eth_getBalance", to, "pending"))).toBe(before + 5n);
    // Returns the number of the block.
    const number = { data: "0x4360005260206000f3" };
    expect(BigInt(await call(node, "eth_call", number, "pending"))).toBe(2n);
    expect(await call(node, "eth_estimateGas", { from, to, value: "0x1" }, "pending")).toBe("0x5208");
    expect(await call(node, "eth_getTransactionCount", from, "pending")).toBe("0x3");
    await call(node, "hardhat_dropAllTransactions");
    expect(BigInt(await call(node, "eth_getBalance", to, "pending"))).toBe(before);
  });

  it("shows the storage of a contract it creates to calls", async () => {
    // The constructor stores 7 at slot 0; the code returns what is there.
    const data = "0x6007600055600b6011600039600b6000f360005460005260206000f3";
    const hash = await call(node, "eth_sendTransaction", { from, data, gas: "0x30000" });
    const [receipt] = await call(node, "eth_getBlockReceipts", "pending");
    const { contractAddress: contract } = receipt;
    expect([
      receipt.transactionHash,
      BigInt(await call(node, "eth_call", { to: contract }, "pending")),
    ]).toEqual([hash, 7n]);
    // Without a block it is the pending one, as with the reference node v2.2.1.
    for (const block of [["pending"], []])
      expect(await call(node, "eth_createAccessList", { to: contract }, ...block)).toMatchObject({
        accessList: [{ address: contract }],
      });
    await call(node, "anvil_dropAllTransactions");
  });

  it("follows settings of the next block", async () => {
    await call(node, "eth_getBlockByNumber", "pending", false);
    await call(node, "anvil_setNextBlockBaseFeePerGas", "0xba43b7400");
    await call(node, "anvil_setBalance", to, "0x7");
    expect(await call(node, "eth_getBlockByNumber", "pending", false)).toMatchObject({
      baseFeePerGas: "0xba43b7400",
    });
    expect(await call(node, "eth_getBalance", to, "pending")).toBe("0x7");
  });

  it("is the newest block of the fee history", async () => {
    const gasPrice = "0x174876e800";
    await call(node, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208", gasPrice });
    const pending = await call(node, "eth_feeHistory", "0x2", "pending", [50]);
    await call(node, "anvil_mine", "0x1");
    const latest = await call(node, "eth_feeHistory", "0x2", "latest", [50]);
    expect(pending).toEqual(latest);
    expect(BigInt(pending.reward[1][0])).toBe(100_000_000_000n - 50_000_000_000n);
    expect(await call(node, "eth_feeHistory", "0x0", "pending", [101])).toMatchObject({ gasUsedRatio: null });
  });

  it("has no proofs of its state", async () => {
    await expect(call(node, "eth_getProof", to, [], "pending")).rejects.toThrowError(/^missing trie node/);
  });
});
