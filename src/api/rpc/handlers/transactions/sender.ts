import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { type Address, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import {
  unsignedHash,
  withFeePayerSignatures,
  withSignatures,
} from "../../../../protocol/transaction/signatures/signing.ts";
import type { Signature, Transaction } from "../../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../../protocol/transaction/value.ts";
import type { Passphrase } from "../../../../wallet/passphrase.ts";
import type { TransactionSigner, WalletManager } from "../../../../wallet/wallet.ts";
import { refused } from "../../engine/errors.ts";
import { renderSigned } from "../../render/transaction.ts";
import type { SendTxArgs } from "../../spec/values/transaction-args.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { AccountLocks } from "../accounts/account-locks.ts";
import { fittingSignatures } from "../accounts/fitting-signatures.ts";
import type { FeeOracle } from "../fees/fee-oracle.ts";
import { buildTransaction, type Filled, isEthTyped } from "./transaction-builder.ts";

const DEFAULT_GAS = 90_000n;
const DYNAMIC_FEE = BigInt(TypeCode.dynamicFee);
const SET_CODE = BigInt(TypeCode.setCode);

/** Arguments of a transaction that may be resent. */
interface Replaceable {
  readonly from: Address;
  readonly nonce?: bigint;
}

/** What sending needs. */
export interface SenderDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly wallets: WalletManager;
  readonly fees: FeeOracle;
  /** Code of the newest Ethereum type that is built. */
  readonly newestEthType: bigint;
}

/**
 * Fills, signs and sends transactions with the keys of this node. While a transaction without a nonce is being added to
 * the pool, the next one of the same account waits, so that each gets its own nonce.
 */
export class TransactionSender {
  readonly #deps: SenderDeps;
  readonly #locks = new AccountLocks();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Signs with the key of `from` and adds to the pool. @param passphrase of a locked key */
  send(args: SendTxArgs, passphrase?: Passphrase): Promise<Hash> {
    return this.#withSigner(args, passphrase, (signer) =>
      this.withNonce(args, async () => this.submit(await this.#signed(args, signer))),
    );
  }

  /** Signs with the key of `from`. @returns bytes and readable form */
  sign(args: SendTxArgs, passphrase?: Passphrase): Promise<WireObject> {
    return this.#withSigner(args, passphrase, async (signer) =>
      signingResult(await this.#signed(args, signer)),
    );
  }

  /** Signs with the key of the fee payer and adds to the pool. Nothing is filled in: the sender has signed already. */
  async sendAsFeePayer(args: SendTxArgs, passphrase?: Passphrase): Promise<Hash> {
    if (args.typeInt === undefined) throw refused("tx should have a type value");
    if (args.nonce === undefined) throw refused("nonce of the sender is not set");
    if (args.gas === undefined) throw refused("gas limit is not set");
    if (args.gasPrice === undefined) throw refused("gas price is not set");
    if (args.signatures === undefined) throw refused("sender signature is not set");
    return this.submit(await this.#signedAsFeePayer(args, passphrase));
  }

  /** Signs with the key of the fee payer, before or after the sender. @returns bytes and readable form */
  async signAsFeePayer(args: SendTxArgs, passphrase?: Passphrase): Promise<WireObject> {
    return signingResult(await this.#signedAsFeePayer(args, passphrase));
  }

  /**
   * Replaces a pooled transaction of an unlocked account.
   * @param args as it was sent, with its nonce
   * @param unsigned builds the transaction from arguments and defaults
   * @throws RpcError -32000 with the reference's texts
   */
  async resend<A extends Replaceable>(
    args: A,
    changes: { readonly gasPrice?: bigint; readonly gas?: bigint },
    unsigned: (args: A) => Transaction | Promise<Transaction>,
  ): Promise<Hash> {
    if (args.nonce === undefined) throw refused("missing transaction nonce in transaction spec");
    const { chainId } = this.#deps.chain.config;
    const old = await unsigned(args);
    const wanted = unsignedHash(old, chainId);
    const waiting = this.#deps.pool.contentOf(args.from).pending;
    if (!waiting.some((tx) => equalBytes(unsignedHash(tx, chainId), wanted)))
      throw refused(`Transaction ${bytesToHex(transactionHash(old)).slice(2)} not found`);
    const price = old.maxPriorityFeePerGas === undefined ? "gasPrice" : "maxFeePerGas";
    const changed = {
      ...args,
      ...(changes.gasPrice && { [price]: changes.gasPrice }),
      ...(changes.gas && { gas: changes.gas }),
    };
    return this.submit(await this.signWith(args.from, await unsigned(changed)));
  }

  /** Runs exclusively for its account if the nonce is still to be assigned. */
  withNonce<T>(
    args: { readonly from?: Address; readonly nonce?: bigint },
    work: () => Promise<T>,
  ): Promise<T> {
    if (args.nonce !== undefined || args.from === undefined) return work();
    return this.#locks.run(args.from, work);
  }

  /** Adds a transaction of this node to the pool. */
  submit(tx: Transaction): Promise<Hash> {
    return this.#deps.pool.add(tx, { local: true });
  }

  /** The transaction with the signature of an unlocked account of this node. @throws WalletError, TransactionError */
  signWith(from: Address, tx: Transaction): Promise<Transaction> {
    return this.#signWith(this.#unlocked(from), tx);
  }

  #unlocked(from: Address): TransactionSigner {
    const { wallets } = this.#deps;
    return { signTransaction: (request) => wallets.signTransaction(from, request), forget: () => undefined };
  }

  async #signWith(signer: TransactionSigner, tx: Transaction): Promise<Transaction> {
    const { chain } = this.#deps;
    const { chainId } = chain.config;
    const request = { tx, chainId, role: "sender" } as const;
    const made = await signer.signTransaction(request);
    // Only Kaia's types have several signatures, and those name their sender.
    if (tx.from === undefined) return withSignatures(tx, made, chainId);
    return withSignatures(
      tx,
      fittingSignatures(made, request, tx.from, () => chain.latestState()),
      chainId,
    );
  }

  /**
   * Runs work with the decrypted key of `from`. Decryption is slow, so it happens outside the nonce queue of the
   * account, and after checking that the transaction can be built.
   */
  async #withSigner<T>(
    args: SendTxArgs,
    passphrase: Passphrase | undefined,
    work: (signer: TransactionSigner) => Promise<T>,
  ): Promise<T> {
    if (passphrase === undefined) return work(this.#unlocked(args.from));
    this.unsigned(args);
    const signer = await this.#deps.wallets.signer(args.from, passphrase);
    try {
      return await work(signer);
    } finally {
      signer.forget();
    }
  }

  #signed(args: SendTxArgs, signer: TransactionSigner): Promise<Transaction> {
    return this.#signWith(signer, this.unsigned(args));
  }

