/** A contract's code in linear memory. */
export interface PlacedCode {
  /** Address of its record: address, tables, compiled program and heat. @see `CODE_START` in layout.ts */
  readonly record: number;
  readonly code: number;
  readonly size: number;
  /** Address of its block table; 0 if the code is too long for one. */
  readonly blocks: number;
}
