import { type Address, bytesToBigint, type Hash, leftPad } from "../../../src/protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import type { Authorization } from "../../../src/protocol/transaction/transaction.ts";
import type { FirstAccount } from "./world-state.ts";

/** Account before a test. */
export interface FixtureAccount {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}

/** One expected outcome: which of the transaction's data, gas and values, and the result. */
export interface FixtureRow {
  /** Root of the state after the transaction. */
  readonly hash: string;
  /** Keccak-256 of the RLP of the logs. */
  readonly logs: string;
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
  /** Names of the errors that may refuse the transaction, joined by `|`. */
  readonly expectException?: string;
}

export interface FixtureAccess {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** Signed permission to set the code of an account. @see EIP-7702 */
export interface FixtureAuthorization {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly v: string;
  readonly r: string;
  readonly s: string;
}

/** One test of a file in the published format. @see https://ethereum-tests.readthedocs.io/ */
export interface Fixture {
  readonly env: Readonly<Record<string, string>>;
  readonly pre: Readonly<Record<string, FixtureAccount>>;
  readonly post: Readonly<Record<string, readonly FixtureRow[]>>;
  readonly transaction: {
    readonly accessLists?: readonly (readonly FixtureAccess[] | null)[];
    readonly authorizationList?: readonly FixtureAuthorization[];
    readonly blobVersionedHashes?: readonly string[];
    readonly data: readonly string[];
    readonly gasLimit: readonly string[];
    readonly gasPrice?: string;
    readonly maxFeePerBlobGas?: string;
    readonly maxFeePerGas?: string;
    readonly maxPriorityFeePerGas?: string;
    readonly nonce: string;
    /** Private key of the sender. */
    readonly secretKey?: string;
    readonly sender: string;
    readonly to: string;
    readonly value: readonly string[];
  };
}

/** An Ethereum transaction whose signature has been checked: all that its execution depends on. */
export interface EthereumTransaction {
  readonly sender: Address;
  readonly to: Address | undefined;
  readonly nonce: bigint;
  readonly gas: bigint;
  /** wei; gasPrice of legacy and access list transactions. */
  readonly maxFeePerGas: bigint;
  /** wei; gasPrice of legacy and access list transactions. */
  readonly maxPriorityFeePerGas: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];
  /** Absent in all but blob transactions. */
  readonly blobs?: { readonly hashes: readonly Hash[]; readonly maxFeePerBlobGas: bigint };
  /** Absent in all but transactions that set code. */
  readonly authorizationList?: readonly Authorization[];
}

/** The accounts before a test. */
export function accountsOf({ pre }: Fixture): FirstAccount[] {
  return Object.entries(pre).map(([address, { balance, nonce, code, storage }]) => ({
    address: hexToBytes(address),
    balance: quantity(balance),
    nonce: quantity(nonce),
    code: hexToBytes(code),
    storage: Object.entries(storage).map(([slot, value]) => [word(slot), word(value)]),
  }));
}

/** The transaction of a row. */
export function transactionOf({ transaction }: Fixture, { indexes }: FixtureRow): EthereumTransaction {
  const { accessLists, authorizationList, blobVersionedHashes, maxFeePerBlobGas, gasPrice, to } = transaction;
  return {
    sender: hexToBytes(transaction.sender),
    to: to === "" ? undefined : hexToBytes(to),
    nonce: quantity(transaction.nonce),
    gas: quantity(transaction.gasLimit[indexes.gas]),
    maxFeePerGas: quantity(transaction.maxFeePerGas ?? gasPrice),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas ?? gasPrice),
    value: quantity(transaction.value[indexes.value]),
    input: hexToBytes(transaction.data[indexes.data] as string),
    accessList: (accessLists?.[indexes.data] ?? []).map(({ address, storageKeys }) => ({
      address: hexToBytes(address),
      storageKeys: storageKeys.map((key) => word(key)),
    })),
    ...(maxFeePerBlobGas !== undefined && {
      blobs: {
        hashes: (blobVersionedHashes ?? []).map(hexToBytes),
        maxFeePerBlobGas: quantity(maxFeePerBlobGas),
      },
    }),
    ...(authorizationList && { authorizationList: authorizationList.map(authorizationOf) }),
  };
}

function authorizationOf({ chainId, address, nonce, v, r, s }: FixtureAuthorization): Authorization {
  return {
    chainId: quantity(chainId),
    address: hexToBytes(address),
    nonce: quantity(nonce),
    yParity: quantity(v),
    r: quantity(r),
    s: quantity(s),
  };
}

/** A number of a fixture; numbers beyond 256 bits are written `0x:bigint 0x…`, absent ones are 0. */
export function quantity(text: string | undefined): bigint {
  return text === undefined ? 0n : BigInt(text.replace("0x:bigint ", ""));
}

/** A hexadecimal number of any length as 32 bytes. */
export function word(hex: string): Uint8Array {
  const digits = hex.slice(2);
  return leftPad(hexToBytes(digits.length & 1 ? `0x0${digits}` : hex), 32);
}

/** A word of a fixture's environment. */
export function wordQuantity(hex: string | undefined): bigint {
  return hex === undefined ? 0n : bytesToBigint(word(hex));
}
