import type { Rules } from "./forks.ts";

/**
 * Intrinsic costs of a transaction. Constants of the protocol, the same on every chain.
 * @see docs of the transaction fee in the protocol; names follow the EIPs where there is one
 */

/** Base cost of a transaction that creates no contract. */
export const TRANSACTION_GAS = 21_000n;
/** Base cost of a transaction that creates a contract. */
export const CREATION_GAS = 53_000n;
/** Extra, if a fee payer pays. */
export const FEE_DELEGATION_GAS = 10_000n;
/** Extra, if a fee payer pays a part. */
export const SHARED_FEE_GAS = 15_000n;
/** Extra, for a human-readable address; no transaction with one is accepted today. */
export const HUMAN_READABLE_GAS = 4_000_000_000n;

/** Per byte of input, from genesis for Kaia types and from istanbul to prague for all types. */
export const INPUT_BYTE_GAS = 100n;
/** Per non-zero byte of input of legacy transactions before istanbul. */
export const NONZERO_BYTE_GAS_FRONTIER = 68n;
/** Per non-zero byte of input from prague. @see EIP-2028 */
export const NONZERO_BYTE_GAS = 16n;
/** Per zero byte of input, if zero and non-zero bytes are priced differently. */
export const ZERO_BYTE_GAS = 4n;
/** Per 32-byte word of init code from shanghai. @see EIP-3860 */
export const INIT_CODE_WORD_GAS = 2n;
/** Maximum code size of a contract. @see EIP-170 */
export const MAX_CODE_BYTES = 24_576;

/** Maximum init code size of a creation from shanghai, in bytes. @see EIP-3860 */
export function maxInitCodeBytes({ codeSizeLimit }: Pick<Rules, "codeSizeLimit">): number {
  return 2 * codeSizeLimit;
}

/** Per address of an access list. @see EIP-2930 */
export const ACCESS_LIST_ADDRESS_GAS = 2_400n;
/** Per slot of an access list. @see EIP-2930 */
export const ACCESS_LIST_SLOT_GAS = 1_900n;
/** Per authorization. @see EIP-7702 */
export const AUTHORIZATION_GAS = 25_000n;

/** Tokens of a non-zero byte of input; a zero byte is one token. @see EIP-7623 */
export const TOKENS_PER_NONZERO_BYTE = 4n;
/** Minimum gas per token of input from prague. @see EIP-7623 */
export const FLOOR_GAS_PER_TOKEN = 10n;

/** Blob gas of one blob. @see EIP-4844 */
export const GAS_PER_BLOB = 131_072n;
/** Price of blob gas as a multiple of the base fee. @see KIP-279 */
export const BLOB_BASE_FEE_MULTIPLIER = 8n;

/**
 * Gas limit in headers, which no transaction or call exceeds; the actual limits of a block are computation cost
 * and time. Measured on reference node v2.2.1.
 */
export const UPPER_GAS_LIMIT: bigint = 500_000_000n;
