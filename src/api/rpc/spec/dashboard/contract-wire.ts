/** A parameter of a function. */
export interface ParameterReport {
  readonly name: string;
  /** `uint256`, `tuple(address to, uint256 value)[]` */
  readonly type: string;
}

/** A function of a contract. */
export interface FunctionReport {
  /** 4 bytes as hex. */
  readonly selector: string;
  readonly name: string;
  readonly inputs: readonly ParameterReport[];
  readonly outputs: readonly ParameterReport[];
  /** Whether it only reads. */
  readonly isReading: boolean;
  readonly isPayable: boolean;
}

/** A log of a contract. */
export interface EventReport {
  readonly block: number;
  readonly transaction: string;
  /** Decoded; null where the ABI does not know it. */
  readonly text: string | null;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A contract as described by its ABI. */
export interface ContractReport {
  /** Of the artifact; null where the caller supplied the ABI, or none is known. */
  readonly name: string | null;
  /** Where the ABI comes from. */
  readonly source: "artifact" | "given" | "none";
  readonly functions: readonly FunctionReport[];
  /** Newest first; null where even a few blocks have more than a search may find. */
  readonly events: readonly EventReport[] | null;
  /** First block searched for events. */
  readonly since: number;
}

/** What a call returned. */
export interface CallReport {
  /** Values with names; null where the call failed. */
  readonly text: string | null;
  readonly output: string;
  /** Why it failed, with the contract's own error where it is known. */
  readonly error: string | null;
}
