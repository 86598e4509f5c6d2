import { isIPv6 } from "node:net";
import { ConfigError } from "../platform/config/types.ts";
import type { NodeOptions } from "./node-options.ts";

/** Whether only this machine reaches what listens on a host, which is a name or address without port. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIPv6(bare)) return bare === "::1" || bare.startsWith("::ffff:127.");
  return bare === "localhost" || /^127(\.\d{1,3}){3}$/.test(bare);
}

/** Text of every refusal; the first words are those of geth. */
export function unlockForbidden(listener: string): string {
  return `account unlock with HTTP access is forbidden: ${listener} is open to other machines (--allow-insecure-unlock permits it)`;
}

/**
 * Refuses to unlock accounts at start on a node that other machines will reach: whoever gets there may use the keys.
 * @throws ConfigError `CONFIG_CONFLICT`
 */
export function checkUnlockAtStart({ http, ws, allowInsecureUnlock }: NodeOptions): void {
  const exposed = [http, ws].find((listener) => listener?.host !== undefined && !isLoopback(listener.host));
  if (exposed === undefined || allowInsecureUnlock) return;
  throw new ConfigError("CONFIG_CONFLICT", `--unlock: ${unlockForbidden(exposed.host as string)}`);
}
