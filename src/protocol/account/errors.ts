import { NodeError } from "../primitives/errors.ts";

/** Code of each rule that a new account key can violate, with the reference node's text and receipt status. */
const KEY_RULES = {
  KEY_FAIL_NOT_UPDATABLE: { status: 0x0f, text: "AccountKeyFail is not updatable" },
  KEY_DIFFERENT_TYPE: { status: 0x10, text: "different account key type" },
  KEY_NIL_UNINITIALIZABLE: { status: 0x11, text: "AccountKeyNil cannot be initialized to an account" },
  KEY_NOT_ON_CURVE: { status: 0x12, text: "public key is not on curve" },
  KEY_ZERO_WEIGHT: { status: 0x13, text: "key weight is zero" },
  KEY_NOT_SERIALIZABLE: { status: 0x14, text: "key is not serializable" },
  KEY_DUPLICATED: { status: 0x15, text: "duplicated key" },
  KEY_WEIGHT_OVERFLOW: { status: 0x16, text: "weighted sum overflow" },
  KEY_UNSATISFIABLE: {
    status: 0x17,
    text: "unsatisfiable threshold. Weighted sum of keys is less than the threshold.",
  },
  KEY_ZERO_LENGTH: { status: 0x18, text: "length is zero" },
  KEY_TOO_LONG: { status: 0x19, text: "length too long" },
  KEY_NESTED: { status: 0x1a, text: "nested composite type" },
  /** Has no status of its own. */
  KEY_TOO_MANY: { status: 0x02, text: "the number of keys exceeds the limit" },
  KEY_TOO_MANY_IN_VALIDATION: {
    status: 0x02,
    text: "the number of keys exceeds the limit in the validation check",
  },
} as const;

/** The rule that a new key violates. */
export type AccountKeyRule = keyof typeof KEY_RULES;

/** A key that cannot be installed in an account; the message is the reference node's. */
export class AccountKeyError extends NodeError<AccountKeyRule> {
  override name = "AccountKeyError";
  /** Status of the receipt of a transaction that fails for this reason. */
  readonly receiptStatus: number;

  constructor(rule: AccountKeyRule, details: Record<string, unknown> = {}) {
    super(rule, KEY_RULES[rule].text, details);
    this.receiptStatus = KEY_RULES[rule].status;
  }
}

/** Bytes or JSON that are no account or account key; the message is the reference node's. */
export class AccountFormatError extends NodeError<"ACCOUNT_TYPE" | "KEY_TYPE" | "KEY_POINT" | "KEY_JSON"> {
  override name = "AccountFormatError";
}
