import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createNode, type Node } from "../../../../node/create-node.ts";

/** Init code that logs the number 42 under topic 0xaa and leaves an empty contract. */
const LOGGER = "0x602a60005260aa60206000a160006000f3";
/** Init code that reverts with `Error("no")`. */
const REVERTER = "0x6308c379a060e01b60005260206004526002602452616e6f60f01b60445260646000fd";
/** Init code of a contract that reads slot 1 of its own and the balance of 0x1234. */
const TOUCHER = "0x6001545061123431503d5200";
const TOPIC = `0x${"00".repeat(31)}aa`;

let node: Node;
let from: string;
let receipt: { blockNumber: string; blockHash: string; contractAddress: string; transactionHash: string };
const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

async function send(tx: object): Promise<typeof receipt> {
  const hash = await ask("eth_sendTransaction", { from, ...tx });
  return vi.waitUntil(() => ask("eth_getTransactionReceipt", hash) as Promise<typeof receipt>);
}

beforeAll(async () => {
  node = await createNode();
  [from] = (await ask("eth_accounts")) as [string];
  receipt = await send({ input: LOGGER });
});
afterAll(() => node.stop());

describe("calls", () => {
  it("that revert with a reason return code 3, the reason and its bytes", async () => {
    for (const method of ["eth_call", "kaia_call", "eth_estimateGas"])
      await expect(ask(method, { from, input: REVERTER }, "latest")).rejects.toMatchObject({
        code: 3,
        message: "execution reverted: no",
        data: expect.stringMatching(/^0x08c379a0/),
      });
  });

  it("that revert without one return code 3 and no bytes, as tools expect of a development chain", async () => {
    await expect(ask("eth_call", { input: "0x60006000fd" }, "latest")).rejects.toMatchObject({
      code: 3,
      message: "execution reverted",
      data: "0x",
    });
  });

  it("that cannot be paid fail with the text that ethers and viem recognize", async () => {
    const tooMuch = { from, to: from, value: `0x${(10n ** 30n).toString(16)}` };
    for (const [method, call] of [
      ["eth_call", tooMuch],
      ["eth_estimateGas", { ...tooMuch, gasPrice: "0xba43b7400" }],
    ] as const)
      await expect(ask(method, call, "latest")).rejects.toThrow("Insufficient funds for gas * price + value");
  });

  it("apply state overrides", async () => {
    const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
    // Returns slot 1.
    const assumed = { code: "0x60015460005260206000f3", stateDiff: { [word(1)]: word(9) } };
    const call = { to: receipt.contractAddress };
    expect(await ask("eth_call", call, "latest", { [receipt.contractAddress]: assumed })).toBe(word(9));
    expect(await ask("eth_call", call, "latest")).toBe("0x");
  });

  it("estimate the minimum gas", async () => {
    const gas = (await ask("eth_estimateGas", {
      from,
      to: from,
      value: "0x1",
    })) as string;
    expect(Number(gas)).toBe(21000);
    expect(await ask("kaia_estimateComputationCost", { from, input: LOGGER }, "latest")).toMatch(
      /^0x[1-9a-f]/,
    );
  });

  it("list what they access", async () => {
    const { accessList } = (await ask("eth_createAccessList", { from, input: TOUCHER })) as {
      accessList: { address: string; storageKeys: string[] }[];
    };
    expect(accessList.map(({ address }) => address)).toContain(`0x${"00".repeat(18)}1234`);
    expect(accessList.flatMap(({ storageKeys }) => storageKeys)).toEqual([`0x${"00".repeat(31)}01`]);
  });
});

describe("logs", () => {
  it("are found by topic, by address, by block and not by other criteria", async () => {
    const { blockHash, contractAddress: address, transactionHash } = receipt;
    const everything = { fromBlock: "earliest" };
    for (const query of [
      { ...everything, topics: [TOPIC] },
      { ...everything, address },
      { blockHash, topics: [null] },
    ])
      expect(await ask("eth_getLogs", query)).toMatchObject([
        { address, transactionHash, topics: [TOPIC], logIndex: "0x0" },
      ]);
    expect(await ask("eth_getLogs", { ...everything, topics: [[`0x${"00".repeat(32)}`]] })).toEqual([]);
    await expect(ask("eth_getLogs", { blockHash, fromBlock: "0x1" })).rejects.toThrow("cannot specify both");
    await expect(ask("eth_getLogs", { fromBlock: "pending" })).rejects.toThrow(
      "pending logs are not supported",
    );
  });
});

