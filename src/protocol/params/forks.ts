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
export type Fork = (typeof FORKS)[number];

/** Which forks are active at one block. Index of the newest active fork + 1; 0 before `istanbul`. */
export interface Rules {
  readonly chainId: bigint;
  /** Number of active forks, counted along `FORKS`; usable as a table index (0…11). */
  readonly level: number;
  readonly istanbul: boolean;
  readonly london: boolean;
  readonly ethTxType: boolean;
  readonly magma: boolean;
  readonly kore: boolean;
  readonly shanghai: boolean;
  readonly cancun: boolean;
  readonly randao: boolean;
  readonly kaia: boolean;
  readonly prague: boolean;
  readonly osaka: boolean;
}
