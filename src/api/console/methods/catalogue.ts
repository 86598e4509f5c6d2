import type { Field, Json, Schema } from "../../../protocol/codec/json/schema.ts";
import { absentArgument } from "../../client/client.ts";
import { api } from "../../rpc/spec/api.ts";
import { declaredModule } from "../../rpc/spec/chain-names.ts";
import type { Method } from "../../rpc/spec/method.ts";
import { GETTERS } from "./go-names.ts";

/** Upper bound on methods, more than any node has. */
const MAX_METHODS = 5000;
/** Upper bound on modules described but not listed. */
const MAX_UNLISTED = 20;
const METHOD = /^[A-Za-z][A-Za-z0-9]{0,63}_[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** JSON Schema, as far as the console reads it. */
export type JsonShape = { readonly [key: string]: Json };

/** A parameter as the console needs it. */
export interface ConsoleParameter {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  readonly optional: boolean;
  readonly json: JsonShape;
  readonly secret?: "ask" | "askTwice";
  /** Sent if the argument is omitted. */
  readonly absent?: Json;
}

/** A method in the form the console needs; plain data. */
export interface ConsoleMethod {
  /** `eth_getBalance` */
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ConsoleParameter[];
  readonly result: { readonly title: string; readonly json: JsonShape };
}

/** The modules of a node and the known declarations of their methods. */
export interface MethodCatalogue {
  readonly modules: readonly string[];
  /** By the node's name of the method. */
  readonly methods: ReadonlyMap<string, ConsoleMethod>;
  /** Whether `methods` has everything that the node serves. */
  readonly complete: boolean;
}

interface OpenRpcDocument {
  readonly methods: readonly OpenRpcMethod[];
  readonly components?: { readonly schemas?: Schemas };
}

type Schemas = Readonly<Record<string, JsonShape>>;

interface OpenRpcMethod {
  readonly name: string;
  readonly summary?: string;
  readonly params: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly schema: JsonShape;
  }[];
  readonly result: { readonly name: string; readonly schema: JsonShape };
}

/**
 * The methods that the console offers for a node.
 * @param listed - modules as `rpc_modules` lists them
 * @param document - the node's OpenRPC document, if it has one: then its methods are the complete list
 */
export function createCatalogue(listed: readonly string[], document?: unknown): MethodCatalogue {
  const { methods: described, components } = validDocument(document);
  const modules = [...listed, ...unlistedModules(listed, described ?? [])];
  const methods = new Map<string, ConsoleMethod>();
  for (const module of modules) for (const method of declared(module)) methods.set(method.name, method);
  if (described === undefined) return { modules, methods, complete: false };
  const served = new Map<string, ConsoleMethod>();
  for (const one of described)
    for (const name of namesOf(one.name, modules))
      served.set(name, methods.get(name) ?? { ...fromOpenRpc(one, components?.schemas ?? {}), name });
  return { modules, methods: served, complete: true };
}

/** Validates a document: not every node is trustworthy. */
function validDocument(document: unknown): Partial<OpenRpcDocument> {
  const { methods, components } = (document ?? {}) as Partial<OpenRpcDocument>;
  if (!Array.isArray(methods) || methods.length > MAX_METHODS) return {};
  const well = methods.filter(isMethod).map((one) => ({ ...one, summary: String(one.summary ?? "") }));
  return { methods: well, ...(components !== undefined && isRecord(components) && { components }) };
}

function isMethod(one: OpenRpcMethod): boolean {
  if (!isRecord(one) || typeof one.name !== "string" || !METHOD.test(one.name)) return false;
  const { params, result } = one;
  const isParameter = (each: OpenRpcMethod["params"][number]): boolean =>
    isRecord(each) && typeof each.name === "string" && isRecord(each.schema);
  return Array.isArray(params) && params.every(isParameter) && isRecord(result) && isRecord(result.schema);
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Modules that are described but not listed. */
function unlistedModules(listed: readonly string[], described: readonly OpenRpcMethod[]): string[] {
  const known = new Set(listed.map(declaredModule));
  const modules = described.map(({ name }) => declaredModule(name.slice(0, name.indexOf("_"))));
  return [...new Set(modules)].filter((module) => !known.has(module)).slice(0, MAX_UNLISTED);
}

/** The names under which a described method is served: one for each enabled name of its module. */
function namesOf(name: string, modules: readonly string[]): string[] {
  const at = name.indexOf("_");
  const wanted = declaredModule(name.slice(0, at));
  return modules
    .filter((module) => declaredModule(module) === wanted)
    .map((module) => module + name.slice(at));
}

/** The methods of a module by the declarations of this package. */
function declared(module: string): ConsoleMethod[] {
  const prefix = declaredModule(module);
  return Object.entries(api)
    .filter(([name]) => name.startsWith(`${prefix}_`))
    .map(([name, method]) => fromDeclaration(`${module}${name.slice(prefix.length)}`, method as Method));
}

function fromDeclaration(name: string, { summary, params, result }: Method): ConsoleMethod {
  return {
    name,
    summary,
    params: Object.entries(params).map(([parameter, field]) => fromField(parameter, field)),
    result: { title: result.title, json: result.json },
  };
}

function fromField(name: string, field: Field<unknown>): ConsoleParameter {
  const { title, json, secret } = field.schema as Schema<unknown>;
  const absent = absentArgument(field);
  return {
    name,
    title,
    doc: field.doc,
    optional: field.optional,
    json,
    ...(secret !== undefined && { secret }),
    ...(absent !== undefined && { absent }),
  };
}

function fromOpenRpc({ name, summary = "", params, result }: OpenRpcMethod, schemas: Schemas): ConsoleMethod {
  return {
    name,
    summary,
    params: params.map((one) => {
      const json = resolved(one.schema, schemas);
      return {
        name: one.name,
        title: String(json["title"] ?? json["type"] ?? "value"),
        doc: String(one.description ?? ""),
        optional: one.required !== true,
        json,
      };
    }),
    result: { title: result.name, json: resolved(result.schema, schemas) },
  };
}

/** A schema, or the one that it refers to. */
function resolved(schema: JsonShape, schemas: Schemas): JsonShape {
  const key = String(schema["$ref"] ?? "").replace("#/components/schemas/", "");
  return (Object.hasOwn(schemas, key) && isRecord(schemas[key]) ? schemas[key] : undefined) ?? schema;
}

/** Whether the Go console offers a method as a property, without parentheses. */
export function isGetter(module: string, name: string): boolean {
  return gettersOf(module).includes(name);
}

/** The methods of a module that the Go console offers as properties. */
export function gettersOf(module: string): readonly string[] {
  return GETTERS[declaredModule(module)] ?? [];
}