describe("filters", () => {
  it("collect blocks, transactions and logs until polled, then start over", async () => {
    const [blocks, transactions, logs] = await Promise.all([
      ask("eth_newBlockFilter"),
      ask("eth_newPendingTransactionFilter"),
      ask("kaia_newFilter", { topics: [TOPIC] }),
    ]);
    const { blockHash, transactionHash } = await send({ input: LOGGER });
    expect(await ask("eth_getFilterChanges", blocks)).toEqual([blockHash]);
    expect(await ask("eth_getFilterChanges", transactions)).toEqual([transactionHash]);
    expect(await ask("kaia_getFilterChanges", logs)).toMatchObject([{ transactionHash, removed: false }]);
    expect(await ask("kaia_getFilterChanges", logs)).toEqual([]);
    expect(await ask("kaia_uninstallFilter", logs)).toBe(true);
    expect(await ask("kaia_uninstallFilter", logs)).toBe(false);
    await expect(ask("kaia_getFilterChanges", logs)).rejects.toThrow("filter not found");
    await expect(ask("eth_getFilterLogs", blocks)).rejects.toThrow("filter not found");
  });

  it("refuse a range that ends before it starts", async () => {
    await expect(ask("eth_newFilter", { fromBlock: "0x5", toBlock: "0x1" })).rejects.toThrow("from > to");
  });
});

describe("blocks", () => {
  it("that do not exist are null in eth and an error in kaia", async () => {
    expect(await ask("eth_getBlockByNumber", "0xffff", false)).toBeNull();
    await expect(ask("kaia_getBlockByNumber", "0xffff", false)).rejects.toThrow(
      "the block does not exist (block number: 65535)",
    );
    await expect(ask("kaia_getBlockByHash", `0x${"12".repeat(32)}`, false)).rejects.toThrow(
      "(block hash: 0x1212",
    );
  });

  it("are equal by number and by hash, from the cache or not", async () => {
    const { blockNumber, blockHash } = receipt;
    const first = await ask("eth_getBlockByNumber", blockNumber, true);
    expect(await ask("eth_getBlockByHash", blockHash, true)).toEqual(first);
    expect(await ask("eth_getBlockByNumber", Number(blockNumber), true)).toEqual(first);
    expect(await ask("eth_getBlockTransactionCountByHash", blockHash)).toBe("0x1");
    expect(await ask("eth_getBlockReceipts", blockHash)).toMatchObject([
      { transactionHash: receipt.transactionHash },
    ]);
  });
});

describe("fees", () => {
  it("are the base fee and a tenth while blocks are not full", async () => {
    expect(await ask("kaia_gasPrice")).toBe("0x66720b300");
    expect(await ask("eth_maxPriorityFeePerGas")).toBe("0x0");
  });

  it("have a history up to the block after the last one", async () => {
    const history = (await ask("eth_feeHistory", 2, "latest", [50])) as { [key: string]: unknown[] };
    expect(history["baseFeePerGas"]).toHaveLength(3);
    expect(history["gasUsedRatio"]).toHaveLength(2);
    expect(history["reward"]).toHaveLength(2);
    await expect(ask("eth_feeHistory", "0x1", "0xffff", [])).rejects.toThrow("request beyond head block");
    await expect(ask("eth_feeHistory", "0x1", "latest", [50, 10])).rejects.toThrow(
      "invalid reward percentile: #0:50",
    );
    await expect(ask("eth_feeHistory", "0x1", "latest")).rejects.toThrow(
      "missing value for required argument 2",
    );
    expect(await ask("eth_feeHistory", 2, "latest", null)).not.toHaveProperty("reward");
    expect(await ask("eth_feeHistory", 2, "latest", [null])).toEqual(
      await ask("eth_feeHistory", 2, "latest", [0]),
    );
  });
});

