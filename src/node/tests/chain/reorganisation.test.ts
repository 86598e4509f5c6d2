import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { exportBlocks } from "../../../ledger/chain/import/chain-file.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { createNode, type Node } from "../../create-node.ts";
import { DEV_CHAIN, prepareDevChain } from "../../dev/dev-chain.ts";
import { openSealedChain } from "../../testing/sealed-chain.ts";

/** Logs twice without data, first with the block's number as topic, then with the value that it is sent. */
const LOGGER = "0x00000000000000000000000000000000000010c5";
const LOGGER_CODE = "0x4360006000a13460006000a100";

interface Branch {
  readonly rlp: string;
  /** From block 2 on. */
  readonly hashes: readonly string[];
}

type Found = { readonly blockHash: string } | null;

let genesis: Record<string, unknown>;
let branches: readonly Branch[];
let node: Node;

beforeAll(async () => {
  const setup = await prepareDevChain(DEV_CHAIN);
  const alloc = { ...(setup.genesis["alloc"] as object), [LOGGER]: { balance: "0x0", code: LOGGER_CODE } };
  genesis = { ...setup.genesis, alloc };
  const sealed = await openSealedChain({ genesis: genesis as never, validatorKey: setup.validatorKey });
  const { chain, store } = sealed.ledger;
  const call = (nonce: bigint, value: bigint) => {
    const type = transactionTypeByName("TxTypeLegacyTransaction") as never;
    const parts = { nonce, value, to: hexToBytes(LOGGER), gas: 100_000n, gasPrice: 100_000_000_000n };
    const unsigned = createTransaction({ type, ...parts, input: new Uint8Array(0) });
    return signTransaction(unsigned, [setup.accounts[0]?.privateKey as Uint8Array], setup.chainId);
  };
  const branch = async (blocks: number, value: bigint): Promise<Branch> => {
    await chain.exclusive(() => chain.rewind(0n));
    for (let n = 0; n <= blocks; n++) await sealed.seal(call(BigInt(n), n === 0 ? 0n : value));
    await chain.published();
    const { number } = chain.head.header;
    const hashes = Array.from({ length: blocks }, (_, i) =>
      bytesToHex(chain.hash(BigInt(i + 2)) as Uint8Array),
    );
    return { rlp: bytesToHex(concat(...exportBlocks(chain, 1n, number))), hashes };
  };
  branches = [await branch(2, 7n), await branch(3, 8n)];
  await store.close();
  node = await createNode({ dev: false, genesis: genesis as never });
});
afterAll(() => node.stop());

const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

/** What is compared of a log. */
function shown({ blockHash, logIndex, removed }: Record<string, unknown>): string {
  return `${removed ? "removed" : "added"} ${blockHash} ${logIndex}`;
}

function logsOf(hashes: readonly string[], fate: string): string[] {
  return hashes.flatMap((hash) => [`${fate} ${hash} 0x0`, `${fate} ${hash} 0x1`]);
}

it("forgets the transactions of removed blocks, and finds those of the new blocks", async () => {
  await using own = await createNode({ dev: false, genesis: genesis as never });
  const ask = (method: string, ...params: unknown[]) => own.provider.request({ method, params });
  const shown = async (hash: unknown) => [
    ((await ask("eth_getTransactionByHash", hash)) as Found)?.blockHash,
    ((await ask("eth_getTransactionReceipt", hash)) as Found)?.blockHash,
  ];
  const transactionOf = async (block: string) =>
    ((await ask("eth_getBlockByNumber", block, false)) as { transactions: string[] }).transactions[0];
  const [before, after] = branches as [Branch, Branch];
  await ask("admin_importChainFromString", before.rlp);
  const stays = await transactionOf("0x1");
  const leaves = await transactionOf("0x2");
  const kept = await shown(stays);
  expect(await shown(leaves)).toEqual([before.hashes[0], before.hashes[0]]);

  await ask("admin_importChainFromString", after.rlp);
  expect(await shown(stays)).toEqual(kept);
  expect(await shown(leaves)).toEqual([undefined, undefined]);
  expect(await shown(await transactionOf("0x2"))).toEqual([after.hashes[0], after.hashes[0]]);
  await expect(ask("eth_getBlockReceipts", before.hashes[0])).rejects.toThrow("the block does not exist");
});

// measured on reference node v2.2.1
it("names a block that cannot be decoded by its place", async () => {
  await using own = await createNode({ dev: false, genesis: genesis as never });
  const importing = (blocks: string) =>
    own.provider.request({ method: "admin_importChainFromString", params: [blocks] });
  const text = "block 0: failed to parse: rlp:";
  await expect(importing("0xc0")).rejects.toThrow(`${text} too few elements for types.extblock`);
  for (const item of ["0x80", "0x1"])
    await expect(importing(item)).rejects.toThrow(`${text} expected input list for types.extblock`);
  await expect(importing("0xf8")).rejects.toThrow(`${text} value size exceeds available input length`);
  const { rlp } = branches[0] as Branch;
  await expect(importing(`${rlp}c0`)).rejects.toThrow("block 3: failed to parse: rlp: too few elements");
  const folder = mkdtempSync(join(tmpdir(), "kairn-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "blocks.rlp");
  for (const [after, reason] of [
    ["c0", "rlp: too few elements for types.extblock"],
    ["00", "rlp: expected input list for types.extblock"],
    ["f8", "unexpected EOF"],
  ] as const) {
    writeFileSync(file, hexToBytes(`${rlp}${after}`));
    const read = own.provider.request({ method: "admin_importChain", params: [file] });
    await expect(read).rejects.toThrow(`block 3: failed to parse: ${reason}`);
  }
  const orphan = `0xf9${rlp.slice(4, 16)}${"11".repeat(32)}${rlp.slice(80)}`;
  await expect(importing(orphan)).rejects.toThrow("batch 0: failed to insert: unknown ancestor");
});

it("reports the logs of removed blocks as removed, newest block first, and then those of the new branch", async () => {
  const [before, after] = branches as [Branch, Branch];
  await request("admin_importChainFromString", before.rlp);
  const pushed: Record<string, unknown>[] = [];
  node.provider.on("message", ({ data }) => pushed.push(data.result as Record<string, unknown>));
  await request("eth_subscribe", "logs", { address: LOGGER });
  await request("eth_subscribe", "newHeads");
  const logFilter = await request("eth_newFilter", { address: LOGGER });
  const blockFilter = await request("eth_newBlockFilter");
  const hash = before.hashes[1] as string;
  const [left] = (await request("eth_getLogs", { blockHash: hash })) as Record<string, unknown>[];

  await request("admin_importChainFromString", after.rlp);
  const expected = [...logsOf(before.hashes.toReversed(), "removed"), ...logsOf(after.hashes, "added")];
  // Events are delivered in separate turns.
  await vi.waitFor(() => expect(pushed).toHaveLength(expected.length + after.hashes.length), 10_000);
  expect(pushed.filter(({ topics }) => topics).map(shown)).toEqual(expected);
  expect(pushed.find(({ topics }) => topics)).toEqual({ ...left, removed: true });
  expect(pushed.filter(({ topics }) => !topics).map((header) => header["hash"])).toEqual(after.hashes);
  const changes = (await request("eth_getFilterChanges", logFilter)) as Record<string, unknown>[];
  expect(changes.map(shown)).toEqual(expected);
  expect(await request("eth_getFilterChanges", blockFilter)).toEqual(after.hashes);
  expect(await request("eth_getFilterChanges", logFilter)).toEqual([]);
  await expect(request("eth_getLogs", { blockHash: hash })).rejects.toThrow("the header does not exist");
});
