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

/** Maximum unmined payments per payer. */
const MAX_OPEN = 3;
const GAS_PRICE = 750_000_000_000n;
const CHAIN_ID = 2023n;
/** The recipient of 1 kei per payment, with no other income. */
const PAYEE = new Uint8Array(20).fill(0x99);

interface Recorded {
  readonly label: string;
  readonly privateKey: string;
}
const PAYERS: readonly Uint8Array[] = readJson("bft4/keys.json")
  .keys.filter(({ label }: Recorded) => ["alice", "bob", "payer"].includes(label))
  .map(({ privateKey }: Recorded) => hexToBytes(privateKey));
const LEGACY = TRANSACTION_TYPES.find(({ code }) => code === TypeCode.legacy);

/** Sequential payments of a few payers: each is resubmitted to any node until some node has reported it in a block. */
export class Payments {
  readonly #open: Transaction[][] = PAYERS.map(() => []);
  readonly #made = PAYERS.map(() => 0n);
  /** Blocks reported for payments, by hash. */
  readonly #shown = new Map<string, bigint>();
  #isOver = false;

  /** Number of payments reported in a block. */
  get shown(): number {
    return this.#shown.size;
  }

  /** Whether all payments have been reported. */
  get areAllShown(): boolean {
    return this.#open.every((open) => open.length === 0);
  }

  /** Makes no new payments; unmined ones are still resubmitted. */
  end(): void {
    this.#isOver = true;
  }

  /** Payments to submit now. */
  due(): readonly Transaction[] {
    for (const [i, open] of this.#open.entries())
      while (!this.#isOver && open.length < MAX_OPEN) open.push(this.#pay(i));
    return this.#open.flat();
  }

  /** A node reports a new block. @returns a problem, if any */
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

  /** Compares a chain with what was reported up to its head. @returns a problem, if any */
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
