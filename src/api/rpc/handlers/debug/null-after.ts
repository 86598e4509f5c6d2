import { refused } from "../../engine/errors.ts";

/** Returns null after an action; errors of the file system become RPC errors. */
export async function nullAfter(action: Promise<void>): Promise<null> {
  try {
    await action;
    return null;
  } catch (error) {
    throw fileRefusal(error);
  }
}

/** What a caller sees of an error: its code without the path if it came from the file system, `no such host` for an unknown host name. */
export function fileRefusal(error: unknown): unknown {
  if (!(error instanceof Error && "errno" in error)) return error;
  if ("hostname" in error && "code" in error && error.code === "ENOTFOUND")
    return refused(`listen tcp: lookup ${String(error.hostname)}: no such host`);
  return refused(error.message.split(", ")[0] as string);
}
