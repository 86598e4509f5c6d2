import type { WireObject } from "../../../api/rpc/spec/values/wire-types.ts";
import type { Provider } from "../../../api/rpc/transports/provider.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { StateStore } from "../../../ledger/state/state.ts";
import type { Clock, Timers } from "../../../platform/runtime/runtime.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { feeShares } from "../../../protocol/transaction/fees.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { withOpenFeePayer } from "../../../protocol/transaction/signatures/sender-signed.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import { signAsFeePayer } from "../accounts/auto-fee-payer.ts";
import { type DailyLimitOptions, DailyLimits } from "./daily-limits.ts";
import { type DappOptions, Dapps } from "./dapps.ts";
import { Outstanding } from "./outstanding.ts";
import { receiptJson } from "./receipt-json.ts";
import { badRequest, type FeePayerResponse, internalError, Reason, reverted, success } from "./responses.ts";

/** Dependencies of a fee payer service. */
export interface FeePayerParts {
  readonly chain: Blockchain;
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

/** Settles a transaction with the fee that was paid, or if that is unknown, with the most it may cost. */
type Settle = (fee?: bigint) => Promise<void>;

/** Highest gas limit of a transaction that is paid for. */
const MAX_GAS = 30_000_000n;
/** How long to wait for a transaction to be included. */
const RECEIPT_TIMEOUT_MS = 20_000;
/** How long a transaction waits for its predecessor, sent along with it: a few checks, this far apart. */
const NONCE_LOOKS = 4;
const NONCE_LOOK_MS = 250;
/** 0.1 KAIA in kei: what the account has to have when all dApps are served. */
const LEAST_BALANCE = 10n ** 17n;

/** Pays fees like Kaia's managed fee delegation service: a sender-signed transaction in, the receipt of its block out. */
export class FeePayerService {
  readonly #parts: FeePayerParts;
  readonly #dapps: Dapps | undefined;
  readonly #limits: DailyLimits;
  readonly #outstanding: Outstanding;
  /** Ends the wait of each request. */
  readonly #leave = new Set<() => void>();

