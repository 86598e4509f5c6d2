import type { WireObject } from "../../../api/rpc/spec/values/wire-types.ts";
import type { Provider } from "../../../api/rpc/transports/provider.ts";
import type { Chain } from "../../../ledger/chain/chain.ts";
import type { StateStore } from "../../../ledger/state/state.ts";
import type { Clock, Timers } from "../../../platform/runtime/runtime.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { feeShares } from "../../../protocol/transaction/fees.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { withOpenFeePayer } from "../../../protocol/transaction/signatures/sender-signed.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import { signAsFeePayer } from "../accounts/auto-fee-payer.ts";
import { badRequest, internalError, Reason, type RelayReply, reverted, success } from "./answers.ts";
import { type DailyLimitOptions, DailyLimits } from "./daily-limits.ts";
import { type DappOptions, Dapps } from "./dapps.ts";
import { receiptJson } from "./receipt-json.ts";

/** Dependencies of a fee payer service. */
export interface FeePayerParts {
  readonly chain: Chain;
  readonly store: StateStore;
  readonly wallets: Pick<WalletManager, "signTransaction">;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly limits?: DailyLimitOptions;
  /** The node's own methods. */
  readonly request: Provider["request"];
  /** Account that pays. */
  readonly account: Address;
  /** The dApps that are paid for; absent = all dApps, as the managed service does on the test network. */
  readonly dapps?: readonly DappOptions[];
}

/** Highest gas limit of a transaction that is paid for. */
const MAX_GAS = 30_000_000n;
/** How long to wait for a transaction to be included. */
const RECEIPT_TIMEOUT_MS = 20_000;
/** 0.1 KAIA in kei: what the account has to have when all dApps are served. */
const LEAST_BALANCE = 10n ** 17n;

/** Pays fees like Kaia's managed fee delegation service: a sender-signed transaction in, the receipt of its block out. */
export class FeePayerService {
  readonly #parts: FeePayerParts;
  readonly #dapps: Dapps | undefined;
  readonly #limits: DailyLimits;

  constructor(parts: FeePayerParts) {
    this.#parts = parts;
    this.#dapps = parts.dapps && new Dapps(parts.dapps, parts.store);
    this.#limits = new DailyLimits(parts.limits ?? {}, parts.clock);
  }

  /** `GET /api/balance`: whether there is more than 0.1 KAIA. @param address - of a contract or sender */
  balance(apiKey: string | undefined, address: string | undefined): RelayReply {
    const { chain, account } = this.#parts;
    const canPay = this.#dapps
      ? this.#dapps.canPay(apiKey, address)
      : (chain.latestState().account(account)?.balance ?? 0n) > LEAST_BALANCE;
    return typeof canPay === "boolean" ? success(canPay) : canPay;
  }

  /** `POST /api/signAsFeePayer`. @param body - parsed JSON */
  async sign(apiKey: string | undefined, body: unknown): Promise<RelayReply> {
    const raw = rawOf(body);
    if (raw === undefined) return badRequest(Reason.missing);
    const open = this.#open(raw);
    if ("status" in open) return open;
    if (open.gas > MAX_GAS) return badRequest(`Gas limit exceeds maximum limit of ${MAX_GAS}`);
    const sender = open.from as Address;
    const dapp = this.#dapps?.payerOf({ apiKey, sender, to: open.to });
    if (dapp !== undefined && "status" in dapp) return dapp;
    const settle = this.#limits.take(sender, open.gas * open.gasPrice);
    if (typeof settle === "string") return badRequest(settle);
    let fee = 0n;
    try {
      return await this.#send(open, dapp, (paid) => {
        fee = paid;
      });
    } finally {
      settle(fee);
    }
  }

  #open(raw: string): Transaction | RelayReply {
    try {
      const tx = withOpenFeePayer(hexToBytes(raw), this.#parts.account);
      return (
        tx ?? badRequest("Failed to parse transaction: a fee-delegated one without fee payer is expected")
      );
    } catch (error) {
      if (error instanceof NodeError) return badRequest(`Failed to parse transaction: ${error.message}`);
      throw error;
    }
  }

  async #send(
    open: Transaction,
    dapp: DappOptions | undefined,
    onPaid: (fee: bigint) => void,
  ): Promise<RelayReply> {
    const { wallets, chain, request } = this.#parts;
    const tx = await signAsFeePayer(open, wallets, chain.config.chainId);
    try {
      await request({ method: "kaia_sendRawTransaction", params: [bytesToHex(encodeTransaction(tx))] });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const text = "Sending transaction was failed after 5 try, network is busy. Error message: ";
      return internalError(text + error.message);
    }
    onPaid(open.gas * open.gasPrice); // it may still be included after the wait has ended
    return this.#settle(tx, dapp, onPaid);
  }

  async #settle(
    tx: Transaction,
    dapp: DappOptions | undefined,
    onPaid: (fee: bigint) => void,
  ): Promise<RelayReply> {
    const hash = transactionHash(tx);
    if (!(await this.#included(hash))) return internalError(Reason.noReceipt);
    const params = [bytesToHex(hash)];
    const receipt = (await this.#parts.request({
      method: "eth_getTransactionReceipt",
      params,
    })) as WireObject;
    const fee = BigInt(receipt["gasUsed"] as string) * BigInt(receipt["effectiveGasPrice"] as string);
    const share = feeShares(tx, fee).feePayer;
    onPaid(share);
    if (dapp !== undefined) await this.#dapps?.debit(dapp, share);
    const shown = receiptJson(receipt);
    return shown["status"] === 1 ? success(shown) : reverted(shown);
  }

  /** Resolves when a transaction is in the chain, or with false when that takes too long. */
  #included(hash: Hash): Promise<boolean> {
    const { chain, timers } = this.#parts;
    if (chain.place(hash) !== undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (isIncluded: boolean): void => {
        cancel();
        unsubscribe();
        resolve(isIncluded);
      };
      const cancel = timers.schedule(RECEIPT_TIMEOUT_MS, () => end(false));
      const unsubscribe = chain.onHead(() => {
        if (chain.place(hash) !== undefined) end(true);
      });
    });
  }
}

function rawOf(body: unknown): string | undefined {
  const signed = (body as { userSignedTx?: unknown } | null | undefined)?.userSignedTx;
  const raw = (signed as { raw?: unknown } | null | undefined)?.raw;
  return typeof raw === "string" ? raw : undefined;
}
