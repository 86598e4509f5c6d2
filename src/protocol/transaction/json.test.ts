import { describe, expect, it } from "vitest";
import { hexToBytes } from "../primitives/hex.ts";
import { anchoringToJson, decodeAnchoredBlock } from "./anchoring.ts";
import { decodeTransaction } from "./envelope.ts";
import { transactionToEthRpc } from "./eth-json.ts";
import { transactionToJson } from "./json.ts";
import { transactionToRpc, typeFieldsToRpc } from "./rpc-json.ts";
import { recoverSigners } from "./signers.ts";
import { type RecordedTransaction, readBaseFees, readCases, readRecorded } from "./testing/fixtures.ts";

interface Vector {
  name: string;
  raw: string;
  json: unknown;
  rpcFields: unknown;
}

describe("a transaction as JSON", () => {
  it.each(readCases<Vector>("transactions.json").map((v) => [v.name, v] as const))(
    "of %s, key by key",
    (_, vector) => {
      const tx = decodeTransaction(hexToBytes(vector.raw));
      expect(JSON.stringify(transactionToJson(tx))).toBe(JSON.stringify(vector.json));
      expect(JSON.stringify(typeFieldsToRpc(tx))).toBe(JSON.stringify(vector.rpcFields));
    },
  );
});

const CHAIN_ID = 0x7e3n;

describe("a transaction in a block", () => {
  const baseFees = readBaseFees("all-types");
  const recorded = [...readRecorded("all-types")];

  it.each(recorded)("of block %s looks as the reference shows it", (number, transactions) => {
    const baseFee = baseFees.get(number);
    for (const one of transactions) expectViews(one, baseFee);
  });
});

function expectViews({ raw, kaia, eth }: RecordedTransaction, baseFee: bigint | undefined): void {
  const tx = decodeTransaction(hexToBytes(raw));
  const { sender } = recoverSigners(tx, CHAIN_ID);
  const place = {
    blockHash: hexToBytes(String(kaia["blockHash"])),
    blockNumber: BigInt(String(kaia["blockNumber"])),
    index: Number(kaia["transactionIndex"]),
    baseFee,
    rules: { kaia: true },
  };
  expect(JSON.stringify(transactionToRpc(tx, sender, place))).toBe(JSON.stringify(kaia));
  expect(JSON.stringify(transactionToEthRpc(tx, sender, place))).toBe(JSON.stringify(eth));
}

describe("a pending transaction", () => {
  const raw = readCases<Vector>("transactions.json").find(
    (v) => v.name === "TxTypeEthereumDynamicFee-0",
  )?.raw;
  const tx = decodeTransaction(hexToBytes(String(raw)));
  const sender = new Uint8Array(20);

  it("stands in no block and shows its cap as its price", () => {
    const zero = `0x${"00".repeat(32)}`;
    const nowhere = { blockHash: zero, blockNumber: "0x0", transactionIndex: "0x0", gasPrice: "0x5d21dba00" };
    expect(transactionToRpc(tx, sender)).toMatchObject(nowhere);
    const unknown = { blockHash: null, blockNumber: null, transactionIndex: null, gasPrice: "0x5d21dba00" };
    expect(transactionToEthRpc(tx, sender)).toMatchObject(unknown);
  });
});

describe("anchored data", () => {
  const cases = readCases<{ name: string; data: string; error: string | null; json?: unknown }>(
    "anchoring-data.json",
  );

  it.each(cases.map((c) => [c.name, c] as const))("%s", (_, { data, error, json }) => {
    if (error !== null) expect(() => anchoringToJson(hexToBytes(data))).toThrowError(error);
    else expect(anchoringToJson(hexToBytes(data))).toEqual(json);
  });

  it("of another kind than a block is no anchored block", () => {
    const json = cases.find((c) => c.name === "anchor-4")?.data ?? "";
    expect(() => decodeAnchoredBlock(hexToBytes(json))).toThrowError("unknown anchoring tx type");
    const block = cases.find((c) => c.name === "anchor-1")?.data ?? "";
    expect(decodeAnchoredBlock(hexToBytes(block))).toMatchObject({
      blockNumber: 100n,
      blockCount: 10n,
      txCount: 5n,
    });
  });
});
