import type { StateStore } from "../../../ledger/state/state.ts";
import { type Address, bigintToBytes, bytesToBigint } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { badRequest, type FeePayerResponse, Reason } from "./responses.ts";

/** A dApp whose users' fees are paid. */
export interface DappOptions {
  /** Unlike that of any other. */
  readonly name: string;
  readonly apiKeys?: readonly string[];
  /** Contracts that may be called, lower-case 0x hex. */
  readonly contracts?: readonly string[];
  /** Accounts that may send, lower-case 0x hex. */
  readonly senders?: readonly string[];
  /** kei at the beginning; what was spent since is kept in the database. */
  readonly balance: bigint;
  /** Default true. */
  readonly active?: boolean;
  readonly terminated?: boolean;
}

/** What decides who pays for a transaction. */
export interface FeeRequest {
  readonly apiKey: string | undefined;
  readonly sender: Address;
  readonly to: Address | undefined;
  /** kei that it costs at most. Its sender chooses the gas price, so no balance is enough for any transaction. */
  readonly cost: bigint;
}

/** Balances at or below this no longer pay: 0.1 KAIA in kei. */
const LEAST_BALANCE = 10n ** 17n;
/** Name → kei spent. */
const SPENT = "dev.feePayer";

/** The dApps of a fee payer service and their remaining balances. */
export class Dapps {
  readonly #dapps: readonly DappOptions[];
  readonly #store: StateStore;
  /** Name → maximum cost in kei of transactions that are not in the chain yet. */
  readonly #reserved = new Map<string, bigint>();

  constructor(dapps: readonly DappOptions[], store: StateStore) {
    this.#dapps = dapps;
    this.#store = store;
  }

  /** The dApp that pays for a request, or why none does. */
  payerOf(request: FeeRequest): DappOptions | FeePayerResponse {
    const found = request.apiKey === undefined ? this.#open(request) : this.#keyed(request, request.apiKey);
    if ("status" in found) return found;
    if (found.terminated) return badRequest(Reason.terminated);
    if (found.active === false) return badRequest(Reason.inactive);
    const free = this.balanceOf(found) - (this.#reserved.get(found.name) ?? 0n);
    return free > LEAST_BALANCE && free >= request.cost ? found : badRequest(Reason.balance);
  }

  /** Reserves a transaction's maximum cost. @returns a function that deducts the actual fee, and resolves when that is on disk */
  reserve({ name }: DappOptions, cost: bigint): (fee: bigint) => Promise<void> {
    this.#reserved.set(name, (this.#reserved.get(name) ?? 0n) + cost);
    return async (fee) => {
      this.#reserved.set(name, (this.#reserved.get(name) ?? 0n) - cost);
      if (fee > 0n) await this.#debit(name, fee);
    };
  }

  /** Whether the dApp of a key or of a whitelisted address can pay. */
  canPay(apiKey: string | undefined, address: string | undefined): boolean | FeePayerResponse {
    const dapp =
      apiKey === undefined
        ? this.#dapps.find((one) => lists(one.contracts, address) || lists(one.senders, address))
        : this.#withKey(apiKey);
    if (dapp !== undefined) return this.balanceOf(dapp) > LEAST_BALANCE;
    return badRequest(apiKey === undefined ? Reason.notWhitelisted : Reason.apiKey);
  }

  /** kei left */
  balanceOf({ name, balance }: DappOptions): bigint {
    const row = this.#store.get(SPENT, keyOf(name));
    return balance - (row === undefined ? 0n : bytesToBigint(row));
  }

  async #debit(name: string, fee: bigint): Promise<void> {
    const row = this.#store.get(SPENT, keyOf(name));
    const spent = (row === undefined ? 0n : bytesToBigint(row)) + fee;
    await this.#store.write([{ table: SPENT, key: keyOf(name), value: bigintToBytes(spent) }]);
  }

  #keyed(request: FeeRequest, apiKey: string): DappOptions | FeePayerResponse {
    const dapp = this.#withKey(apiKey);
    if (dapp === undefined) return badRequest(Reason.apiKey);
    const isOpen = !dapp.contracts?.length && !dapp.senders?.length;
    return isOpen || isListed(dapp, request) ? dapp : badRequest(Reason.notWhitelisted);
  }

  /** Without an API key, only dApps without keys match. */
  #open(request: FeeRequest): DappOptions | FeePayerResponse {
    const dapp = this.#dapps.find((one) => !one.apiKeys?.length && isListed(one, request));
    return dapp ?? badRequest(Reason.notWhitelisted);
  }

  #withKey(apiKey: string): DappOptions | undefined {
    return this.#dapps.find(({ apiKeys }) => apiKeys?.includes(apiKey));
  }
}

function isListed({ contracts, senders }: DappOptions, { sender, to }: FeeRequest): boolean {
  return lists(contracts, to && bytesToHex(to)) || lists(senders, bytesToHex(sender));
}

function lists(addresses: readonly string[] | undefined, address: string | undefined): boolean {
  return address !== undefined && addresses?.includes(address.toLowerCase()) === true;
}

function keyOf(name: string): Uint8Array {
  return new TextEncoder().encode(name);
}
