/** Where a code lies in linear memory. */
export interface PlacedCode {
  /** Its record: where it begins, its tables, its compiled form and its heat. @see `CODE_START` in layout.ts */
  readonly record: number;
  readonly code: number;
  readonly size: number;
  /** 0 when the code is too long for a block table. */
  readonly blocks: number;
}
