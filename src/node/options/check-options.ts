import { type Accepted, integer, oneOf, path } from "../../platform/config/types.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { NodeOptions } from "../node-options.ts";
import { isRecord } from "./conversions.ts";
import { miningOptions } from "./dev/mining.ts";
import { devNodeOptions } from "./index.ts";
import type { MemberAt, MemberOption } from "./member.ts";

/** An invalid option. */
export class OptionError extends NodeError<"OPTION"> {
  override name = "OptionError";
}

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
type Group = GroupOf<DeclaredPath> | "sealing";
type NamesOf<T> = T extends object ? keyof T : never;
/** Members of a group that no declaration mentions; the type keeps the list complete. */
type Beyond<G extends string> = Record<
  Exclude<NamesOf<MemberAt<G>>, FirstOf<RestOf<DeclaredPath, G>>>,
  Accepted
>;

const anObject: Accepted = { what: "an object", test: isRecord };
const text = path.accepts;
const count = integer(0, Number.MAX_SAFE_INTEGER).accepts;
const hostNames = devNodeOptions.httpVirtualHosts.type.accepts;
const flag: Accepted = { what: "true or false", test: (value) => typeof value === "boolean" };

/** Options that only programs have; the type keeps the list complete. */
const UNDECLARED: Record<Exclude<keyof NodeOptions, FirstOf<DeclaredPath>>, Accepted> = {
  dataDir: text,
  genesis: anObject,
  heavyDebugLimit: count,
  logger: anObject,
  logLevels: anObject,
  network: oneOf("mainnet", "kairos").accepts,
  runtime: anObject,
  sealing: anObject,
};

/** Members that only programs have, by group. */
const MEMBERS: { readonly [G in Group]: Beyond<G> } = {
  artifacts: { inErrors: flag },
  cluster: {},
  dashboard: {},
  dev: {},
  eventStream: {},
  "eventStream.kafka": {},
  "eventStream.nats": {},
  feePayer: { account: devNodeOptions.rewardbase.type.accepts, host: text },
  fork: { cacheDir: text, headers: anObject, retries: count, timeoutMs: count },
  gasless: {},
  http: {},
  logLimits: {},
  metrics: { host: text, virtualHosts: hostNames },
  peers: { nodes: devNodeOptions.bootnodes.type.accepts },
  pool: { maxGas: devNodeOptions.gasCap.type.accepts },
  rpcLimits: { subscriptions: count },
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
  ws: { virtualHosts: hostNames },
};

/** Groups that a switch may stand for. */
const SWITCHES: { readonly [G in Group]?: Accepted } = {
  dashboard: {
    what: "true, false or an object",
    test: (value) => typeof value === "boolean" || isRecord(value),
  },
  dev: { what: "true, false or an object", test: (value) => typeof value === "boolean" || isRecord(value) },
};

/** What each member may be; several declarations may set one. */
const ACCEPTED: ReadonlyMap<string, readonly Accepted[]> = acceptedByPath();

function acceptedByPath(): Map<string, Accepted[]> {
  const found = new Map<string, Accepted[]>();
  const add = (path: string, accepted: Accepted): void => {
    const known = found.get(path) ?? [];
    if (!known.some(({ what }) => what === accepted.what)) known.push(accepted);
    found.set(path, known);
  };
  for (const { member, accepts, type } of Object.values(devNodeOptions) as Partial<
    MemberOption<unknown, string>
  >[])
    if (member !== undefined && type !== undefined) add(member, accepts ?? type.accepts);
  for (const [name, accepted] of Object.entries(UNDECLARED)) add(name, accepted);
  for (const [group, members] of Object.entries(MEMBERS)) {
    for (const [name, accepted] of Object.entries<Accepted>(members)) add(`${group}.${name}`, accepted);
    if (!found.has(group)) add(group, SWITCHES[group as Group] ?? anObject);
  }
  return found;
}

/**
 * Rejects what an untyped program may pass by mistake: unknown names, and values that the command line would not accept
 * either. Bounds are those of the declarations.
 * @throws OptionError that names the option and what it may be
 */
export function checkOptions(options: NodeOptions): void {
  const members: unknown = options;
  if (!isRecord(members)) throw refusal("the argument of createNode", "must be an object");
  checkMembers(members, "");
  const { sealing } = options;
  if (sealing?.kind === "interval") check("sealing.intervalMs", sealing.intervalMs);
}

function checkMembers(values: Readonly<Record<string, unknown>>, within: string): void {
  for (const [name, value] of Object.entries(values)) {
    const path = within + name;
    if (!ACCEPTED.has(path)) throw refusal(path, "is not an option of createNode");
    if (value === undefined) continue;
    check(path, value);
    if (path in MEMBERS && isRecord(value)) checkMembers(value, `${path}.`);
  }
}

function check(path: string, value: unknown): void {
  const accepted = ACCEPTED.get(path) ?? [];
  if (accepted.some(({ test }) => test(value))) return;
  throw refusal(path, `must be ${accepted.map(({ what }) => what).join(", or ")}`);
}

function refusal(name: string, rule: string): OptionError {
  return new OptionError("OPTION", `${name} ${rule}`, { name });
}
