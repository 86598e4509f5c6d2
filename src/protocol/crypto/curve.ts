/** Order of the group of secp256k1: private keys, r and s lie between 0 and this. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
