import { REVERTED } from "../../../api/rpc/spec/declared-errors.ts";
import type { Method } from "../../../api/rpc/spec/method.ts";

/**
 * Whether a method executes a message: its first parameter, on the block of the second, or its only one, a transaction to send, which
 * without gas is executed for an estimate and refused if it reverts. Never a method that takes a passphrase.
 */
export function runsMessage({ errors, scope, params }: Pick<Method, "errors" | "scope" | "params">): boolean {
  if (scope === "send") return Object.keys(params).join() === "tx";
  return errors?.includes(REVERTED) ?? false;
}
