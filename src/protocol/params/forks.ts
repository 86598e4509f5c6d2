/** Forks in the order in which they must activate. `kip103` and `kip160` are events, not rule sets. */
export const FORKS = [
  "istanbul",
  "london",
  "ethTxType",
  "magma",
  "kore",
  "shanghai",
  "cancun",
  "randao",
  "kaia",
  "prague",
  "osaka",
] as const;
/** Name of a hard fork. */
export type Fork = (typeof FORKS)[number];

/** Which forks are active at one block. */
export interface Rules extends Readonly<Record<Fork, boolean>> {
  readonly chainId: bigint;
  /** 1-based index of the newest active fork in `FORKS`; 0 before `istanbul`. */
  readonly level: number;
  /** Maximum bytes of a contract's code; init code may have twice as many from shanghai on. @see EIP-170, EIP-3860 */
  readonly codeSizeLimit: number;
}
