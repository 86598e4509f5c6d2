import type { Blockchain } from "../../../src/ledger/chain/blockchain.ts";
import { readJson } from "../../../src/network/consensus/testing/recorded-chain.ts";
import type { Block } from "../../../src/protocol/block/block.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import { EMPTY_BYTES } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { transactionHash } from "../../../src/protocol/transaction/hash.ts";
import { signTransaction } from "../../../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../src/protocol/transaction/transaction.ts";
import { TRANSACTION_TYPES } from "../../../src/protocol/transaction/type-table.ts";
import { TypeCode } from "../../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../../src/protocol/transaction/value.ts";

/** Payments of one payer that no block has yet. */
const MAX_OPEN = 3;
const GAS_PRICE = 750_000_000_000n;
const CHAIN_ID = 2023n;
/** Who is paid 1 kei each time, and has nothing else. */
const PAYEE = new Uint8Array(20).fill(0x99);

interface Recorded {
  readonly label: string;
  readonly privateKey: string;
}
const PAYERS: readonly Uint8Array[] = readJson("bft4/keys.json")
  .keys.filter(({ label }: Recorded) => ["alice", "bob", "payer"].includes(label))
  .map(({ privateKey }: Recorded) => hexToBytes(privateKey));
const LEGACY = TRANSACTION_TYPES.find(({ code }) => code === TypeCode.legacy);

/** Payments in a row of a few payers: each is submitted again and again, anywhere, until some node has shown it in a block. */
export class Payments {
  readonly #open: Transaction[][] = PAYERS.map(() => []);
  readonly #made = PAYERS.map(() => 0n);
  /** Blocks in which payments were shown, by hash: what a payer has been told. */
  readonly #shown = new Map<string, bigint>();
  #isOver = false;

  /** Number of payments that were shown in a block. */
  get shown(): number {
    return this.#shown.size;
  }

  /** Whether each payment that was made has been shown. */
  get areAllShown(): boolean {
    return this.#open.every((open) => open.length === 0);
  }

  /** Makes no new ones; those that are open are submitted on. */
  end(): void {
    this.#isOver = true;
  }

  /** What is to be submitted now. */
  due(): readonly Transaction[] {
    for (const [i, open] of this.#open.entries())
      while (!this.#isOver && open.length < MAX_OPEN) open.push(this.#pay(i));
    return this.#open.flat();
  }

  /** A node shows a block that is new. @returns what is wrong with it */
  show({ header, transactions }: Block): string | undefined {
    for (const transaction of transactions) {
      const hash = bytesToHex(transactionHash(transaction));
      const before = this.#shown.get(hash);
      if (before !== undefined) return `a payment of block ${before} is in block ${header.number} again`;
      this.#shown.set(hash, header.number);
      for (const open of this.#open) {
        const at = open.findIndex((one) => bytesToHex(transactionHash(one)) === hash);
        if (at >= 0) open.splice(at, 1);
      }
    }
    return undefined;
  }

  /** Compares a chain with what was shown up to its head. @returns what is wrong */
  audit(chain: Blockchain): string | undefined {
    const { number } = chain.head.header;
    let count = 0n;
    for (const [hash, shownIn] of this.#shown) {
      if (shownIn > number) continue;
      count++;
      const block = chain.block(shownIn);
      const isThere = block?.transactions.some((one) => bytesToHex(transactionHash(one)) === hash);
      if (!isThere) return `a payment that was shown in block ${shownIn} is not there`;
    }
    const paid = chain.stateAt(number)?.account(PAYEE)?.balance ?? 0n;
    return paid === count
      ? undefined
      : `${count} payments were shown up to block ${number}, and ${paid} made`;
  }

  #pay(payer: number): Transaction {
    const key = PAYERS[payer] as Uint8Array;
    const nonce = this.#made[payer] as bigint;
    this.#made[payer] = nonce + 1n;
    if (LEGACY === undefined) throw new Error("no such type");
    const transaction = createTransaction({
      ...{ type: LEGACY, nonce, gas: 21_000n, gasPrice: GAS_PRICE, to: PAYEE, value: 1n, input: EMPTY_BYTES },
      from: addressOfPublicKey(publicKeyOf(key)),
    });
    return signTransaction(transaction, [key], CHAIN_ID);
  }
}
