import { expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import type { StateStore } from "../../state/state.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../testing/ledger.ts";
import { exportBlocks } from "./chain-file.ts";
import { verifyChain } from "./verify-chain.ts";

const KEY = new Uint8Array(32).fill(7);
const SENDER = addressOfPublicKey(publicKeyOf(KEY));
const [FIRST, END] = [new Uint8Array(0), new Uint8Array(40).fill(0xff)];

/** A ledger with two blocks of one transaction each, on disk. */
async function twoBlocks() {
  const ledger = await createLedger(genesisOf({ [bytesToHex(SENDER)]: 10n ** 20n }));
  const type = transactionTypeByName("TxTypeValueTransfer") as TransactionType;
  for (const nonce of [0n, 1n]) {
    const parts = {
      type,
      nonce,
      gas: 100_000n,
      gasPrice: 25_000_000_000n,
      to: SENDER,
      value: 1n,
      from: SENDER,
    };
    await ledger.add(signTransaction(createTransaction(parts), [KEY], CHAIN_ID));
  }
  await ledger.chain.published();
  return ledger;
}

function lastRow(store: StateStore, table: string) {
  const row = [...store.range(table, FIRST, END)].at(-1);
  if (row === undefined) throw new Error(`no row in ${table}`);
  return row;
}

it("counts blocks, transactions and postings", async () => {
  const { store, chain } = await twoBlocks();
  const counts = verifyChain({ store, chainId: CHAIN_ID, params: chain.params });
  expect(counts).toEqual({ blocks: 3, transactions: 2, postings: 0 });
});

it.each([
  ["body", Uint8Array.of(1)],
  ["receipts", Uint8Array.of(0xc2, 1)],
  ["header", Uint8Array.of(0xc0)],
  ["body", null],
])("names the block if its %s row is %o", async (table, value) => {
  const { store, chain } = await twoBlocks();
  const [key] = lastRow(store, table);
  await store.write([{ table, key, value }]);
  expect(() => verifyChain({ store, chainId: CHAIN_ID, params: chain.params })).toThrow(
    expect.objectContaining({
      code: "CHAIN_DAMAGED",
      message: expect.stringMatching(/^the chain is damaged at block 2: /),
    }),
  );
});

it("reports each block and each account as it reaches it", async () => {
  const { store, chain } = await twoBlocks();
  const numbers: bigint[] = [];
  verifyChain({
    store,
    chainId: CHAIN_ID,
    params: chain.params,
    onBlock: (number) => numbers.push(number),
  });
  expect(numbers).toEqual([0n, 1n, 2n]);
  const keys: string[] = [];
  expect(store.verify((key) => keys.push(bytesToHex(key))).accounts).toBe(keys.length);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys).toEqual([...keys].sort());
});

it("reports each exported block", async () => {
  const { chain } = await twoBlocks();
  const numbers: bigint[] = [];
  expect([...exportBlocks(chain, 1n, 2n, (number) => numbers.push(number))]).toHaveLength(2);
  expect(numbers).toEqual([1n, 2n]);
});
