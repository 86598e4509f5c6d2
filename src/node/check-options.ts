import type { RateOptions } from "../api/rpc/services/rate-limit.ts";
import { NodeError } from "../protocol/primitives/errors.ts";
import type { SharedLimits } from "./budget.ts";
import type { ForkOptions } from "./dev/fork/open-fork.ts";
import type { DevChain, FeePayerOptions, NodeOptions } from "./node-options.ts";

/** An option that no node can have. */
export class OptionError extends NodeError<"OPTION"> {
  override name = "OptionError";
}

/** Every option; the type keeps the list complete. */
const NAMES: Record<keyof NodeOptions, true> = {
  allowExposed: true,
  allowInsecureUnlock: true,
  compat: true,
  dataDir: true,
  dev: true,
  blockSliceMs: true,
  callSliceMs: true,
  dumpDir: true,
  evmTimeoutMs: true,
  feePayer: true,
  fork: true,
  allowPrivateForks: true,
  gasCap: true,
  gasless: true,
  genesis: true,
  heavyDebugLimit: true,
  history: true,
  http: true,
  ipc: true,
  jwtSecret: true,
  keystoreDir: true,
  lightKdf: true,
  logger: true,
  logLevels: true,
  maxCalls: true,
  metrics: true,
  mining: true,
  network: true,
  networkId: true,
  nodeKey: true,
  pool: true,
  rewardbase: true,
  rpcLimits: true,
  rpcRate: true,
  runtime: true,
  senderTxHashIndexing: true,
  sharedLimits: true,
  signedMessageName: true,
  signer: true,
  state: true,
  tls: true,
  unit: true,
  unlockMaxSeconds: true,
  unsafeDebugDisabled: true,
  unsafeHost: true,
  usb: true,
  ws: true,
};

/** The same of those options that have members, as far as they make a development chain. */
const MEMBERS: {
  readonly dev: Record<keyof DevChain, true>;
  readonly fork: Record<keyof ForkOptions, true>;
  readonly feePayer: Record<keyof FeePayerOptions, true>;
  readonly tls: Record<keyof NonNullable<NodeOptions["tls"]>, true>;
  readonly sharedLimits: Record<keyof SharedLimits, true>;
  readonly rpcRate: Record<keyof RateOptions, true>;
  readonly state: Record<keyof NonNullable<NodeOptions["state"]>, true>;
} = {
  dev: {
    accounts: true,
    autoFeePayer: true,
    autoImpersonate: true,
    balance: true,
    baseFee: true,
    chainId: true,
    derivationPath: true,
    mnemonic: true,
    timestamp: true,
  },
  fork: { block: true, cacheDir: true, headers: true, retries: true, timeoutMs: true, url: true },
  feePayer: {
    account: true,
    dailyLimit: true,
    dailySenderLimit: true,
    dapps: true,
    host: true,
    port: true,
  },
  tls: { cert: true, key: true },
  sharedLimits: { connections: true, subscriptions: true, unsent: true },
  rpcRate: { loopback: true, perSecond: true },
  state: { dump: true, load: true, intervalMs: true },
};

/**
 * Refuses what a program without types may say by mistake, and what would start another node than was asked for.
 * @throws OptionError that names the option and what it may be
 */
export function checkOptions(options: NodeOptions): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(NAMES, name)) throw refusal(name, "is no option of createNode");
  }
  for (const [option, members] of Object.entries(MEMBERS)) checkMembers(options, option, members);
  const { history, dev, mining } = options;
  if (history !== undefined && history !== "full" && history !== "archive")
    throw refusal("history", "is full or archive");
  if (typeof dev === "object") checkDev(dev);
  if (mining !== undefined) checkMining(mining);
}

function checkMembers(options: NodeOptions, option: string, members: Readonly<Record<string, true>>): void {
  const value = options[option as keyof typeof MEMBERS];
  if (typeof value !== "object") return;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(members, name)) throw refusal(`${option}.${name}`, "is no option of createNode");
  }
}

function checkDev({
  accounts,
  chainId,
  autoFeePayer,
}: Exclude<NonNullable<NodeOptions["dev"]>, boolean>): void {
  if (accounts !== undefined && !isCount(accounts))
    throw refusal("dev.accounts", "is a whole number, 0 or more");
  if (chainId !== undefined && !isChainId(chainId))
    throw refusal("dev.chainId", `is a bigint from 1 to ${Number.MAX_SAFE_INTEGER}`);
  if (autoFeePayer !== undefined && !isAddress(autoFeePayer))
    throw refusal("dev.autoFeePayer", "is an address of 20 bytes");
}

function isAddress(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === 20;
}

function isChainId(value: bigint): boolean {
  return typeof value === "bigint" && value >= 1n && value <= Number.MAX_SAFE_INTEGER;
}

function checkMining(mining: NonNullable<NodeOptions["mining"]>): void {
  if (!["instant", "interval", "off"].includes(mining.mode))
    throw refusal("mining.mode", "is instant, interval or off");
  if (mining.mode === "interval" && !(isCount(mining.intervalMs) && mining.intervalMs > 0))
    throw refusal("mining.intervalMs", "is a whole number of milliseconds, 1 or more");
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refusal(name: string, rule: string): OptionError {
  return new OptionError("OPTION", `${name} ${rule}`, { name });
}
