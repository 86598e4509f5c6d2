import type { Account } from "../../../protocol/account/account.ts";

/** Version of the format, raised when an older reader would misread a dump. */
export const DUMP_VERSION = 1;

/** An account of a dump: anvil's members, and in `kaia` what only Kaia accounts have. */
export interface DumpedAccount {
  readonly nonce: number | string;
  readonly balance: string;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
  readonly kaia?: { readonly type: Account["type"]; readonly key: string; readonly codeInfo: number };
}

/** A dumped state. Without `kairn` it was made by anvil. */
export interface Dump {
  readonly kairn?: { readonly version: number; readonly chainId: string; readonly isPart?: boolean };
  readonly block: null;
  readonly best_block_number?: number;
  readonly accounts: Readonly<Record<string, DumpedAccount>>;
}
