/** Largest unsigned 64-bit integer: the bound of nonces (which stay below it, EIP-2681), gas and block numbers. */
export const MAX_UINT64: bigint = 2n ** 64n - 1n;
