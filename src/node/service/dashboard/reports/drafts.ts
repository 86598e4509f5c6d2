import type { Names } from "../../../../api/artifacts/names.ts";
import { refused } from "../../../../api/rpc/engine/errors.ts";
import { buildTransaction } from "../../../../api/rpc/handlers/transactions/transaction-builder.ts";
import type { DraftReport } from "../../../../api/rpc/spec/dashboard/desk-wire.ts";
import type { SendTxArgs } from "../../../../api/rpc/spec/values/transaction-args.ts";
import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import type { ChainTransactionPool } from "../../../../ledger/txpool/transaction-pool.ts";
import { Role } from "../../../../protocol/account/key.ts";
import {
  type Address,
  equalBytes,
  isZeroBytes,
  ZERO_ADDRESS,
} from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { decodeDraft } from "../../../../protocol/transaction/decoding.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { recipientOf } from "../../../../protocol/transaction/recipient.ts";
import { withOpenFeePayer } from "../../../../protocol/transaction/signatures/sender-signed.ts";
import {
  unsignedHash,
  withFeePayerSignatures,
  withSignatures,
} from "../../../../protocol/transaction/signatures/signing.ts";
import type { Signature, Transaction } from "../../../../protocol/transaction/transaction.ts";
import { createTransaction } from "../../../../protocol/transaction/value.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import { feePayerReport, senderReport } from "./signer-report.ts";
import { installedKey } from "./transaction-report.ts";

/** Maximum copies of one transaction merged at once. */
const MAX_COPIES = 20;
/** Signatures of one party; the protocol permits ten. */
const MAX_SIGNATURES = 10;
/** Characters of a call with its arguments. */
const MAX_CALL = 20_000;
const DEFAULT_GAS = 300_000n;

/** Dependencies of drafts. */
export interface DraftParts {
  readonly chain: Blockchain;
  readonly pool: Pick<ChainTransactionPool, "nonce">;
  readonly wallets: Pick<WalletManager, "signTransaction">;
  readonly names: () => Names;
}

/** Transactions that several signers sign in turn before they are sent. Nothing is stored here. */
export class Drafts {
  readonly #parts: DraftParts;

  constructor(parts: DraftParts) {
    this.#parts = parts;
  }

  /** A transaction without signatures; missing nonce, gas and price are filled in. @throws RpcError */
  make(args: SendTxArgs): DraftReport {
    const { chain, pool } = this.#parts;
    const tx = buildTransaction({
      ...args,
      gas: args.gas ?? DEFAULT_GAS,
      gasPrice: args.gasPrice ?? 2n * chain.nextBaseFee(),
      nonce: args.nonce ?? pool.nonce(args.from),
    });
    if (tx.type.ethereum || tx.from === undefined)
      throw refused("only Kaia's own transaction types can have several signers");
    return this.#report(tx);
  }

  /** What a transaction is, and who has signed it. @throws RpcError for bytes that are not a transaction */
  examine(raw: Uint8Array): DraftReport {
    return this.#report(read(raw));
  }

  /** With one more signature. @throws WalletError, RpcError */
  async sign(raw: Uint8Array, signer: Address, role: number): Promise<DraftReport> {
    const { chainId } = this.#parts.chain.config;
    const isPayer = role === Role.feePayer;
    const tx = isPayer ? read(raw, signer) : read(raw);
    if (tx.type.ethereum || tx.from === undefined)
      throw refused("only Kaia's own transaction types can have several signers");
    const request = { tx, chainId, role: isPayer ? "feePayer" : "sender" } as const;
    const made = await this.#parts.wallets.signTransaction(signer, request);
    const bare = createTransaction(isPayer ? { ...tx, feePayerSignatures: [] } : { ...tx, signatures: [] });
    const signed = isPayer
      ? withFeePayerSignatures(bare, made, chainId)
      : withSignatures(bare, made, chainId);
    return this.#report(joined([tx, signed]));
  }