  /** The transaction built from arguments and defaults. @throws RpcError */
  unsigned(args: SendTxArgs): Transaction {
    const capped = args.maxPriorityFeePerGas !== undefined && args.maxFeePerGas !== undefined;
    if (isEthTyped(args.typeInt) && args.gasPrice === undefined && !capped)
      throw refused("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
    return buildTransaction(this.#filled(args));
  }

  async #signedAsFeePayer(args: SendTxArgs, passphrase: Passphrase | undefined): Promise<Transaction> {
    const { chain, wallets } = this.#deps;
    const unsigned = buildTransaction(this.#filled(args));
    // Of other types the reference takes the sender, whose wallet then refuses to sign.
    const feePayer = unsigned.type.feeMode === "sender" ? unsigned.from : unsigned.feePayer;
    if (feePayer === undefined) throw refused("invalid fee payer is set");
    const tx = withSenderSignatures(unsigned, args.signatures ?? [UNSIGNED]);
    const { chainId } = chain.config;
    const request = { tx, chainId, role: "feePayer" } as const;
    const made = await wallets.signTransaction(feePayer, request, passphrase);
    const fitting = fittingSignatures(made, request, feePayer, () => chain.latestState());
    return withFeePayerSignatures(tx, fitting, chainId);
  }

  /** Arguments with the defaults of the reference node. */
  #filled(args: SendTxArgs): Filled<SendTxArgs> {
    const { chain, pool, fees, newestEthType } = this.#deps;
    if (isEthTyped(args.typeInt) && (args.typeInt ?? 0n) > newestEthType) throw refused("undefined tx type");
    const dynamic = args.typeInt === DYNAMIC_FEE || args.typeInt === SET_CODE;
    const prices = dynamic ? this.#caps(args) : { gasPrice: args.gasPrice ?? fees.gasPrice() };
    const chainId = isEthTyped(args.typeInt) ? { chainId: args.chainId ?? chain.config.chainId } : {};
    return {
      ...args,
      ...prices,
      ...chainId,
      gas: args.gas ?? DEFAULT_GAS,
      nonce: args.nonce ?? pool.nonce(args.from),
    };
  }

  #caps(args: SendTxArgs): { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint } {
    const { chain, fees } = this.#deps;
    const price = fees.gasPrice();
    const maxPriorityFeePerGas = args.maxPriorityFeePerGas ?? fees.tip();
    const { magma } = chain.rulesAt(chain.head.header.number + 1n);
    const maxFeePerGas = args.maxFeePerGas ?? (magma ? price : maxPriorityFeePerGas);
    checkCaps({ maxFeePerGas, maxPriorityFeePerGas, price, magma });
    return { maxFeePerGas, maxPriorityFeePerGas };
  }
}

/** @throws RpcError -32000 with the reference's texts */
export function checkCaps(caps: {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly price: bigint;
  readonly magma: boolean;
}): void {
  const { maxFeePerGas: cap, maxPriorityFeePerGas: tip, price, magma } = caps;
  if (magma && cap < price / 2n) throw refused(`maxFeePerGas (${hexQuantity(cap)}) < BaseFee (${price})`);
  if (!magma && (tip !== price || cap !== price))
    throw refused(`only ${price.toString(16)} is allowed to be used as maxFeePerGas and maxPriorityPerGas`);
  if (cap < tip)
    throw refused(`maxFeePerGas (${hexQuantity(cap)}) < maxPriorityFeePerGas (${hexQuantity(tip)})`);
}

/** What the reference puts in place of a sender's signature that is still missing. */
const UNSIGNED: Signature = { v: 0n, r: 0n, s: 0n };

function withSenderSignatures(
  tx: Transaction,
  signatures: NonNullable<SendTxArgs["signatures"]>,
): Transaction {
  return createTransaction({ ...tx, signatures });
}

function signingResult(tx: Transaction): WireObject {
  return { raw: bytesToHex(encodeTransaction(tx)), tx: renderSigned(tx) };
}
