import type { OptionSet } from "../../platform/config/option.ts";
import type { Accepted } from "../../platform/config/types.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { NodeOptions } from "../node-options.ts";
import { isRecord } from "./conversions.ts";
import { devNodeOptions } from "./index.ts";
import type { MemberOption, OptionRole } from "./member.ts";
import { anObject, MEMBERS, type OptionGroup, REQUIRED, SWITCHES, UNDECLARED } from "./undeclared.ts";

/** An invalid option. */
export class OptionError extends NodeError<"OPTION"> {
  override name = "OptionError";
}

type Declaration = MemberOption<unknown, string> & OptionRole;

const DECLARED = Object.values(devNodeOptions as OptionSet).filter(
  (declaration): declaration is Declaration => "member" in declaration,
);
const BY_FLAG: ReadonlyMap<string, Declaration> = new Map(DECLARED.map((one) => [one.flag, one]));

/** What each member may be; several declarations may set one. */
const ACCEPTED: ReadonlyMap<string, readonly Accepted[]> = acceptedByPath();

function acceptedByPath(): Map<string, Accepted[]> {
  const found = new Map<string, Accepted[]>();
  const add = (path: string, accepted: Accepted): void => {
    const known = found.get(path) ?? [];
    if (!known.some(({ what }) => what === accepted.what)) known.push(accepted);
    found.set(path, known);
  };
  for (const { member, accepts, type } of DECLARED) add(member, accepts ?? type.accepts);
  for (const [name, accepted] of Object.entries(UNDECLARED)) add(name, accepted);
  for (const [group, members] of Object.entries(MEMBERS)) {
    for (const [name, accepted] of Object.entries<Accepted>(members)) add(`${group}.${name}`, accepted);
    if (!found.has(group)) add(group, SWITCHES[group as OptionGroup] ?? anObject);
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
  for (const declaration of DECLARED) checkOthers(members, declaration);
  const { sealing } = options;
  if (sealing?.kind === "interval") check("sealing.intervalMs", sealing.intervalMs);
}

function checkMembers(values: Readonly<Record<string, unknown>>, within: string): void {
  for (const [name, value] of Object.entries(values)) {
    const path = within + name;
    if (!ACCEPTED.has(path)) throw refusal(path, "is not an option of createNode");
    if (value === undefined) continue;
    check(path, value);
    if (path in MEMBERS && isRecord(value)) checkGroup(path as OptionGroup, value);
  }
}

function checkGroup(group: OptionGroup, values: Readonly<Record<string, unknown>>): void {
  checkMembers(values, `${group}.`);
  const missing = Object.keys(REQUIRED[group]).find((name) => values[name] === undefined);
  if (missing !== undefined) throw refusal(`${group}.${missing}`, "is missing");
}

/** Members that require or exclude each other, as their flags do. */
function checkOthers(members: Readonly<Record<string, unknown>>, { member, ...others }: Declaration): void {
  const { needs, excludes = [] } = others;
  if (!isGiven(members, member)) return;
  const needed = needs === undefined ? undefined : BY_FLAG.get(needs)?.member;
  if (needed !== undefined && !isGiven(members, needed)) throw refusal(member, `requires ${needed}`);
  for (const flag of excludes) {
    const other = BY_FLAG.get(flag)?.member ?? member;
    if (other !== member && isGiven(members, other))
      throw refusal(member, `cannot be given together with ${other}`);
  }
}

/** `false` is what a switch is without being given. */
function isGiven(members: Readonly<Record<string, unknown>>, path: string): boolean {
  let value: unknown = members;
  for (const name of path.split(".")) value = isRecord(value) ? value[name] : undefined;
  return value !== undefined && value !== false;
}

function check(path: string, value: unknown): void {
  const accepted = ACCEPTED.get(path) ?? [];
  if (accepted.some(({ test }) => test(value))) return;
  throw refusal(path, `must be ${accepted.map(({ what }) => what).join(", or ")}`);
}

function refusal(name: string, rule: string): OptionError {
  return new OptionError("OPTION", `${name} ${rule}`, { name });
}