  /** Merges the signatures of several copies. @throws RpcError if they are not copies of one transaction */
  merge(raws: readonly Uint8Array[]): DraftReport {
    if (raws.length === 0 || raws.length > MAX_COPIES)
      throw refused(`1 to ${MAX_COPIES} copies can be merged`);
    const copies = raws.map((raw) => read(raw));
    const [first] = copies as [Transaction];
    const { chainId } = this.#parts.chain.config;
    const hash = unsignedHash(first, chainId);
    if (copies.some((copy) => !equalBytes(unsignedHash(copy, chainId), hash)))
      throw refused("these are different transactions: their fields differ, not only their signatures");
    return this.#report(joined(copies));
  }

  #report(tx: Transaction): DraftReport {
    // A report has it as a number, which would be another one.
    if (tx.nonce > BigInt(Number.MAX_SAFE_INTEGER))
      throw refused(`its nonce is ${tx.nonce}: no account ever gets there`);
    const { chain, names } = this.#parts;
    const { chainId } = chain.config;
    const state = chain.latestState();
    const context = { chainId, state, rules: chain.rulesAt(chain.head.header.number + 1n) };
    const sender = senderReport(tx, context);
    const feePayer = feePayerReport(tx, context);
    const input = tx.input ?? new Uint8Array();
    const to = recipientOf(tx);
    const call = to === undefined ? names().creation(input) : names().call(to, input);
    const from = tx.from ?? ZERO_ADDRESS;
    return {
      raw: bytesToHex(encodeTransaction(tx)),
      hash: bytesToHex(transactionHash(tx)),
      type: tx.type.name.replace("TxType", ""),
      signedHash: bytesToHex(unsignedHash(tx, chainId)),
      from: tx.from === undefined ? sender.address : bytesToHex(tx.from),
      to: to === undefined ? null : bytesToHex(to),
      value: String(tx.value ?? 0n),
      nonce: Number(tx.nonce),
      nextNonce: Number(state.account(from)?.nonce ?? 0n),
      gas: String(tx.gas),
      gasPrice: String(tx.gasPrice),
      feeRatio: tx.type.feeMode === "sender" ? null : Number(tx.feeRatio ?? 100n),
      call: call === undefined ? null : call.slice(0, MAX_CALL),
      input: bytesToHex(input),
      newKey: tx.key === undefined ? null : installedKey(tx.key),
      ...{ sender, feePayer },
      isComplete: sender.valid === true && (feePayer === null || feePayer.valid === true),
    };
  }
}

/** @param feePayer - filled in if the sender's tool left it open */
function read(raw: Uint8Array, feePayer = ZERO_ADDRESS): Transaction {
  try {
    return withOpenFeePayer(raw, feePayer, decodeDraft) ?? decodeDraft(raw);
  } catch (error) {
    if (error instanceof NodeError) throw refused(`this is not a transaction: ${error.message}`);
    throw error;
  }
}

/** The first with the signatures of all, each once. */
function joined(copies: readonly Transaction[]): Transaction {
  const [first] = copies as readonly [Transaction];
  const paid = copies.find(({ feePayer }) => feePayer !== undefined && !isZeroBytes(feePayer));
  return createTransaction({
    ...first,
    ...(paid?.feePayer && { feePayer: paid.feePayer }),
    signatures: distinct(copies.flatMap(({ signatures }) => signatures)),
    ...(first.type.feeMode !== "sender" && {
      feePayerSignatures: distinct(
        (paid === undefined ? [] : copies).flatMap((copy) => copy.feePayerSignatures ?? []),
      ),
    }),
  });
}

function distinct(signatures: readonly Signature[]): readonly Signature[] {
  const byText = new Map(
    signatures.filter(({ r, s }) => r !== 0n || s !== 0n).map((one) => [`${one.v} ${one.r} ${one.s}`, one]),
  );
  if (byText.size > MAX_SIGNATURES) throw refused(`more than ${MAX_SIGNATURES} signatures`);
  return [...byText.values()];
}
