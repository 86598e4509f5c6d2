import { NodeError } from "../../protocol/primitives/errors.ts";

/** Another process holds a lock, or a file has the wrong kind, size or encoding. */
export class RuntimeError extends NodeError<
  "LOCK_HELD" | "FILE_KIND" | "FILE_SILENT" | "FILE_TEXT" | "FILE_TOO_LARGE"
> {
  override name = "RuntimeError";
}
