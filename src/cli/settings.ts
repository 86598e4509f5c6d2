import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readDapps } from "../node/dev/fee-payer/dapp-file.ts";
import type { ListenerOptions, Mining, NodeOptions } from "../node/node-options.ts";
import type { DevNodeSettings, NodeSettings } from "../node/options/index.ts";
import { ConfigError } from "../platform/config/types.ts";
import { readBounded, SMALL_FILE_BYTES } from "../platform/runtime/read-bounded.ts";
import type { Network } from "../protocol/params/presets.ts";
import { hexToBytes } from "../protocol/primitives/hex.ts";

/** Folder for a user's data of one kind of chain, where none is given. */
export function defaultDataDir(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "kairn", name);
  if (process.platform === "win32") return join(env["APPDATA"] ?? home, "kairn", name);
  return join(env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "kairn", name);
}

/** Folder for what can be had again. */
function userCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  const home = homedir();
  if (process.platform === "darwin") return join(home, "Library", "Caches", "kairn");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] ?? home, "kairn", "cache");
  return join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "kairn");
}

/** The public network that was asked for, if any. */
export function networkOf({
  mainnet,
  testnet,
}: Pick<NodeSettings, "mainnet" | "testnet">): Network | undefined {
  if (mainnet && testnet)
    throw new ConfigError("CONFIG_CONFLICT", "--mainnet and --testnet cannot be given together");
  return mainnet ? "mainnet" : testnet ? "kairos" : undefined;
}

/** The node's options as the settings of a command line say. */
export function toNodeOptions(settings: NodeSettings, dataDir: string | undefined): NodeOptions {
  const nodeKey = readNodeKey(settings);
  return {
    ...optional("dataDir", dataDir),
    ...optional("keystoreDir", settings.keystoreDir && resolve(settings.keystoreDir)),
    ...optional("networkId", settings.networkId),
    ...optional("nodeKey", nodeKey),
    ...optional("jwtSecret", settings.jwtSecretFile && readSecret(settings.jwtSecretFile, "--rpc.jwtsecret")),
    ...optional("tls", tlsOptions(settings)),
    ...optional("rewardbase", settings.rewardbase && hexToBytes(settings.rewardbase)),
    ...optional("http", settings.http ? httpOptions(settings) : undefined),
    ...optional("ws", settings.ws ? wsOptions(settings) : undefined),
    ...optional("compat", settings.compat),
    ...optional("metrics", settings.prometheus ? metricsOptions(settings) : undefined),
    ...optional("signedMessageName", settings.signedMessageName),
    ...optional("unit", settings.unit),
    lightKdf: settings.lightKdf,
    ...optional("signer", settings.signer),
    allowExposed: settings.allowExposed,
    allowInsecureUnlock: settings.allowInsecureUnlock,
    ...optional("unlockMaxSeconds", settings.unlockMaxSeconds),
    usb: settings.usb,
    ...optional("history", settings.gcMode),
    senderTxHashIndexing: settings.senderTxHashIndexing,
    ipc:
      !settings.ipcDisabled &&
      (settings.ipcPath === undefined ? dataDir !== undefined : resolve(settings.ipcPath)),
    pool: poolOptions(settings),
    gasless: gaslessOptions(settings),
    unsafeDebugDisabled: settings.unsafeDebugDisabled,
    unsafeHost: settings.unsafeHost,
    ...optional("dumpDir", settings.dumpDir && resolve(settings.dumpDir)),
    gasCap: settings.gasCap,
    evmTimeoutMs: settings.evmTimeoutMs,
    callSliceMs: settings.callSliceMs,
    blockSliceMs: settings.blockSliceMs,
    ...optional("maxCalls", settings.maxCalls || undefined),
    rpcLimits: {
      ...{ batchItems: settings.batchItems, batchAnswer: settings.batchAnswer },
      ...optional("body", settings.maxBody),
    },
    sharedLimits: {
      ...{ connections: settings.maxConnections, subscriptions: settings.maxSubscriptions },
      ...optional("unsent", settings.maxUnsent),
    },
    ...optional(
      "rpcRate",
      settings.callRate > 0
        ? { perSecond: settings.callRate, loopback: settings.callRateLoopback }
        : undefined,
    ),
  };
}

/**
 * Whether a development chain is kept in a folder. One that begins with a state from elsewhere is only where a folder is
 * named.
 */