describe("transactions by sender", () => {
  const numbers = (list: unknown) => (list as { nonce: string }[]).map(({ nonce }) => Number(nonce));

  it("are found by nonce, ascending and descending, and no longer once their block is gone", async () => {
    await using node = await createNode();
    const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
    const [from, other] = (await ask("eth_accounts")) as [string, string];
    const hashes: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      if (i === 3) await ask("evm_snapshot");
      const hash = await ask("eth_sendTransaction", { from, to: other, value: "0x1" });
      await vi.waitUntil(() => ask("eth_getTransactionReceipt", hash));
      hashes.push(hash);
    }
    await ask("eth_sendTransaction", { from: other, to: from });

    expect(numbers(await ask("eth_getTransactionsBySender", from))).toEqual([0, 1, 2, 3]);
    expect(numbers(await ask("kaia_getTransactionsBySender", from, "0x1", "0x2"))).toEqual([1, 2]);
    expect(numbers(await ask("eth_getTransactionsBySender", from, null, "0x2", true))).toEqual([3, 2]);
    expect(numbers(await ask("eth_getTransactionsBySender", from, "0x1", null, true))).toEqual([1, 0]);
    expect(await ask("eth_getTransactionsBySender", from, null, "0x0")).toEqual([]);
    expect(await ask("eth_getTransactionBySenderAndNonce", from, "0x2")).toMatchObject({ hash: hashes[2] });
    expect(await ask("eth_getTransactionBySenderAndNonce", from, "0x4")).toBeNull();
    expect(await ask("eth_getTransactionBySenderAndNonce", from, "0xffffffffffffffff")).toBeNull();

    await ask("evm_revert", "0x1");
    expect(numbers(await ask("eth_getTransactionsBySender", from))).toEqual([0, 1, 2]);
  });
});

describe("receipts of a block", () => {
  it("have the same form with many logs, which are rendered one by one, as with few", async () => {
    const few = await send({ input: LOGGER });
    // LOG0 as long as more than 2,000 gas are left
    const many = await send({ input: "0x5b60006000a06107d05a116000575b00", gas: "0x186a00" });
    for (const namespace of ["eth", "kaia"]) {
      const [short, long] = await Promise.all(
        [few, many].map(({ transactionHash }) => ask(`${namespace}_getTransactionReceipt`, transactionHash)),
      );
      expect(Object.keys(long as object)).toEqual(Object.keys(short as object));
      const { logs } = long as { logs: readonly { logIndex: string; transactionHash: string }[] };
      expect(logs.length).toBeGreaterThan(1000);
      expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual(logs.map((_, i) => i));
      expect(new Set(logs.map(({ transactionHash }) => transactionHash))).toEqual(
        new Set([many.transactionHash]),
      );
      expect(await ask(`${namespace}_getBlockReceipts`, many.blockNumber)).toEqual([long]);
    }
  });

  it("are those of the block that has the number now, in either namespace", async () => {
    const snapshot = await ask("evm_snapshot");
    const first = await send({ input: LOGGER });
    const receipts = () => ask("eth_getBlockReceipts", first.blockNumber) as Promise<(typeof receipt)[]>;
    expect((await receipts()).map(({ transactionHash }) => transactionHash)).toEqual([first.transactionHash]);
    expect(await receipts()).toEqual(await ask("eth_getBlockReceipts", first.blockHash));
    for (const whole of [true, false])
      expect(await ask("eth_getBlockByHash", first.blockHash, whole)).toMatchObject({
        hash: first.blockHash,
      });
    expect(await ask("kaia_getBlockReceipts", first.blockNumber)).toMatchObject([
      { senderTxHash: first.transactionHash },
    ]);
    await ask("evm_revert", snapshot);
    const second = await send({ to: from, value: "0x1" });
    expect(second.blockNumber).toBe(first.blockNumber);
    expect((await receipts()).map(({ transactionHash }) => transactionHash)).toEqual([
      second.transactionHash,
    ]);
  });
});

describe("a storage slot", () => {
  it("is read as the reference reads it: digits with or without prefix, the last 32 bytes, up to what is no digit", async () => {
    const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
    await ask("hardhat_setStorageAt", receipt.contractAddress, "0x12", word("7"));
    const read = (slot: string) => ask("eth_getStorageAt", receipt.contractAddress, slot, "latest");
    const long = `0x${"ff".repeat(3)}${word("12").slice(2)}`;
    for (const slot of ["0x12", "12", "0X12", "0x012", "012", word("12"), long, "0x12zz", "0x12x"])
      expect([slot, await read(slot)]).toEqual([slot, word(slot === "0x12x" ? "0" : "7")]);
    for (const slot of ["", "0x", "0x0", "0x0x12", "0x1g12"])
      expect([slot, await read(slot)]).toEqual([slot, word("0")]);
  });
});
