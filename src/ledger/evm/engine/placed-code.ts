/** Where a code lies in linear memory. */
export interface PlacedCode {
  readonly code: number;
  readonly size: number;
  readonly jumps: number;
  /** 0 when the code is too long for a block table. */
  readonly blocks: number;
  /** Place of its compiled form in the function table; 0 while there is none. */
  program: number;
  /** How much it has run, see `Machine.warm`; infinite for init code, and once it was given to the compiler. */
  heat: number;
}
