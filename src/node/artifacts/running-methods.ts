import { REVERTED } from "../../api/rpc/spec/declared-errors.ts";
import type { Method } from "../../api/rpc/spec/method.ts";

/** Whether a method runs a message: its first parameter, on the block of the second. */
export function runsMessage({ errors }: Pick<Method, "errors">): boolean {
  return errors?.includes(REVERTED) ?? false;
}
