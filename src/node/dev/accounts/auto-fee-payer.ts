import type { FeePayerControls } from "../../../api/rpc/handlers/dev/dev-controls.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { withOpenFeePayer } from "../../../protocol/transaction/signatures/sender-signed.ts";
import { withFeePayerSignatures } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";

/** Signs as fee payer with a key of this node. @throws WalletError */
export async function signAsFeePayer(
  tx: Transaction,
  wallets: Pick<WalletManager, "signTransaction">,
  chainId: bigint,
): Promise<Transaction> {
  const request = { tx, chainId, role: "feePayer" } as const;
  return withFeePayerSignatures(tx, await wallets.signTransaction(tx.feePayer as Address, request), chainId);
}

/** An account of this node that pays for fee-delegated transactions that arrive without a fee payer's signature. */
export class AutoFeePayer implements FeePayerControls {
  account: Address | undefined;
  readonly #wallets: Pick<WalletManager, "signTransaction">;
  readonly #chainId: bigint;

  constructor(wallets: Pick<WalletManager, "signTransaction">, chainId: bigint) {
    this.#wallets = wallets;
    this.#chainId = chainId;
  }

  async complete(raw: Uint8Array): Promise<Uint8Array> {
    const open = this.account && openTransaction(raw, this.account);
    if (open === undefined) return raw;
    return encodeTransaction(await signAsFeePayer(open, this.#wallets, this.#chainId));
  }
}

/** Undefined also for what cannot be decoded: the caller reports what is wrong with the bytes. */
function openTransaction(raw: Uint8Array, feePayer: Address): Transaction | undefined {
  try {
    return withOpenFeePayer(raw, feePayer);
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}
