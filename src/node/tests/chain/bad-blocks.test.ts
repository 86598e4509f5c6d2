import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { parseGenesis } from "../../../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../../ledger/chain/genesis/genesis-init.ts";
import { readBlocks } from "../../../ledger/chain/import/chain-file.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { encodeBlock, readBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash, committedSealMessage, proposerSealMessage } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import { encodeSeal, withCommittedSeals, withProposerSeal } from "../../../protocol/block/seal.ts";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import {
  createTransaction,
  encodeTransaction,
  transactionHash,
} from "../../../protocol/transaction/envelope.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { type Ledger, openLedger } from "../../storage/ledger.ts";

const folder = new URL("../../../../test/fixtures/chains/all-types/", import.meta.url);
const fixture = (name: string) => readFileSync(new URL(name, folder));
const { keys } = JSON.parse(fixture("keys.json").toString());
const keyOf = (label: string) =>
  hexToBytes(keys.find((key: { label: string }) => key.label === label).privateKey);
const VALIDATOR = keyOf("validator0");
const STRANGER = keyOf("alice");

/** Seven transactions of one sender and three of Kaia's own types after it. */
const BAD = 4;

function readChain(): Block[] {
  const bytes = new Uint8Array(gunzipSync(fixture("chain.rlp.gz")));
  const blocks: Block[] = [];
  for (let at = 0; blocks.length < BAD + 1; ) {
    const { block, end } = readBlock(bytes, at);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

const chain = readChain();
const good = chain[BAD - 1] as Block;

/** A header as a validator would have sealed it: hash, proposer seal and committed seal fit. */
function sealed(header: Header, proposer = VALIDATOR, committer = VALIDATOR): Header {
  const proposed = withProposerSeal(header, encodeSeal(sign(proposerSealMessage(header), proposer)));
  const commit = encodeSeal(sign(committedSealMessage(blockHash(proposed)), committer));
  return withCommittedSeals(proposed, [commit], 0);
}

function withHeader(fields: Partial<Header>): Block {
  return { ...good, header: sealed({ ...good.header, ...fields }) };
}

function withTransactions(ledger: Ledger, transactions: readonly Transaction[]): Block {
  const { deriveShaImpl } = ledger.chain.params.at(good.header.number);
  const transactionsRoot = deriveSha(deriveShaImpl, transactions.map(encodeTransaction));
  return { transactions, header: sealed({ ...good.header, transactionsRoot }) };
}

function flipped(bytes: Uint8Array, at = 0): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

function resigned(tx: Transaction): Transaction {
  const [first] = tx.signatures;
  if (first === undefined) throw new Error("unsigned");
  return createTransaction({ ...tx, signatures: [{ v: first.v, r: first.r + 1n, s: first.s }] });
}

const [first, second, ...others] = good.transactions as [Transaction, Transaction, ...Transaction[]];

/** What is wrong, the block that has it, the field that is named and what the message says; the transaction's index. */
const CASES: readonly [string, (ledger: Ledger) => Block, string, RegExp, number?][] = [
  [
    "state root",
    () => withHeader({ stateRoot: flipped(good.header.stateRoot) }),
    "stateRoot",
    /^invalid merkle root/,
  ],
  [
    "receipts root",
    () => withHeader({ receiptsRoot: flipped(good.header.receiptsRoot) }),
    "receiptsRoot",
    /receipt/,
  ],
  ["gas used", () => withHeader({ gasUsed: good.header.gasUsed + 1n }), "gasUsed", /^invalid gas used/],
  ["bloom", () => withHeader({ bloom: flipped(good.header.bloom) }), "bloom", /^invalid bloom/],
  [
    "transactions root",
    () => withHeader({ transactionsRoot: flipped(good.header.stateRoot) }),
    "transactionsRoot",
    /mismatch/,
  ],
  ["timestamp", () => withHeader({ time: chain[BAD - 2]?.header.time ?? 0n }), "time", /^invalid timestamp/],
  ["future", () => withHeader({ time: 99_999_999_999n }), "time", /^block in the future/],
  ["base fee", () => withHeader({ baseFee: 1n }), "baseFee", /^invalid baseFee/],
  [
    "random reveal",
    () => withHeader({ randomReveal: flipped(good.header.randomReveal as Uint8Array, 9) }),
    "mixHash",
    /randao/,
  ],
  [
    "extra",
    () => ({ ...good, header: { ...good.header, extra: good.header.extra.slice(0, 40) } }),
    "extra",
    /extra/,
  ],
  ["proposer", () => ({ ...good, header: sealed(good.header, STRANGER) }), "extra.seal", /^unauthorized/],
  [
    "proposer seal of no key",
    () => ({ ...good, header: withProposerSeal(good.header, new Uint8Array(65)) }),
    "extra.seal",
    /^recovery failed/,
  ],
  [
    "committed seals",
    () => ({ ...good, header: sealed(good.header, VALIDATOR, STRANGER) }),
    "extra.committedSeals",
    /seals/,
  ],
  [
    "no committed seals",
    () => ({ ...good, header: withCommittedSeals(good.header, [], 0) }),
    "extra.committedSeals",
    /^zero/,
  ],
  [
    "transaction order",
    (ledger) => withTransactions(ledger, [second, first, ...others]),
    "nonce",
    /^nonce too high/,
    0,
  ],
  [
    "repeated transaction",
    (ledger) => withTransactions(ledger, [first, first, ...others]),
    "nonce",
    /^nonce too low/,
    1,
  ],
  [
    "signature",
    (ledger) => withTransactions(ledger, [first, resigned(second), ...others]),
    "signatures",
    /^invalid sender/,
    1,
  ],
];

async function* file(...blocks: readonly Block[]): AsyncGenerator<Uint8Array> {
  for (const block of blocks) yield encodeBlock(block);
}

describe("a file with a bad block", () => {
  let ledger: Ledger;

  beforeAll(async () => {
    ledger = await openLedger({
      genesis: initialGenesis(parseGenesis(fixture("genesis.json").toString())),
      history: "full",
      recovery: createInlineRecovery,
      runtime: systemRuntime,
    });
    await ledger.importer.importAll(readBlocks(file(...chain.slice(0, BAD - 2))));
  });

  it.each(CASES)(
    "is rejected for its %s, after importing the blocks before",
    async (_, make, field, text, index) => {
      const bad = make(ledger);
      const before = chain[BAD - 2] as Block;
      const imported = ledger.importer.importAll(readBlocks(file(before, bad, chain[BAD] as Block)));
      const transaction = index === undefined ? undefined : bad.transactions[index];
      await expect(imported).rejects.toMatchObject({
        code: "BAD_BLOCK",
        message: expect.stringMatching(text),
        details: {
          number: good.header.number,
          hash: bytesToHex(blockHash(bad.header)),
          field,
          ...(transaction && { transactionHash: bytesToHex(transactionHash(transaction)) }),
        },
      });
      expect(ledger.chain.tip.hash).toEqual(blockHash(before.header));
      expect(ledger.store.head?.root).toEqual(before.header.stateRoot);
      const remembered = ledger.importer.badBlocks.list().map(({ block }) => block.header);
      if (text.test("block in the future")) expect(remembered).not.toContainEqual(bad.header);
      else expect(remembered).toContainEqual(bad.header);
    },
  );

  it("does not prevent the correct file from being imported", async () => {
    const { imported, skipped, number } = await ledger.importer.importAll(readBlocks(file(...chain)));
    expect({ imported, skipped, number }).toEqual({ imported: 2, skipped: BAD - 1, number: BigInt(BAD + 1) });
    expect(ledger.store.head?.root).toEqual(chain[BAD]?.header.stateRoot);
  });

  it("names the block and the transaction that cannot be decoded", async () => {
    const bytes = encodeBlock(good);
    const last = bytes.length - 1;
    bytes.fill(0xff, last - 80, last);
    async function* damaged() {
      yield bytes;
    }
    await expect(ledger.importer.importAll(readBlocks(damaged()))).rejects.toMatchObject({
      code: "BAD_BLOCK",
      details: {
        number: good.header.number,
        hash: bytesToHex(blockHash(good.header)),
        field: "transactions",
        transactionIndex: good.transactions.length - 1,
      },
    });
  });

  it("that is truncated keeps the blocks before the cut", async () => {
    const next = chain.slice(0, 2).map(encodeBlock);
    async function* torn() {
      yield next[0] as Uint8Array;
      yield (next[1] as Uint8Array).subarray(0, 100);
    }
    const fresh = await openLedger({
      genesis: initialGenesis(parseGenesis(fixture("genesis.json").toString())),
      history: "full",
      recovery: createInlineRecovery,
      runtime: systemRuntime,
    });
    await expect(fresh.importer.importAll(readBlocks(torn()))).rejects.toMatchObject({
      code: "BLOCK_CUT_SHORT",
      details: { after: 1n },
    });
    expect(fresh.chain.tip.header.number).toBe(1n);
    await fresh.store.close();
  });
});