export function isKept(settings: DevNodeSettings): boolean {
  const { ephemeral, dataDir, forkUrl, stateFile, loadState } = settings;
  const beginsElsewhere = [forkUrl, stateFile, loadState].some((given) => given !== undefined);
  return !ephemeral && (dataDir !== undefined || !beginsElsewhere);
}

/** The options that only a development chain has. */
export function toDevOptions(settings: DevNodeSettings): NodeOptions {
  const { mnemonic, accounts, balance, derivationPath, autoImpersonate } = settings;
  return {
    dev: {
      ...{ mnemonic, accounts, balance, derivationPath, autoImpersonate },
      ...optional("chainId", settings.chainId),
      ...optional("baseFee", settings.baseFee),
      ...optional("timestamp", settings.timestamp),
      ...optional("autoFeePayer", settings.autoFeePayer && hexToBytes(settings.autoFeePayer)),
    },
    ...optional("fork", forkOptions(settings)),
    allowPrivateForks: settings.forkAllowPrivate,
    ...optional("state", stateOptions(settings)),
    mining: mining(settings),
    ...optional("feePayer", feePayerOptions(settings)),
  };
}

function gaslessOptions(settings: NodeSettings): NonNullable<NodeOptions["gasless"]> {
  const { gaslessDisabled, gaslessTokens, gaslessMaxPending, gaslessMaxQueued } = settings;
  if (gaslessDisabled) return false;
  const allowedTokens = gaslessTokens.includes("all") ? undefined : gaslessTokens.map(parseToken);
  return {
    maxPending: countOrAny(gaslessMaxPending),
    maxQueued: countOrAny(gaslessMaxQueued),
    checkLevel: settings.gaslessCheckLevel,
    ...optional("allowedTokens", allowedTokens),
  };
}

function countOrAny(count: number): number {
  return count > 0 ? count : Number.MAX_SAFE_INTEGER;
}

function parseToken(text: string): Uint8Array {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(text);
  throw new ConfigError("CONFIG_VALUE", `--gasless.allowed-tokens: ${text} is no address`);
}

function mining({ noMining, blockTimeMs, mixedMining }: DevNodeSettings): Mining {
  if (mixedMining && (blockTimeMs === undefined || noMining))
    throw new ConfigError("CONFIG_CONFLICT", "--mixed-mining has no meaning without --block-time");
  if (noMining) return { mode: "off" };
  if (blockTimeMs === undefined) return { mode: "instant" };
  return { mode: "interval", intervalMs: blockTimeMs, instant: mixedMining };
}

function forkOptions({ forkUrl, forkBlock, forkCache, noForkCache }: DevNodeSettings): NodeOptions["fork"] {
  if (forkUrl === undefined) {
    if (forkBlock === undefined) return undefined;
    throw new ConfigError("CONFIG_CONFLICT", "--fork-block has no meaning without --fork-url");
  }
  if (!URL.canParse(forkUrl) || !/^https?:$/.test(new URL(forkUrl).protocol))
    throw new ConfigError("CONFIG_VALUE", "--fork-url: a URL beginning with http:// or https:// is expected");
  const cacheDir = noForkCache ? undefined : resolve(forkCache ?? join(userCacheDir(process.env), "forks"));
  return { url: forkUrl, ...optional("block", forkBlock), ...optional("cacheDir", cacheDir) };
}

/** `--state` is both files in one, and need not be there the first time. */
function stateOptions(settings: DevNodeSettings): NodeOptions["state"] {
  const { stateFile, loadState, dumpState, stateIntervalMs: intervalMs } = settings;
  if (stateFile === undefined) {
    if (loadState === undefined && dumpState === undefined) return undefined;
    return {
      intervalMs,
      ...optional("load", loadState && resolve(loadState)),
      ...optional("dump", dumpState && resolve(dumpState)),
    };
  }
  if (loadState !== undefined || dumpState !== undefined)
    throw new ConfigError("CONFIG_CONFLICT", "--state stands for --load-state and --dump-state; give either");
  const path = resolve(stateFile);
  return { ...(existsSync(path) && { load: path }), dump: path, intervalMs };
}

