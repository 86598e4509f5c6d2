import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { NodeOptions } from "../node/node-options.ts";
import {
  type DevNodeSettings,
  devOnlyOptions,
  type NodeSettings,
  nodeOptions,
} from "../node/options/index.ts";
import { membersOf } from "../node/options/member.ts";
import { ConfigError } from "../platform/config/types.ts";
import type { PublicNetwork } from "../protocol/params/presets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Default data folder of the user for one kind of chain. */
export function defaultDataDir(name: string, env: Environment): string {
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "kairn", name);
  if (process.platform === "win32") return join(env["APPDATA"] ?? home, "kairn", name);
  return join(env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "kairn", name);
}

/** Folder of the user's caches. */
function userCacheDir(env: Environment): string {
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Caches", "kairn");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] ?? home, "kairn", "cache");
  return join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "kairn");
}

/** The public network selected, if any. */
export function networkOf({
  mainnet,
  testnet,
}: Pick<NodeSettings, "mainnet" | "testnet">): PublicNetwork | undefined {
  if (mainnet && testnet)
    throw new ConfigError("CONFIG_CONFLICT", "--mainnet and --testnet cannot be given together");
  return mainnet ? "mainnet" : testnet ? "kairos" : undefined;
}

/** Converts the settings of a command line to the node's options. */
export function toNodeOptions(settings: NodeSettings, dataDir: string | undefined): NodeOptions {
  const members = membersOf(nodeOptions, settings);
  return { ...members, ...optional("dataDir", dataDir), ipc: members.ipc ?? dataDir !== undefined };
}

/**
 * Whether a development chain is stored in a folder. One that starts from an existing state is stored only if a folder is
 * given.
 */
export function isKept(settings: DevNodeSettings): boolean {
  const { ephemeral, dataDir, forkUrl, stateFile, loadState } = settings;
  const startsFromState = [forkUrl, stateFile, loadState].some((given) => given !== undefined);
  return !ephemeral && (dataDir !== undefined || !startsFromState);
}

/** The options specific to a development chain. @param env - which may name the folder of a user's caches */
export function toDevOptions(settings: DevNodeSettings, env: Environment): NodeOptions {
  const members = membersOf(devOnlyOptions, settings);
  return {
    ...members,
    ...optional(
      "fork",
      members.fork && { ...members.fork, ...optional("cacheDir", forkCache(settings, env)) },
    ),
    sealing: sealingMode(settings),
  };
}

function sealingMode({
  noMining,
  blockTimeMs,
  mixedMining,
}: DevNodeSettings): NonNullable<NodeOptions["sealing"]> {
  if (mixedMining && (blockTimeMs === undefined || noMining))
    throw new ConfigError(
      "CONFIG_CONFLICT",
      "--mixed-mining requires --block-time, and excludes --no-mining",
    );
  if (noMining) return { kind: "manual" };
  if (blockTimeMs === undefined) return { kind: "onDemand" };
  return { kind: "interval", intervalMs: blockTimeMs, onDemand: mixedMining };
}

function forkCache({ forkCache, noForkCache }: DevNodeSettings, env: Environment): string | undefined {
  return noForkCache ? undefined : resolve(forkCache ?? join(userCacheDir(env), "forks"));
}

function optional<K extends string, V>(key: K, value: V | undefined | ""): { [P in K]?: V } {
  return (value === undefined || value === "" ? {} : { [key]: value }) as { [P in K]?: V };
}
