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

/** The reference's words for why a port could not be opened. */
const BIND_TEXTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
  EACCES: "permission denied",
};

/**
 * What a caller sees of an error: its code without the path if it came from the file system, the reference's text for an
 * unknown host name and for an address that cannot be listened on.
 */
export function fileRefusal(error: unknown): unknown {
  if (!(error instanceof Error && "errno" in error)) return error;
  if ("hostname" in error && "code" in error && error.code === "ENOTFOUND")
    return refused(`listen tcp: lookup ${String(error.hostname)}: no such host`);
  if ("address" in error && "port" in error && "code" in error && String(error.code) in BIND_TEXTS) {
    const host = String(error.address);
    const reason = BIND_TEXTS[String(error.code)];
    return refused(`listen tcp ${host.includes(":") ? `[${host}]` : host}:${error.port}: bind: ${reason}`);
  }
  return refused(error.message.split(", ")[0] as string);
}
