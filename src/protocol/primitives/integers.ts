/** Largest unsigned 64-bit integer, the range of nonces, gas and block numbers on the wire. */
export const MAX_UINT64: bigint = 2n ** 64n - 1n;

/** The nonce that no account goes beyond and no transaction has. @see EIP-2681 */
export const MAX_NONCE: bigint = MAX_UINT64;
