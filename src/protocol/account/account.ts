import { equalBytes, type Hash, isZeroBytes } from "../primitives/bytes.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY } from "./key.ts";

/** Root of a trie without entries: the Keccak-256 hash of the RLP of the empty string. */
export const EMPTY_ROOT: Hash = hexToBytes(
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
);
/** Keccak-256 hash of the empty string: the code hash of accounts without code. */
export const EMPTY_CODE_HASH: Hash = hexToBytes(
  "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
);

/** Members of every account. Accounts are immutable; a change creates a new object. */
interface AccountCommon {
  readonly nonce: bigint;
  /** kei */
  readonly balance: bigint;
  /** Always false today; part of the encoding. */
  readonly humanReadable: boolean;
  readonly key: AccountKey;
  /** Root of the storage trie; `EMPTY_ROOT` without storage. */
  readonly storageRoot: Hash;
  /** Keccak-256 of the code; `EMPTY_CODE_HASH` without code. */
  readonly codeHash: Hash;
  /** Low nibble: code format (0 = EVM); high nibble: VM version (0 before istanbul, 1 after). */
  readonly codeInfo: number;
}

/** Externally owned account; `codeHash` differs from the empty one only with an EIP-7702 delegation. */
export interface ExternallyOwnedAccount extends AccountCommon {
  readonly type: "eoa";
}

/** Smart contract account. */
export interface SmartContractAccount extends AccountCommon {
  readonly type: "sca";
}

/** An account of either type. */
export type Account = ExternallyOwnedAccount | SmartContractAccount;

/** An account that is being made. */
export type AccountDraft = Pick<Account, "type"> & { -readonly [K in keyof AccountCommon]: AccountCommon[K] };

/** `codeInfo` of contracts deployed since istanbul, and of delegations. */
export const CODE_INFO_ISTANBUL = 0x10;

/** An account as created when it first receives value: nonce 0, legacy key, no code. */
export function newEoa(balance = 0n): ExternallyOwnedAccount {
  return {
    type: "eoa",
    nonce: 0n,
    balance,
    humanReadable: false,
    key: LEGACY_KEY,
    storageRoot: EMPTY_ROOT,
    codeHash: EMPTY_CODE_HASH,
    codeInfo: 0,
  };
}

/** A contract account with nonce 0, the fail key and no code yet; `balance` is what its address had before. */
export function newContract(balance = 0n, codeInfo = 0): SmartContractAccount {
  return {
    type: "sca",
    nonce: 0n,
    balance,
    humanReadable: false,
    key: FAIL_KEY,
    storageRoot: EMPTY_ROOT,
    codeHash: EMPTY_CODE_HASH,
    codeInfo,
  };
}

/**
 * A copy to change before anyone else sees it. Member by member: V8 copies a spread account one property after the other, into an object
 * three times the size.
 */
export function copyOf(account: Account): AccountDraft {
  const { type, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo } = account;
  return { type, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo };
}

/** Whether an account has code; for an EOA that is a delegation. */
export function hasCode(account: Account): boolean {
  return account.codeHash !== EMPTY_CODE_HASH && !equalBytes(account.codeHash, EMPTY_CODE_HASH);
}

/** Whether an account has storage. */
export function hasStorage(account: Account): boolean {
  const root = account.storageRoot;
  return root !== EMPTY_ROOT && !equalBytes(root, EMPTY_ROOT) && !isZeroBytes(root);
}

/**
 * Whether an account counts as empty and is deleted when touched: an EOA without nonce and balance that has a legacy
 * key; a contract without nonce, balance and code.
 */
export function isEmptyAccount(account: Account): boolean {
  if (account.nonce !== 0n || account.balance !== 0n) return false;
  return account.type === "eoa" ? account.key.type === "legacy" : !hasCode(account);
}
