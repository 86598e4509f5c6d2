import { isObject, type Json } from "../../protocol/codec/json/value.ts";
import { typedDataError } from "./errors.ts";

/** A member of a struct. */
export interface StructMember {
  readonly name: string;
  /** As in the type's encoding: `uint256`, `Person[2][]`. */
  readonly type: string;
}

/** The structs of a piece of typed data, by name. */
export type StructTypes = ReadonlyMap<string, readonly StructMember[]>;

/** Maximum number of members of all structs; more than any wallet would show. */
const MAX_MEMBERS = 2_000;
const NAME = /^[A-Za-z_$][\w$]*$/;
const MAX_NAME_LENGTH = 256;
/** Maximum dimensions of an array type. */
const MAX_DIMENSIONS = 32;

/** The structs that `types` declares. @throws WalletError `TYPED_DATA` */
export function typesOf(types: Json): StructTypes {
  if (!isObject(types)) throw typedDataError("types must be an object");
  const structs = new Map<string, readonly StructMember[]>();
  let count = 0;
  for (const [name, members] of Object.entries(types)) {
    checkName(name);
    if (!Array.isArray(members)) throw typedDataError(`types.${name} must be an array`);
    count += members.length;
    if (count > MAX_MEMBERS) throw typedDataError(`types have more than ${MAX_MEMBERS} members`);
    structs.set(
      name,
      members.map((member) => memberOf(name, member)),
    );
  }
  return structs;
}

function memberOf(struct: string, member: Json): StructMember {
  if (isObject(member)) {
    const { name, type } = member;
    if (typeof name === "string" && typeof type === "string") {
      checkName(name);
      checkName(splitArray(type).base);
      return { name, type };
    }
  }
  throw typedDataError(`members of ${struct} must have a name and a type`);
}

function checkName(name: string): void {
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) throw typedDataError("a name is not an identifier");
}

/** A type split into its base type and array dimensions, none unless it is an array. */
export interface ArrayType {
  readonly base: string;
  /** From the innermost dimension outwards; undefined = dynamic. */
  readonly lengths: readonly (number | undefined)[];
}

/** Splits a type: `Person[2][]` is a dynamic array of arrays of two persons. @throws WalletError `TYPED_DATA` */
export function splitArray(type: string): ArrayType {
  const open = type.indexOf("[");
  if (open < 0) return { base: type, lengths: [] };
  const parts = type.slice(open + 1).split("[", MAX_DIMENSIONS + 1);
  if (parts.length > MAX_DIMENSIONS) throw typedDataError("an array has too many dimensions");
  const lengths = parts.map((part) => {
    if (part === "]") return undefined;
    const length = Number(part.slice(0, -1));
    if (!part.endsWith("]") || !Number.isSafeInteger(length) || length < 0 || part.length > 16)
      throw typedDataError("an array type is malformed");
    return length;
  });
  return { base: type.slice(0, open), lengths };
}

/** `encodeType`, as `Mail(Person from,Person to)Person(string name)`: a struct, then those it references, by name. @see EIP-712 */
export function encodeType(name: string, types: StructTypes): string {
  const used = new Set<string>();
  const queue = [name];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    for (const { type } of types.get(next) ?? []) {
      const { base } = splitArray(type);
      if (types.has(base)) queue.push(base);
    }
  }
  used.delete(name);
  return [name, ...[...used].sort()].map((each) => declarationOf(each, types)).join("");
}

function declarationOf(name: string, types: StructTypes): string {
  const members = types.get(name);
  if (members === undefined) throw typedDataError(`type ${name} is not declared`);
  return `${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`;
}
