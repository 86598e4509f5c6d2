import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

// What the explorer Otterscan requests: names, arguments and members as in its sources at 2.10.0.

type Rendered = { readonly [member: string]: unknown };

const OUTER = `0x${"71".repeat(20)}`;
const INNER = `0x${"72".repeat(20)}`;
const REVERTS = `0x${"73".repeat(20)}`;
const FACTORY = `0x${"74".repeat(20)}`;
/** Returns the word 0xaa. */
const RETURNS = "0x60aa60005260206000f3";
/** Sends one kei to INNER without input, then ends. */
const CALLS = `0x600060006000600060017372${"72".repeat(19)}61fffff15000`;
/** Reverts with the word 0xaa. */
const FAILS = "0x60aa60005260206000fd";
/** Creates a contract whose code is one STOP: its init code returns a byte of its memory. */
const CREATES = "0x6460016000f3600052600560 1b6000f000".replace(" ", "");
const INIT = "0x600a600c600039600a6000f360aa60005260206000f3";
const GAS = "0x186a0";
const WORD = `0x${"aa".padStart(64, "0")}`;
const NOWHERE = `0x${"99".repeat(20)}`;
const UNKNOWN = `0x${"00".repeat(32)}`;

let node: Node;
let from = "";
const hashes: string[] = [];
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const receiptOf = async (hash: string) => (await call("eth_getTransactionReceipt", hash)) as Rendered;

beforeAll(async () => {
  node = await createNode();
  [from = ""] = (await call("eth_accounts")) as string[];
  await call("anvil_setCode", OUTER, CALLS);
  await call("anvil_setCode", INNER, RETURNS);
  await call("anvil_setCode", REVERTS, FAILS);
  await call("anvil_setCode", FACTORY, CREATES);
  const send = async (tx: object) => {
    hashes.push((await call("eth_sendTransaction", { from, gas: GAS, ...tx })) as string);
  };
  await send({ to: OUTER, value: "0x5", data: "0x1234567890" });
  await send({ to: REVERTS });
  await send({ to: FACTORY });
  await send({ data: INIT });
});
afterAll(() => node.stop());