  constructor(parts: FeePayerParts) {
    this.#parts = parts;
    this.#dapps = parts.dapps && new Dapps(parts.dapps, parts.store);
    this.#limits = new DailyLimits(parts.limits ?? {}, parts.clock);
    this.#outstanding = new Outstanding(parts.chain, async (hash) => {
      const params = [bytesToHex(hash)];
      return (await parts.request({ method: "eth_getTransactionByHash", params })) !== null;
    });
  }

  /** Answers the requests that wait for a block: their timers would keep the process alive. */
  close(): void {
    for (const leave of this.#leave) leave();
  }

  /** `GET /api/balance`: whether there is more than 0.1 KAIA. @param address - of a contract or sender */
  balance(apiKey: string | undefined, address: string | undefined): FeePayerResponse {
    const { chain, account } = this.#parts;
    const canPay = this.#dapps
      ? this.#dapps.canPay(apiKey, address)
      : (chain.latestState().account(account)?.balance ?? 0n) > LEAST_BALANCE;
    return typeof canPay === "boolean" ? success(canPay) : canPay;
  }

  /** `POST /api/signAsFeePayer`. @param body - parsed JSON */
  async sign(apiKey: string | undefined, body: unknown): Promise<FeePayerResponse> {
    const raw = rawOf(body);
    if (raw === undefined) return badRequest(Reason.missing);
    const open = this.#open(raw);
    if ("status" in open) return open;
    if (open.gas > MAX_GAS) return badRequest(`Gas limit exceeds maximum limit of ${MAX_GAS}`);
    const sender = open.from as Address;
    if (!(await this.#isNext(sender, open.nonce))) return badRequest("nonce too high");
    if (this.#outstanding.isFull) return internalError(Reason.busy);
    const cost = open.gas * open.gasPrice;
    const dapp = this.#dapps?.payerOf({ apiKey, sender, to: open.to, cost });
    if (dapp !== undefined && "status" in dapp) return dapp;
    const settle = this.#reserve(sender, dapp, cost);
    if (typeof settle === "string") return badRequest(settle);
    let sent: Transaction | FeePayerResponse | undefined;
    try {
      sent = await this.#send(open);
    } finally {
      if (sent === undefined || "status" in sent) await settle(0n);
    }
    return "status" in sent ? sent : this.#answer(sent, sender, settle);
  }

  /**
   * Whether a transaction is its sender's next one, now or soon. Behind a nonce gap it might wait for ever, and use up the
   * limits of everybody without costing its sender anything.
   */
  async #isNext(sender: Address, nonce: bigint): Promise<boolean> {
    const { request, timers } = this.#parts;
    const params = [bytesToHex(sender), "pending"];
    for (let looks = 1; ; looks++) {
      const next = BigInt((await request({ method: "eth_getTransactionCount", params })) as string);
      if (nonce <= next) return true;
      if (looks === NONCE_LOOKS) return false;
      await new Promise<void>((resolve) => timers.schedule(NONCE_LOOK_MS, resolve));
    }
  }

  /**
   * Reserves a transaction's maximum cost, and its place among those that are not in the chain yet.
   * @returns a text if funds are too low
   */
  #reserve(sender: Address, dapp: DappOptions | undefined, cost: bigint): Settle | string {
    const settle = this.#limits.take(sender, cost);
    if (typeof settle === "string") return settle;
    const leave = this.#outstanding.enter();
    const debit = dapp && this.#dapps?.reserve(dapp, cost);
    return async (fee = cost) => {
      leave();
      settle(fee);
      await debit?.(fee);
    };
  }

  #open(raw: string): Transaction | FeePayerResponse {
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

  async #send(open: Transaction): Promise<Transaction | FeePayerResponse> {
    const { wallets, chain, request } = this.#parts;
    const tx = await signAsFeePayer(open, wallets, chain.config.chainId);
    try {
      await request({ method: "kaia_sendRawTransaction", params: [bytesToHex(encodeTransaction(tx))] });
      return tx;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const text = "Sending transaction was failed after 5 try, network is busy. Error message: ";
      return internalError(text + error.message);
    }
  }

  /** Waits for a transaction, for a limited time; it is settled whenever its fate is decided. */
  async #answer(tx: Transaction, sender: Address, settle: Settle): Promise<FeePayerResponse> {
    const shown = await this.#soon(this.#settled(tx, sender, settle));
    if (shown === undefined) return internalError(Reason.noReceipt);
    return shown["status"] === 1 ? success(shown) : reverted(shown);
  }

  /** The receipt of a transaction whose fee is settled; undefined if it cannot be included any more. */
  async #settled(
    tx: Transaction,
    sender: Address,
    settle: Settle,
  ): Promise<{ readonly [member: string]: Json } | undefined> {
    while (await this.#outstanding.until(tx, sender)) {
      const receipt = await this.#receiptOf(tx).catch(async (error) => {
        await settle();
        throw error;
      });
      if (receipt === null) continue; // its block was removed meanwhile
      const fee = BigInt(receipt["gasUsed"] as string) * BigInt(receipt["effectiveGasPrice"] as string);
      await settle(feeShares(tx, fee).feePayer);
      return receiptJson(receipt);
    }
    await settle(0n);
    return undefined;
  }

  async #receiptOf(tx: Transaction): Promise<WireObject | null> {
    const params = [bytesToHex(transactionHash(tx))];
    return (await this.#parts.request({ method: "eth_getTransactionReceipt", params })) as WireObject | null;
  }

  /** The result of a promise, or undefined if that takes too long, or the service is closed. */
  #soon<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        cancel();
        this.#leave.delete(leave);
        resolve(undefined);
      };
      const cancel = this.#parts.timers.schedule(RECEIPT_TIMEOUT_MS, leave);
      this.#leave.add(leave);
      promise.then(resolve, reject).finally(leave);
    });
  }
}

function rawOf(body: unknown): string | undefined {
  const signed = (body as { userSignedTx?: unknown } | null | undefined)?.userSignedTx;
  const raw = (signed as { raw?: unknown } | null | undefined)?.raw;
  return typeof raw === "string" ? raw : undefined;
}
