import { validateHeaderName, validateHeaderValue } from "node:http";
import { parseNodeUrl } from "../../network/p2p/node-url.ts";
import { type Accepted, host, integer, isListOf, oneOf, path, timer } from "../../platform/config/types.ts";
import type { Files } from "../../platform/runtime/files.ts";
import type { Clock, Randomness, Runtime, Timers } from "../../platform/runtime/runtime.ts";
import type { Logger, LogLevels } from "../../platform/telemetry/logger.ts";
import type { NodeOptions } from "../node-options.ts";
import { hasMethods, isRecord } from "./conversions.ts";
import { miningOptions } from "./dev/mining.ts";
import { devNodeOptions } from "./index.ts";
import type { MemberAt } from "./member.ts";

/** Paths in `NodeOptions` that command line options set, such as `http.port`. */
type DeclaredPath = Extract<
  (typeof devNodeOptions)[keyof typeof devNodeOptions],
  { readonly member: string }
>["member"];
type FirstOf<Path> = Path extends `${infer First}.${string}` ? First : Path;
type RestOf<Path, First extends string> = Path extends `${First}.${infer Rest}` ? Rest : never;
/** Options with members of their own: `http`, `eventStream`, `eventStream.kafka`. */
type GroupOf<Path> = Path extends `${infer First}.${infer Rest}`
  ? First | (Rest extends `${infer Second}.${string}` ? `${First}.${Second}` : never)
  : never;
type NamesOf<T> = T extends object ? keyof T : never;
/** Members of a group that no declaration mentions; the type keeps the list complete. */
type Beyond<G extends string> = Record<
  Exclude<NamesOf<MemberAt<G>>, FirstOf<RestOf<DeclaredPath, G>>>,
  Accepted
>;
/** The keys that an object must have; of a union, those of all its members. */
type RequiredOf<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];
/** The methods of an interface; the type keeps the list complete. */
type MethodsOf<T> = Readonly<Record<keyof T, true>>;

/** A member of `NodeOptions` with members of its own. */
export type OptionGroup = GroupOf<DeclaredPath> | "sealing";

const LOGGER: MethodsOf<Logger> = {
  crit: true,
  error: true,
  warn: true,
  info: true,
  debug: true,
  trace: true,
  child: true,
};
const LOG_LEVELS: MethodsOf<LogLevels> = { setVerbosity: true, setRooms: true, isOn: true };
const CLOCK: MethodsOf<Clock> = { now: true, elapsed: true };
const TIMERS: MethodsOf<Timers> = { schedule: true };
const RANDOMNESS: MethodsOf<Randomness> = { bytes: true };
const FILES: MethodsOf<Files> = {
  createDirectory: true,
  exists: true,
  isReadOnly: true,
  isRegularOrNone: true,
  list: true,
  lock: true,
  openAppend: true,
  openRewritable: true,
  read: true,
  remove: true,
  rename: true,
  replace: true,
  truncate: true,
};
const RUNTIME: { readonly [K in keyof Runtime]: MethodsOf<Runtime[K]> } = {
  clock: CLOCK,
  timers: TIMERS,
  randomness: RANDOMNESS,
  files: FILES,
};

/** Any group. */
export const anObject: Accepted = { what: "an object", test: isRecord };
const hostNames = devNodeOptions.httpVirtualHosts.type.accepts;
const flag: Accepted = { what: "true or false", test: (value) => typeof value === "boolean" };

/** Options that only programs have; the type keeps the list complete. */
export const UNDECLARED: Record<Exclude<keyof NodeOptions, FirstOf<DeclaredPath>>, Accepted> = {
  dataDir: path.accepts,
  genesis: anObject,
  logger: withMethods("a logger", LOGGER),
  logLevels: withMethods("the levels of a log", LOG_LEVELS),
  network: oneOf("mainnet", "kairos").accepts,
  runtime: {
    what: `an object of ${Object.keys(RUNTIME).join(", ")}, each with all its methods`,
    test: (value) =>
      isRecord(value) &&
      Object.entries(RUNTIME).every(([name, methods]) => hasMethods(value[name], Object.keys(methods))),
  },
  sealing: anObject,
};

/** Members that only programs have, by group. */
export const MEMBERS: { readonly [G in OptionGroup]: Beyond<G> } = {
  artifacts: { inErrors: flag },
  cluster: {},
  dashboard: {},
  dev: {},
  eventStream: {},
  "eventStream.kafka": {},
  "eventStream.nats": {},
  feePayer: { account: devNodeOptions.rewardbase.type.accepts, host: host.accepts },
  fork: {
    cacheDir: path.accepts,
    headers: { what: "an object of header fields and their values", test: areHeaders },
    retries: integer(0, 1000).accepts,
    timeoutMs: timer(1).accepts,
  },
  gasless: {},
  http: {},
  keyDerivation: {},
  logLimits: {},
  metrics: { host: host.accepts, virtualHosts: hostNames },
  peers: {
    nodes: { what: "a list of URLs like kni://ID@HOST:PORT", test: (value) => isListOf(value, isNodeUrl) },
  },
  pool: { maxGas: devNodeOptions.gasCap.type.accepts },
  rpcLimits: {},
  rpcRate: {},
  sealing: {
    kind: oneOf("onDemand", "interval", "manual").accepts,
    intervalMs: miningOptions.blockTimeMs.type.accepts,
    onDemand: flag,
  },
  sharedLimits: {},
  sql: {},
  state: {},
  tls: {},
  traceLimits: {},
  ws: { virtualHosts: hostNames },
};

/** Groups that a switch may stand for. */
export const SWITCHES: { readonly [G in OptionGroup]?: Accepted } = {
  dashboard: {
    what: "true, false or an object",
    test: (value) => typeof value === "boolean" || isRecord(value),
  },
  dev: { what: "true, false or an object", test: (value) => typeof value === "boolean" || isRecord(value) },
};

/** Members without which their group is incomplete; the type keeps the lists complete. */
export const REQUIRED: {
  readonly [G in OptionGroup]: Readonly<Record<RequiredOf<Extract<MemberAt<G>, object>>, true>>;
} = {
  artifacts: { folders: true },
  cluster: { url: true },
  dashboard: {},
  dev: {},
  eventStream: {},
  "eventStream.kafka": {},
  "eventStream.nats": {},
  feePayer: { port: true },
  fork: { url: true },
  gasless: {},
  http: { port: true },
  keyDerivation: {},
  logLimits: {},
  metrics: { port: true },
  peers: {},
  pool: {},
  rpcLimits: {},
  rpcRate: { perSecond: true },
  sealing: { kind: true },
  sharedLimits: {},
  sql: {},
  state: {},
  tls: { cert: true, key: true },
  traceLimits: {},
  ws: { port: true },
};

function withMethods(what: string, methods: Readonly<Record<string, true>>): Accepted {
  const names = Object.keys(methods);
  return {
    what: `${what}: an object with the methods ${names.join(", ")}`,
    test: (value) => hasMethods(value, names),
  };
}

/** Header fields of a request. */
const MAX_HEADERS = 100;

function areHeaders(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= MAX_HEADERS && entries.every(([name, text]) => isHeader(name, text));
}

function isHeader(name: string, text: unknown): boolean {
  if (typeof text !== "string") return false;
  return passes(() => {
    validateHeaderName(name);
    validateHeaderValue(name, text);
  });
}

function isNodeUrl(value: unknown): boolean {
  return typeof value === "string" && passes(() => parseNodeUrl(value));
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
