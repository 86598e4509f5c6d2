import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { encodeBlock, readBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import { type Json, stringify } from "../../../protocol/codec/json/value.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createTransaction, decodeTransaction } from "../../../protocol/transaction/envelope.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { renderBlock } from "./block.ts";
import { renderEthBlock } from "./eth-block.ts";
import { renderEthTransaction } from "./eth-transaction.ts";
import {
  ethReceiptText,
  type LocatedReceipt,
  receiptText,
  renderEthReceipt,
  renderReceipt,
} from "./receipt.ts";
import { type InclusionContext, renderSigned, renderTransaction } from "./transaction.ts";

interface RecordedReceipt {
  readonly status: string;
  readonly txError?: string;
  readonly gasUsed: string;
  readonly logsBloom: string;
  readonly contractAddress: string | null;
  readonly logs: readonly { address: string; topics: string[]; data: string }[];
}
type Transactions = Record<string, { kaia: Json; eth: Json; ethReceipt: Json }[]>;

const fixture = (path: string) => readFileSync(new URL(`../../../../test/fixtures/${path}`, import.meta.url));
const gunzipped = (path: string) => JSON.parse(gunzipSync(fixture(path)).toString());

function readBlocks(folder: string): Block[] {
  const bytes = gunzipSync(fixture(`${folder}/chain.rlp.gz`));
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { block, end } = readBlock(bytes, at);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function receiptOf(recorded: RecordedReceipt): Receipt {
  return {
    status: recorded.status === "0x1" ? 1 : Number(recorded.txError),
    gasUsed: BigInt(recorded.gasUsed),
    bloom: hexToBytes(recorded.logsBloom),
    logs: recorded.logs.map(({ address, topics, data }) => ({
      address: hexToBytes(address),
      topics: topics.map(hexToBytes),
      data: hexToBytes(data),
    })),
    ...(recorded.contractAddress && { contractAddress: hexToBytes(recorded.contractAddress) }),
  };
}

describe.each(["chains/all-types", "chains/forks"])(
  "responses of the reference node v2.2.1 for %s",
  (folder) => {
    const config = parseChainConfig(JSON.parse(fixture(`${folder}/genesis.json`).toString()).config);
    const blocks = readBlocks(folder);
    const recordedBlocks = gunzipped(`${folder}/blocks.json.gz`);
    const recordedReceipts = gunzipped(`${folder}/receipts.json.gz`);
    const recordedTransactions: Transactions = gunzipped(`${folder}/txs.json.gz`);

    const contextOf = ({ header }: Block): InclusionContext => ({
      header,
      hash: blockHash(header),
      rules: rulesAt(config, header.number),
    });

    function receiptsOf(block: Block): LocatedReceipt[] {
      const receipts = ((recordedReceipts[String(block.header.number)] ?? []) as RecordedReceipt[]).map(
        receiptOf,
      );
      let firstLogIndex = 0;
      let cumulativeGasUsed = 0n;
      return receipts.map((receipt, index) => {
        const first = firstLogIndex;
        firstLogIndex += receipt.logs.length;
        cumulativeGasUsed += receipt.gasUsed;
        const tx = block.transactions[index] as Block["transactions"][number];
        const place = { firstLogIndex: first, cumulativeGasUsed, block: contextOf(block), index };
        return { tx, chainId: config.chainId, receipt, ...place };
      });
    }

    it("are equal for every block", () => {
      for (const block of blocks) {
        const recorded = recordedBlocks[String(block.header.number)];
        const transactions = block.transactions.map((tx) => bytesToHex(transactionHash(tx)));
        const source = { ...contextOf(block), size: encodeBlock(block).length, transactions };
        expect(renderBlock(source)).toEqual(recorded.kaia);
        expect(renderEthBlock({ ...source, author: authorOf(block.header) })).toEqual(recorded.eth);
      }
    });

    it("are equal for every transaction", () => {
      for (const block of blocks) {
        const recorded = recordedTransactions[String(block.header.number)] ?? [];
        for (const [index, tx] of block.transactions.entries()) {
          const located = { tx, chainId: config.chainId, block: contextOf(block), index };
          expect(renderTransaction(located)).toEqual(recorded[index]?.kaia);
          expect(renderEthTransaction(located)).toEqual(recorded[index]?.eth);
        }
      }
    });

    it("are equal for every receipt", () => {
      for (const block of blocks) {
        const number = String(block.header.number);
        for (const located of receiptsOf(block)) {
          expect(renderReceipt(located)).toEqual(recordedReceipts[number][located.index]);
          expect(renderEthReceipt(located)).toEqual(
            recordedTransactions[number]?.[located.index]?.ethReceipt,
          );
          expect(receiptText(located)).toBe(stringify(renderReceipt(located)));
          expect(ethReceiptText(located)).toBe(stringify(renderEthReceipt(located)));
        }
      }
    });

    it("have their members in alphabetical order", () => {
      const [located] = blocks.flatMap(receiptsOf) as [LocatedReceipt];
      for (const rendered of [renderReceipt(located), renderTransaction(located), renderEthReceipt(located)])
        expect(Object.keys(rendered)).toEqual(Object.keys(rendered).sort());
    });
  },
);

describe("a transaction without a block", () => {
  const { cases } = JSON.parse(fixture("vectors/transactions.json").toString()) as {
    cases: { name: string; raw: string; chainId: string; json: Json; rpcFields: { [key: string]: Json } }[];
  };

  it.each(cases.map((c) => [c.name, c] as const))(
    "of %s, key by key",
    (_, { raw, chainId, json, rpcFields }) => {
      const tx = decodeTransaction(hexToBytes(raw));
      expect(JSON.stringify(renderSigned(tx))).toBe(JSON.stringify(json));
      const shown = Object.entries(renderTransaction({ tx, chainId: BigInt(chainId), index: 0 }));
      const own = Object.fromEntries(shown.filter(([name]) => name in rpcFields));
      expect(JSON.stringify(own)).toBe(JSON.stringify(rpcFields));
    },
  );

  it("shows its fee cap as its price, and no location", () => {
    const raw = cases.find(({ name }) => name === "TxTypeEthereumDynamicFee-0")?.raw as string;
    const located = { tx: decodeTransaction(hexToBytes(raw)), chainId: 2021n, index: 0 };
    const zero = `0x${"00".repeat(32)}`;
    const nowhere = { blockHash: zero, blockNumber: "0x0", transactionIndex: "0x0", gasPrice: "0x5d21dba00" };
    expect(renderTransaction(located)).toMatchObject(nowhere);
    const unknown = { blockHash: null, blockNumber: null, transactionIndex: null, gasPrice: "0x5d21dba00" };
    expect(renderEthTransaction(located)).toMatchObject(unknown);
  });

  it("shows Ethereum no recipient where a Kaia type names the zero address", () => {
    const named = (name: string) => {
      const raw = cases.find((one) => one.name.startsWith(`${name}-`))?.raw as string;
      const tx = createTransaction({ ...decodeTransaction(hexToBytes(raw)), to: new Uint8Array(20) });
      const located = { tx, chainId: 2021n, index: 0 };
      return [renderTransaction(located)["to"], renderEthTransaction(located)["to"]];
    };
    const zero = `0x${"00".repeat(20)}`;
    expect(named("TxTypeValueTransfer")).toEqual([zero, null]);
    expect(named("TxTypeEthereumDynamicFee")).toEqual([zero, zero]);
  });

  it("shows null for invalid anchored data", () => {
    const raw = cases.find(({ name }) => name.startsWith("TxTypeChainDataAnchoring-"))?.raw as string;
    const tx = { ...decodeTransaction(hexToBytes(raw)), input: Uint8Array.of(1, 2, 3) };
    expect(renderSigned(tx)).toMatchObject({ input: "0x010203", inputJSON: null });
  });
});
