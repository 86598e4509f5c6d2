import { NodeError } from "../../protocol/primitives/errors.ts";

/** Another process holds a lock, or a file is not what it should be. */
export class RuntimeError extends NodeError<"LOCK_HELD" | "FILE_KIND" | "FILE_SILENT" | "FILE_TOO_LARGE"> {
  override name = "RuntimeError";
}
