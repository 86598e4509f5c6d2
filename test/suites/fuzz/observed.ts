/** Observable results of a transaction, equal in every engine. */
export interface ObservedTransaction {
  readonly outcome: "success" | "revert" | "failure";
  readonly gasLeft: bigint;
  readonly output: string;
  readonly logs: readonly string[];
  readonly refund: bigint;
}

/** Observable results of a scene, equal in every engine. */
export interface Observed {
  readonly transactions: readonly ObservedTransaction[];
  /** A line for each remaining account: address, nonce, balance, code hash, slots. */
  readonly state: readonly string[];
}

/** An account as a line. @param slots - `slot=value` in hexadecimal, in any order */
export function accountLine(
  address: string,
  account: { nonce: bigint; balance: bigint },
  codeHash: string,
  slots: readonly string[],
): string {
  return [address, account.nonce, account.balance, codeHash, ...[...slots].sort()].join(" ");
}
