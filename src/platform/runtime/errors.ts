import { NodeError } from "../../protocol/primitives/errors.ts";

/** The machine refused: another process holds a lock. */
export class RuntimeError extends NodeError<"LOCK_HELD"> {
  override name = "RuntimeError";
}
