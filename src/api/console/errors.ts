import { NodeError } from "../../protocol/primitives/errors.ts";

/** The console cannot reach a node, or was not built. */
export class ConsoleError extends NodeError<"CONSOLE_CONNECT" | "CONSOLE_NOT_BUILT"> {
  override name = "ConsoleError";
}
