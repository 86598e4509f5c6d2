import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { CHAIN_NAMES } from "../../../api/rpc/spec/chain-names.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import type { ListenerOptions, NodeOptions } from "../../node-options.ts";
import { DEFAULT_MODULES } from "../../options/service/modules.ts";

/** A listener would expose something to other machines without the operator's consent. */
export class ExposureError extends NodeError<"EXPOSED"> {
  override name = "ExposureError";
}

/** Modules that are safe for anybody to call: they read the chain and the pool, and accept signed transactions. */
export const HARMLESS_MODULES: readonly string[] = ["eth", ...CHAIN_NAMES, "net", "web3", "rpc", "txpool"];

let loopback: BlockList | undefined;

/** Created for the first address that is not the default one. */
function loopbackAddresses(): BlockList {
  if (loopback !== undefined) return loopback;
  loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8);
  loopback.addAddress("::1", "ipv6");
  return loopback;
}

/** Whether a host, a name or address without port, can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare === "127.0.0.1") return true;
  const family = isIP(bare);
  return family !== 0 && loopbackAddresses().check(bare, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Resolves a host, so that the address that is checked is the address that is listened on.
 * @throws the resolver's error for an unknown name
 */
export async function addressOf(host: string): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (bare === "") return "::"; // in the form of `net`
  return bare.toLowerCase() === "localhost" || isIP(bare) !== 0 ? bare : (await lookup(bare)).address;
}

/** Text of every refusal to unlock; it begins as geth's does. */
export function unlockForbidden(listener: string): string {
  return `account unlock with HTTP access is forbidden: ${listener} is open to other machines (--allow-insecure-unlock permits it)`;
}

/**
 * Refuses to unlock accounts at start-up on a node that other machines can reach, since they could use the keys.
 * @throws ExposureError
 */
export async function checkUnlockAtStart(options: NodeOptions): Promise<void> {
  const { http, ws, allowInsecureUnlock, allowExposed } = options;
  if (allowInsecureUnlock || allowExposed) return;
  for (const listener of [http, ws]) {
    if (listener === undefined) continue;
    const host = await addressOf(listener.host ?? "127.0.0.1");
    if (!isLoopback(host)) throw new ExposureError("EXPOSED", `--unlock: ${unlockForbidden(host)}`, { host });
  }
}

/** The dangerous things a JSON-RPC listener would expose, for error texts. */
export function dangersOf(
  { modules }: Pick<ListenerOptions, "modules">,
  { signer, unsafeDebugDisabled, unsafeHost }: NodeOptions,
  hasDevelopmentKeys: boolean,
): readonly string[] {
  const isHarmless = (module: string): boolean =>
    HARMLESS_MODULES.includes(module) || (module === "debug" && unsafeDebugDisabled === true);
  const beyond = modules?.filter((module) => !isHarmless(module)).sort();
  return [
    ...(hasDevelopmentKeys ? ["the development accounts"] : []),
    ...(signer === undefined ? [] : ["the accounts of the external signer"]),
    ...(unsafeHost ? ["this machine's files and listeners"] : []),
    ...(beyond === undefined ? ["every module"] : []),
    ...(beyond !== undefined && beyond.length > 0 ? [`the modules ${beyond.join(", ")}`] : []),
  ];
}

/**
 * Refuses a listener that would expose something dangerous to other machines without the operator's consent.
 * @param what - the listener: `HTTP`
 * @param host - the address on which it will listen
 * @throws ExposureError
 */
export function refuseExposure(
  what: string,
  host: string,
  dangers: readonly string[],
  allowExposed = false,
): void {
  if (allowExposed || dangers.length === 0 || isLoopback(host)) return;
  const text = `${what} on ${host} would open ${dangers.join(" and ")} to other machines`;
  const remedy =
    "--allow-exposed (in createNode: allowExposed) permits it; on 127.0.0.1 only this machine reaches it";
  throw new ExposureError("EXPOSED", `${text}; ${remedy}`, { host, dangers: [...dangers] });
}

/**
 * Checks every listener of a node before the node is built.
 * @throws ExposureError; the resolver's error for an unknown host
 */
export async function checkExposure(options: NodeOptions, hasDevelopmentKeys: boolean): Promise<void> {
  const { feePayer, allowExposed } = options;
  for (const kind of ["http", "ws"] as const) {
    const listener = options[kind];
    if (listener === undefined) continue;
    const host = await addressOf(listener.host ?? "127.0.0.1");
    const dangers = dangersOf(servedAs(kind, options), options, hasDevelopmentKeys);
    refuseExposure(kind === "http" ? "HTTP" : "WebSocket", host, dangers, allowExposed);
  }
  if (typeof options.dashboard === "object") {
    const host = await addressOf(options.dashboard.host ?? "127.0.0.1");
    refuseExposure("the dashboard", host, ["a page that reads and changes the node"], allowExposed);
  }
  if (feePayer === undefined) return;
  const host = await addressOf(feePayer.host ?? "127.0.0.1");
  refuseExposure("the fee payer", host, ["an account that pays"], allowExposed);
}

/** The modules served on a port, including those of WebSocket on the HTTP port. */
export function servedAs(kind: "http" | "ws", { http, ws }: NodeOptions): Pick<ListenerOptions, "modules"> {
  const modules = (kind === "http" ? http : ws)?.modules;
  if (kind === "ws" || modules === undefined) return { ...(modules && { modules }) };
  return { modules: [...new Set([...modules, ...(ws?.modules ?? [])])] };
}

/** A listener as it was launched; one that was not is treated as on loopback with the default modules. */
export function launchedAs(listener: ListenerOptions | undefined, port: number): ListenerOptions {
  return listener ?? { port, modules: DEFAULT_MODULES };
}
