import type { Block } from "../../../protocol/block/block.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { signAsFeePayer, signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import type { HeadEvent } from "../chain.ts";
import { CHAIN_ID, createLedger, genesisOf, type TestLedger } from "./ledger.ts";

/** Private key of the only account with a balance. */
export const KEY = new Uint8Array(32).fill(7);
export const SENDER = addressOfPublicKey(publicKeyOf(KEY));
export const RECIPIENT = new Uint8Array(20).fill(0x55);
/** Gives the sender 100 KAIA. */
export const GENESIS = genesisOf({ [bytesToHex(SENDER)]: 10n ** 20n });

/** A signed transfer to `RECIPIENT`. @param delegated - the sender also signs as fee payer */
export function transfer(nonce: bigint, value = 1n, delegated = false): Transaction {
  const name = delegated ? "TxTypeFeeDelegatedValueTransfer" : "TxTypeValueTransfer";
  const type = transactionTypeByName(name) as TransactionType;
  const parts = { type, nonce, gas: 100_000n, gasPrice: 25_000_000_000n, to: RECIPIENT, value, from: SENDER };
  if (!delegated) return signTransaction(createTransaction(parts), [KEY], CHAIN_ID);
  const signed = signTransaction(createTransaction({ ...parts, feePayer: SENDER }), [KEY], CHAIN_ID);
  return signAsFeePayer(signed, [KEY], CHAIN_ID);
}

/** Numbers of the blocks that a head event adds or removes. */
export const numbersOf = (list: HeadEvent["added"]) => list.map(({ block }) => Number(block.header.number));
/** The recipient's balance, kei. */
export const balance = ({ chain }: TestLedger) => chain.latestState().account(RECIPIENT)?.balance ?? 0n;

/** Blocks on the genesis, each with one transfer of this value. */
export async function blocksOf(count: number, value = 1n): Promise<Block[]> {
  const ledger = await createLedger(GENESIS);
  const blocks: Block[] = [];
  for (let nonce = 0; nonce < count; nonce++)
    blocks.push((await ledger.add(transfer(BigInt(nonce), value))).block);
  return blocks;
}
