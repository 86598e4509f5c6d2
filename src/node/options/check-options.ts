import type { OptionType } from "../../platform/config/types.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { NodeOptions } from "../node-options.ts";
import { devNodeOptions } from "./index.ts";

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
/** Nested members that no declaration mentions; the type keeps the list complete. */
type Beyond<Member extends keyof NodeOptions> = Record<
  Exclude<keyof Extract<NodeOptions[Member], object>, RestOf<DeclaredPath, Member>>,
  true
>;

/** Options that only programs have; the type keeps the list complete. */
const UNDECLARED: Record<Exclude<keyof NodeOptions, FirstOf<DeclaredPath>>, true> = {
  dataDir: true,
  genesis: true,
  heavyDebugLimit: true,
  logger: true,
  logLevels: true,
  mining: true,
  network: true,
  runtime: true,
  state: true,
};

/** The same for options whose own members are checked. */
const MEMBERS: { readonly [M in CheckedMember]: Beyond<M> } = {
  dev: {},
  fork: { cacheDir: true, headers: true, retries: true, timeoutMs: true },
  feePayer: { account: true, host: true },
  tls: {},
  sharedLimits: {},
  rpcRate: {},
  state: { dump: true, load: true, intervalMs: true },
};

type CheckedMember = "dev" | "fork" | "feePayer" | "tls" | "sharedLimits" | "rpcRate" | "state";

const DECLARED: readonly Declaration[] = Object.values(devNodeOptions);
interface Declaration {
  readonly member?: string;
  readonly type: Pick<OptionType<unknown>, "words">;
}

const PATHS: ReadonlySet<string> = new Set(DECLARED.flatMap(({ member }) => member ?? []));
const NAMES: ReadonlySet<string> = new Set([
  ...[...PATHS].map((path) => path.split(".", 1)[0] as string),
  ...Object.keys(UNDECLARED),
]);

/**
 * Rejects values that an untyped program may pass by mistake, and combinations that would start a different node than intended.
 * @throws OptionError that names the option and what it may be
 */
export function checkOptions(options: NodeOptions): void {
  for (const name of Object.keys(options)) {
    if (!NAMES.has(name)) throw refusal(name, "is not an option of createNode");
  }
  for (const [option, members] of Object.entries(MEMBERS)) checkMembers(options, option, members);
  for (const { member, type } of DECLARED) if (member !== undefined) checkWord(options, member, type);
  const { dev, mining } = options;
  if (typeof dev === "object") checkDev(dev);
  if (mining !== undefined) checkMining(mining);
}

function checkMembers(options: NodeOptions, option: string, members: object): void {
  const value = options[option as CheckedMember];
  if (typeof value !== "object") return;
  for (const name of Object.keys(value)) {
    if (!PATHS.has(`${option}.${name}`) && !Object.hasOwn(members, name))
      throw refusal(`${option}.${name}`, "is not an option of createNode");
  }
}

function checkWord(options: NodeOptions, member: string, { words }: Declaration["type"]): void {
  const value: unknown = options[member as keyof NodeOptions];
  if (words === undefined || value === undefined || words.includes(value as string)) return;
  throw refusal(member, `must be ${words.join(" or ")}`);
}

function checkDev({
  accounts,
  chainId,
  autoFeePayer,
}: Exclude<NonNullable<NodeOptions["dev"]>, boolean>): void {
  if (accounts !== undefined && !isCount(accounts))
    throw refusal("dev.accounts", "must be a whole number, 0 or more");
  if (chainId !== undefined && !isChainId(chainId))
    throw refusal("dev.chainId", `must be a bigint from 1 to ${Number.MAX_SAFE_INTEGER}`);
  if (autoFeePayer !== undefined && !isAddress(autoFeePayer))
    throw refusal("dev.autoFeePayer", "must be an address of 20 bytes");
}

function isAddress(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === 20;
}

function isChainId(value: bigint): boolean {
  return typeof value === "bigint" && value >= 1n && value <= Number.MAX_SAFE_INTEGER;
}

function checkMining(mining: NonNullable<NodeOptions["mining"]>): void {
  if (!["instant", "interval", "off"].includes(mining.mode))
    throw refusal("mining.mode", "must be instant, interval or off");
  if (mining.mode === "interval" && !(isCount(mining.intervalMs) && mining.intervalMs > 0))
    throw refusal("mining.intervalMs", "must be a whole number of milliseconds, 1 or more");
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refusal(name: string, rule: string): OptionError {
  return new OptionError("OPTION", `${name} ${rule}`, { name });
}