describe("ots_", () => {
  it("answers the probes by which Otterscan recognises a node", async () => {
    expect(await call("ots_getApiLevel")).toBe(8);
    const header = (await call("erigon_getHeaderByNumber", "latest")) as Rendered;
    expect(header).toEqual(await call("eth_getHeaderByNumber", "latest"));
    expect(await call("erigon_getHeaderByNumber", 2)).toMatchObject({ number: "0x2" });
    expect(await call("erigon_getHeaderByNumber", 99)).toBeNull();
  });

  it("shows a block without its transactions, with their number, the issuance and the fees", async () => {
    const { gasUsed, effectiveGasPrice } = await receiptOf(hashes[0] ?? "");
    const { minted } = (await call("kaia_getRewards", "0x1")) as { minted: number };
    const { transactions: _, ...frame } = (await call("eth_getBlockByNumber", "0x1", false)) as Rendered;
    const details = {
      block: { ...frame, logsBloom: null, transactionCount: 1 },
      totalFees: `0x${(BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice))).toString(16)}`,
    };
    const shown = (await call("ots_getBlockDetails", 1)) as { issuance: { blockReward: string } };
    expect(shown).toMatchObject(details);
    expect(Number(shown.issuance.blockReward)).toBe(minted);
    expect(await call("ots_getBlockDetailsByHash", frame["hash"])).toEqual(shown);
    expect(await call("ots_getBlockDetails", 0)).toMatchObject({ issuance: { blockReward: "0x0" } });
    expect(await call("ots_getBlockDetails", 99)).toBeNull();
    expect(await call("ots_getBlockDetailsByHash", UNKNOWN)).toBeNull();
  });

  it("pages the transactions of a block from its end, with selectors and without logs", async () => {
    await call("evm_setAutomine", false);
    for (const value of ["0x1", "0x2", "0x3"])
      await call("eth_sendTransaction", { from, to: NOWHERE, gas: GAS, value, data: "0xaabbccddee" });
    await call("evm_mine");
    await call("evm_setAutomine", true);
    const number = Number(await call("eth_blockNumber"));
    type Page = { fullblock: { transactions: Rendered[]; transactionCount: number }; receipts: Rendered[] };
    const page = async (index: number, size: number) =>
      (await call("ots_getBlockTransactions", number, index, size)) as Page;
    const values = ({ fullblock }: Page) => fullblock.transactions.map(({ value }) => value);
    const first = await page(0, 2);
    expect(values(first)).toEqual(["0x2", "0x3"]);
    expect(first.fullblock.transactionCount).toBe(3);
    expect(first.fullblock.transactions[0]).toMatchObject({ input: "0xaabbccdd" });
    expect(first.receipts).toMatchObject([
      { status: "0x1", logs: null, logsBloom: null, transactionIndex: "0x1" },
      { transactionIndex: "0x2" },
    ]);
    expect(values(await page(1, 2))).toEqual(["0x1"]);
    expect(values(await page(2, 2))).toEqual([]);
    expect(values(await page(0, 1_000_000))).toEqual(["0x1", "0x2", "0x3"]);
    expect(await call("ots_getBlockTransactions", 99, 0, 2)).toBeNull();
  });

  it("shows calls with their depths, internal operations, and the revert data of a transaction", async () => {
    const [calls, fails, creates, deploys] = hashes;
    const inner = { type: "CALL", depth: 1, from: OUTER, to: INNER, value: "0x1", input: "0x", output: WORD };
    expect(await call("ots_traceTransaction", calls)).toEqual([
      { type: "CALL", depth: 0, from, to: OUTER, value: "0x5", input: "0x1234567890", output: "0x" },
      inner,
    ]);
    expect(await call("ots_getInternalOperations", calls)).toEqual([
      { type: 0, from: OUTER, to: INNER, value: "0x1" },
    ]);
    const [, made] = (await call("ots_traceTransaction", creates)) as Rendered[];
    expect(made).toMatchObject({ type: "CREATE", depth: 1, from: FACTORY, input: "0x60016000f3" });
    expect(await call("ots_getInternalOperations", creates)).toEqual([
      { type: 2, from: FACTORY, to: made?.["to"], value: "0x0" },
    ]);
    expect(await call("ots_traceTransaction", deploys)).toMatchObject([
      { type: "CREATE", depth: 0, from, input: INIT, output: RETURNS },
    ]);
    expect(await call("ots_getTransactionError", fails)).toBe(WORD);
    expect(await call("ots_getTransactionError", calls)).toBe("0x");
    expect(await call("ots_traceTransaction", UNKNOWN)).toBeNull();
    expect(await call("ots_getInternalOperations", UNKNOWN)).toEqual([]);
    expect(await call("ots_getTransactionError", UNKNOWN)).toBe("0x");
  });

  it("finds code, its creator, and the transaction of a nonce", async () => {
    const { contractAddress } = await receiptOf(hashes[3] ?? "");
    const [, made] = (await call("ots_traceTransaction", hashes[2])) as Rendered[];
    expect(await call("ots_hasCode", contractAddress, "latest")).toBe(true);
    expect(await call("ots_hasCode", contractAddress, 3)).toBe(false);
    expect(await call("ots_hasCode", from)).toBe(false);
    expect(await call("ots_getContractCreator", contractAddress)).toEqual({ hash: hashes[3], creator: from });
    expect(await call("ots_getContractCreator", made?.["to"])).toEqual({ hash: hashes[2], creator: FACTORY });
    for (const other of [OUTER, from]) expect(await call("ots_getContractCreator", other)).toBeNull();
    expect(await call("ots_getTransactionBySenderAndNonce", from, 2)).toBe(hashes[2]);
    expect(await call("ots_getTransactionBySenderAndNonce", from, "0x2")).toBe(hashes[2]);
    expect(await call("ots_getTransactionBySenderAndNonce", from, 99)).toBeNull();
  });

  it("finds the transactions of an account, page by page in both directions", async () => {
    type Page = { txs: Rendered[]; receipts: Rendered[]; firstPage: boolean; lastPage: boolean };
    const search = async (way: "Before" | "After", who: string, block: number, size: number) => {
      const method = `ots_searchTransactions${way}`;
      const { txs, receipts, ...ends } = (await call(method, who, block, size)) as Page;
      expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(txs.map(({ hash }) => hash));
      return { ...ends, hashes: txs.map(({ hash }) => hash), receipts };
    };
    const [calls, fails, creates, deploys] = hashes;
    const inside = await search("Before", INNER, 0, 25);
    expect(inside).toMatchObject({ hashes: [calls], firstPage: true, lastPage: true });
    expect(inside.receipts[0]).toMatchObject({ timestamp: expect.stringMatching(/^0x/), logs: [] });
    expect(await search("Before", from, 5, 2)).toMatchObject({
      ...{ hashes: [deploys, creates], firstPage: false, lastPage: false },
    });
    expect(await search("Before", from, 3, 2)).toMatchObject({ hashes: [fails, calls], lastPage: true });
    expect(await search("After", from, 0, 2)).toMatchObject({
      ...{ hashes: [fails, calls], firstPage: false, lastPage: true },
    });
    expect(await search("After", from, 1, 3)).toMatchObject({
      ...{ hashes: [deploys, creates, fails], firstPage: false, lastPage: false },
    });
    expect(await search("Before", UNKNOWN.slice(0, 42), 0, 25)).toMatchObject({ hashes: [], lastPage: true });
    const { contractAddress } = await receiptOf(deploys ?? "");
    expect(await search("After", String(contractAddress), 0, 5)).toMatchObject({ hashes: [deploys] });
  });

  it("shows all of the last block of a page", async () => {
    const { txs } = (await call("ots_searchTransactionsBefore", NOWHERE, 0, 1)) as { txs: Rendered[] };
    expect(txs.map(({ value }) => value)).toEqual(["0x3", "0x2", "0x1"]);
  });
});