function feePayerOptions({
  feePayerPort,
  feePayerDapps,
  feePayerDaily,
  feePayerDailySender,
}: DevNodeSettings): NodeOptions["feePayer"] {
  if (feePayerPort === undefined) {
    const useless = Object.entries({
      "--fee-payer-dapps": feePayerDapps,
      "--fee-payer-daily": feePayerDaily,
      "--fee-payer-daily-sender": feePayerDailySender,
    }).find(([, value]) => value !== undefined);
    if (useless === undefined) return undefined;
    throw new ConfigError("CONFIG_CONFLICT", `${useless[0]} has no meaning without --fee-payer-port`);
  }
  const file = feePayerDapps && readText(feePayerDapps, "--fee-payer-dapps");
  return {
    port: feePayerPort,
    ...optional("dapps", file === undefined ? undefined : readDapps(file)),
    ...optional("dailyLimit", feePayerDaily),
    ...optional("dailySenderLimit", feePayerDailySender),
  };
}

function optional<K extends string, V>(key: K, value: V | undefined | ""): { [P in K]?: V } {
  return (value === undefined || value === "" ? {} : { [key]: value }) as { [P in K]?: V };
}

function httpOptions(s: NodeSettings): ListenerOptions {
  return {
    host: s.httpAddress,
    port: s.httpPort,
    modules: s.httpModules,
    virtualHosts: s.httpVirtualHosts,
    origins: s.httpCorsDomains,
  };
}

function tlsOptions({ tlsCert, tlsKey }: NodeSettings): NodeOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError("CONFIG_CONFLICT", "--tls.cert and --tls.key have a meaning only together");
  return { cert: resolve(tlsCert), key: resolve(tlsKey) };
}

function metricsOptions(s: NodeSettings): NonNullable<NodeOptions["metrics"]> {
  return { port: s.prometheusPort, virtualHosts: s.httpVirtualHosts };
}

function wsOptions(s: NodeSettings): ListenerOptions {
  return { host: s.wsAddress, port: s.wsPort, modules: s.wsModules, origins: s.wsOrigins };
}

function poolOptions(s: NodeSettings): NonNullable<NodeOptions["pool"]> {
  return {
    noLocals: s.poolNoLocals,
    allowLocalAnchoring: s.poolAllowLocalAnchoring,
    denyRemote: s.poolDenyRemote,
    journal: s.poolJournal,
    journalIntervalMs: s.poolJournalIntervalMs,
    execSlotsAccount: s.poolExecSlotsAccount,
    execSlotsAll: s.poolExecSlotsAll,
    nonExecSlotsAccount: s.poolNonExecSlotsAccount,
    nonExecSlotsAll: s.poolNonExecSlotsAll,
    keepLocals: s.poolKeepLocals,
    lifetimeMs: s.poolLifetimeMs,
  };
}

function readNodeKey({ nodeKeyFile, nodeKeyHex }: NodeSettings): Uint8Array | undefined {
  if (nodeKeyFile !== undefined && nodeKeyHex !== undefined) {
    throw new ConfigError("CONFIG_CONFLICT", "--nodekey and --nodekeyhex cannot be given together");
  }
  if (nodeKeyHex !== undefined) return parseKey(nodeKeyHex, "--nodekeyhex");
  if (nodeKeyFile === undefined) return undefined;
  return parseKey(readText(nodeKeyFile, "--nodekey").trim(), `--nodekey ${nodeKeyFile}`);
}

/** @throws ConfigError for one that others may read, or that is not 32 bytes in hex */
export function readSecret(path: string, flag: string): Uint8Array {
  const hex = readText(path, flag).trim().replace(/^0x/, "");
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
    throw new ConfigError("CONFIG_VALUE", `${flag}: others may read ${path}; chmod 600 it`);
  if (!/^[0-9a-fA-F]{64}$/.test(hex))
    throw new ConfigError("CONFIG_VALUE", `${flag} ${path}: 64 hex digits are expected`);
  return hexToBytes(`0x${hex}`);
}

function readText(path: string, flag: string): string {
  try {
    return readBounded(path, { maxBytes: SMALL_FILE_BYTES }).toString("utf8");
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `${flag}: ${(cause as Error).message}`);
  }
}

function parseKey(text: string, where: string): Uint8Array {
  const hex = text.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new ConfigError("CONFIG_VALUE", `${where}: a private key of 64 hex digits is expected`);
  }
  return hexToBytes(`0x${hex}`);
}
