import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { readBlocks } from "../../../../src/ledger/chain/import/chain-file.ts";
import type { Block } from "../../../../src/protocol/block/block.ts";
import { EMPTY_BYTES } from "../../../../src/protocol/primitives/bytes.ts";
import { signTransaction } from "../../../../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../../src/protocol/transaction/transaction.ts";
import { transactionType } from "../../../../src/protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../../../src/protocol/transaction/value.ts";
import type { Attacker, Chain } from "./attacker.ts";

const CHAIN = new URL("../../../fixtures/chains/all-types/chain.rlp.gz", import.meta.url);

/** A block unrelated to the target's chain. */
const foreign: Block = await firstOf(gunzipSync(readFileSync(CHAIN)));

async function firstOf(bytes: Uint8Array): Promise<Block> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  for await (const block of readBlocks(pieces())) return block;
  throw new Error("the chain is empty");
}

/** Transactions of senders who have nothing; all different. */
function poor({ chainId }: Chain, from: number, count: number): readonly Transaction[] {
  const type = transactionType(0) as TransactionType;
  const parts = {
    type,
    gas: 21_000n,
    gasPrice: 250_000_000_000n,
    to: new Uint8Array(20).fill(1),
    value: 1n,
    input: EMPTY_BYTES,
  };
  const signed = signTransaction(createTransaction(parts), [new Uint8Array(32).fill(5)], chainId);
  return Array.from({ length: count }, (_, i) => createTransaction({ ...signed, nonce: BigInt(from + i) }));
}

/** Requests and announcements that a peer can repeat. */
export const FLOODS: readonly ((attacker: Attacker, chain: Chain) => void)[] = [
  ({ send }) => {
    const request = { origin: { number: 0n }, amount: 192n, skip: 0n, reverse: false };
    for (let i = 0; i < 2_000; i++) send("headersRequest", request);
  },
  ({ send }, { genesis }) => {
    const hashes = Array.from({ length: 4096 }, (_, i) => (i % 2 ? genesis : new Uint8Array(32).fill(i)));
    for (let i = 0; i < 40; i++) send(i % 2 ? "bodiesRequest" : "receiptsRequest", hashes);
  },
  ({ send }) => {
    const known = Array.from({ length: 5120 }, (_, i) => ({ hash: new Uint8Array(32).fill(i), number: 1n }));
    for (let i = 0; i < 40; i++) send("newBlockHashes", known);
  },
  ({ session }) => {
    for (let i = 0; i < 50_000; i++) session.send(2, Uint8Array.of(0xc0));
  },
  ({ send }) => {
    const totalBlockScore = foreign.header.number + 1n;
    for (let i = 0; i < 5_000; i++) send("newBlock", { block: foreign, totalBlockScore });
  },
  ({ send }, chain) => {
    for (let i = 0; i < 10; i++) send("transactions", poor(chain, i * 1_000, 1_000));
  },
];
