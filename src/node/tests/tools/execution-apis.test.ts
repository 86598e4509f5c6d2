import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeBlock, encodeBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { decodeHeader } from "../../../protocol/block/header-codec.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";

const BOX = `0x${"b0".repeat(20)}`;
const NOBODY = `0x${"90".repeat(20)}`;
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

interface Placed {
  readonly hash: string;
  readonly number: string;
  readonly receiptsRoot: string;
}

let node: Node;
let own: [string, string];
let sent: string;
let block: Placed;
const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode();
  own = (await ask("eth_accounts")) as [string, string];
  sent = (await ask("eth_sendTransaction", { from: own[0], to: own[1], value: "0x1" })) as string;
  block = (await ask("eth_getBlockByNumber", "0x1", false)) as Placed;
  await ask("anvil_setStorageAt", BOX, word(1), word(7));
});
afterAll(() => node.stop());

/** @see execution-apis; the reference node v2.2.1 has none of them */
describe("methods of the Execution API specification", () => {
  it("read slots of several accounts from one state", async () => {
    const slots = { [BOX]: [word(0), word(1)], [NOBODY]: [word(1)] };
    const values = { [BOX]: [word(0), word(7)], [NOBODY]: [word(0)] };
    expect(await ask("eth_getStorageValues", slots, "latest")).toEqual(values);
    expect(await ask("eth_getStorageValues", slots)).toEqual(values);
    expect(await ask("eth_getStorageValues", { [BOX]: [word(1)] }, "0x0")).toEqual({ [BOX]: [word(0)] });
  });

  it("reject requests of no slots, or of more than 1,024 in total", async () => {
    await expect(ask("eth_getStorageValues", {}, "latest")).rejects.toMatchObject({
      code: -32602,
      message: "empty request",
    });
    const many = (count: number) => ({ [NOBODY]: [word(1)], [BOX]: Array(count).fill(word(1)) });
    const { [BOX]: most } = (await ask("eth_getStorageValues", many(1023))) as Record<string, string[]>;
    expect(most).toHaveLength(1023);
    await expect(ask("eth_getStorageValues", many(1024))).rejects.toMatchObject({
      code: -32602,
      message: "too many slots (max 1024)",
    });
  });

  it("return the base fee of the next block", async () => {
    const next = `0x${(40_000_000_000).toString(16)}`;
    await ask("anvil_setNextBlockBaseFeePerGas", next);
    expect(await ask("eth_baseFee")).toBe(next);
    await ask("evm_mine");
    expect(await ask("eth_getBlockByNumber", "latest", false)).toMatchObject({ baseFeePerGas: next });
  });

  it("return header, block, receipts and transaction in their hashed encoding", async () => {
    const header = decodeHeader(hexToBytes((await ask("debug_getRawHeader", block.number)) as string));
    expect(bytesToHex(blockHash(header))).toBe(block.hash);
    const raw = (await ask("debug_getRawBlock", { blockHash: block.hash })) as string;
    const decoded = decodeBlock(hexToBytes(raw));
    expect([bytesToHex(encodeBlock(decoded)), decoded.transactions.length]).toEqual([raw, 1]);
    const receipts = (await ask("debug_getRawReceipts", block.number)) as string[];
    expect([0, 1, 2].map((kind) => bytesToHex(deriveSha(kind, receipts.map(hexToBytes))))).toContain(
      block.receiptsRoot,
    );
    expect(await ask("debug_getRawTransaction", sent)).toBe(await ask("eth_getRawTransactionByHash", sent));
    expect(await ask("debug_getRawTransaction", word(1))).toBe("0x");
  });

  it("reject unknown blocks", async () => {
    for (const method of ["debug_getRawHeader", "debug_getRawBlock", "debug_getRawReceipts"])
      await expect(ask(method, "0xffff")).rejects.toMatchObject({ code: -32000 });
  });

  it("list a sender's transactions in the pool", async () => {
    await ask("evm_setAutomine", false);
    const first = await ask("eth_sendTransaction", { from: own[0], to: own[1], gas: "0x5208" });
    const later = { from: own[0], to: own[1], gas: "0x5208", nonce: "0x9" };
    const queued = await ask("eth_sendTransaction", later);
    await ask("eth_sendTransaction", { from: own[1], to: own[0], gas: "0x5208" });
    expect(await ask("txpool_contentFrom", own[0])).toMatchObject({
      pending: { 1: { hash: first } },
      queued: { 9: { hash: queued } },
    });
    const whole = (await ask("txpool_content")) as { pending: Record<string, unknown> };
    expect(Object.keys(whole.pending)).toEqual(Object.keys(whole.pending).sort());
    const { pending } = (await ask("txpool_contentFrom", own[1])) as { pending: unknown };
    expect(Object.values(whole.pending)).toContainEqual(pending);
    expect(await ask("txpool_contentFrom", NOBODY)).toEqual({ pending: {}, queued: {} });
  });
});

it("do not exist in a release's dialect", async () => {
  await using release = await createNode({ compat: "kaia", lightKdf: true });
  for (const [method, ...params] of [
    ["eth_getStorageValues", { [BOX]: [word(0)] }],
    ["eth_baseFee"],
    ["debug_getRawHeader", "latest"],
    ["txpool_contentFrom", NOBODY],
  ] as const)
    await expect(release.provider.request({ method, params })).rejects.toMatchObject({ code: -32601 });
});
