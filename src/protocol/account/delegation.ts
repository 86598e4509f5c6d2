import { type Address, concat } from "../primitives/bytes.ts";

/** Prefix of the code of a delegating account. @see EIP-7702 */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
const LENGTH = PREFIX.length + 20;

/** Address whose code runs in place of a delegating account's (a view of `code`); undefined for other code. */
export function delegationTarget(code: Uint8Array): Address | undefined {
  if (code.length !== LENGTH || code[0] !== 0xef || code[1] !== 0x01 || code[2] !== 0) return undefined;
  return code.subarray(PREFIX.length);
}

/** Code of an account that delegates to `target`. @see EIP-7702 */
export function delegationCode(target: Address): Uint8Array {
  return concat(PREFIX, target);
}
