import type { Hash } from "../primitives/bytes.ts";
import type { AccountKey } from "./key.ts";

/** What every account has. Accounts are immutable values; a change makes a new object. */
interface AccountCommon {
  readonly nonce: bigint;
  /** kei */
  readonly balance: bigint;
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

export type Account = ExternallyOwnedAccount | SmartContractAccount;
