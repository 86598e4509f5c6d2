/** Receipt status of a transaction that succeeded. */
export const STATUS_SUCCESS = 1;

/** Receipt status of VM errors without a code of their own. */
export const STATUS_VM_ERROR = 0x02;

/** Receipt status of a transaction whose code reverted. */
export const STATUS_REVERTED = 0x09;

/** Text of each receipt status by its code; index 0 is unused, 1 is success. */
export const STATUS_TEXTS: readonly string[] = [
  "unknown receipt status",
  "",
  "VM error occurs while running smart contract",
  "max call depth exceeded",
  "contract address collision",
  "contract creation code storage out of gas",
  "evm: max code size exceeded",
  "out of gas",
  "evm: write protection",
  "evm: execution reverted",
  "reached the opcode computation cost limit",
  "account already exists",
  "not a program account (e.g., an account having code and storage)",
  "Human-readable address is not supported now",
  "fee ratio is out of range [1, 99]",
  "AccountKeyFail is not updatable",
  "different account key type",
  "AccountKeyNil cannot be initialized to an account",
  "public key is not on curve",
  "key weight is zero",
  "key is not serializable",
  "duplicated key",
  "weighted sum overflow",
  "unsatisfiable threshold. Weighted sum of keys is less than the threshold.",
  "length is zero",
  "length too long",
  "nested composite type",
  "a legacy transaction must be with a legacy account key",
  "deprecated feature",
  "not supported",
  "smart contract code format is invalid",
];

const codes = new Map<string, number>(STATUS_TEXTS.map((text, code) => [text, code]));

/** Text of a receipt status; undefined for success and unknown codes. */
export function statusText(code: number): string | undefined {
  return STATUS_TEXTS[code] || undefined;
}

/** Receipt status of an error by its text; `STATUS_VM_ERROR` when it has no code of its own. */
export function statusOfText(text: string): number {
  return codes.get(text) ?? STATUS_VM_ERROR;
}
