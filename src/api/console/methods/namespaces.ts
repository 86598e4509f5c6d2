import type { Json } from "../../../protocol/codec/json/value.ts";
import { isChainName, NETWORK_CHAIN_NAMES } from "../../rpc/spec/chain-names.ts";
import type { Bridge } from "../bridge.ts";
import {
  type ConsoleMethod,
  type ConsoleParameter,
  gettersOf,
  isGetter,
  type MethodCatalogue,
} from "./catalogue.ts";
import { CHAIN_MODULES, SHORTCUTS, type Shortcut } from "./go-names.ts";
import { askForSecrets, callWithChallenges } from "./secrets.ts";
import { toArgument, toConsoleValue } from "./values.ts";

/** A method of the node as a function of the console. */
export interface MethodFunction {
  (...args: unknown[]): unknown;
  readonly method: ConsoleMethod;
  /** Names of its parameters, for printing. */
  readonly parameters: readonly string[];
}

/** The object of a module: functions, properties, and helpers. */
export type Namespace = Record<string, unknown>;

/**
 * The objects of all modules of a node. The chain module is one object: `kaia` and `klay` exist if any of its names is listed,
 * `chain` if the node lists that.
 */
export function createNamespaces(catalogue: MethodCatalogue, bridge: Bridge): Record<string, Namespace> {
  const { modules } = catalogue;
  const known = [...NETWORK_CHAIN_NAMES, "chain"].find((name) => modules.includes(name));
  const others = modules.filter((name) => !isChainName(name));
  const spaces = Object.fromEntries(others.map((name) => [name, createNamespace(name, catalogue, bridge)]));
  if (known === undefined) return spaces;
  const chain = createNamespace(known, catalogue, bridge);
  return { kaia: chain, klay: chain, ...(modules.includes("chain") && { chain }), ...spaces };
}

function createNamespace(module: string, catalogue: MethodCatalogue, bridge: Bridge): Namespace {
  const space: Namespace = {};
  const own = [...catalogue.methods.values()].filter(({ name }) => name.startsWith(`${module}_`));
  for (const method of own) define(space, module, method, bridge);
  if (CHAIN_MODULES.includes(module)) for (const shortcut of SHORTCUTS) addShortcut(space, shortcut);
  if (catalogue.complete) return space;
  for (const name of gettersOf(module))
    if (!(name in space)) define(space, module, undeclared(`${module}_${name}`), bridge);
  return withUndeclared(space, module, bridge);
}

function define(space: Namespace, module: string, method: ConsoleMethod, bridge: Bridge): void {
  const name = method.name.slice(module.length + 1);
  const call = methodFunction(method, bridge);
  if (!isGetter(module, name)) {
    // A declared method, such as `getHashrate`, takes precedence over the function form of a getter.
    Object.defineProperty(space, name, { value: call, enumerable: true, writable: true, configurable: true });
    return;
  }
  Object.defineProperty(space, name, { get: call, enumerable: true });
  // The Go console has `getBlockNumber()` beside `blockNumber`; it is not listed twice here.
  const spelledOut = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (!(spelledOut in space)) Object.defineProperty(space, spelledOut, { value: call, configurable: true });
}

/** A method of which only the name is known. */
function undeclared(name: string): ConsoleMethod {
  return { name, summary: "", params: [], result: { title: "value", json: {} } };
}

/** Any other name becomes a function, too: only the node knows whether the method exists. */
function withUndeclared(space: Namespace, module: string, bridge: Bridge): Namespace {
  return new Proxy(space, {
    get(target, name, receiver) {
      if (typeof name === "symbol" || name in target || name === "then" || name === "toJSON")
        return Reflect.get(target, name, receiver);
      return methodFunction(undeclared(`${module}_${name}`), bridge);
    },
  });
}

/** The function that calls a method: positional arguments, prompts for secrets, default block, readable result. */
function methodFunction(method: ConsoleMethod, bridge: Bridge): MethodFunction {
  const { params, result } = method;
  const call = (...given: unknown[]): unknown => {
    const args = [...given];
    askForSecrets(method, args, bridge);
    refuseMissing(params, args);
    return toConsoleValue(callWithChallenges(method, positional(params, args), bridge), result.json);
  };
  return Object.assign(call, { method, parameters: params.map(({ name }) => name) });
}

/** Names the first missing argument; the node would only report its index. */
function refuseMissing(params: readonly ConsoleParameter[], args: readonly unknown[]): void {
  const missing = params.find(
    ({ optional, absent }, i) => args[i] === undefined && !optional && absent === undefined,
  );
  if (missing !== undefined) throw new Error(`missing argument ${missing.name}: ${missing.doc}`);
}

function positional(params: readonly ConsoleParameter[], args: readonly unknown[]): Json[] {
  const count = Math.max(args.length, params.length);
  const values = Array.from({ length: count }, (_, i) => {
    const parameter = params[i];
    if (args[i] === undefined) return parameter?.absent;
    return toArgument(args[i], parameter?.json ?? {});
  });
  const last = values.findLastIndex((value) => value !== undefined);
  return values.slice(0, last + 1).map((value) => value ?? null);
}

function addShortcut(space: Namespace, { name, method, byHash, defaults = [] }: Shortcut): void {
  const target = space[method] as MethodFunction | undefined;
  if (target === undefined || name in space) return;
  const call = (...args: unknown[]): unknown => {
    const isHash = typeof args[0] === "string" && /^0x[0-9a-fA-F]{64}$/.test(args[0]);
    const all = [...args, ...defaults.slice(args.length)];
    return (isHash && byHash !== undefined ? (space[byHash] as MethodFunction) : target)(...all);
  };
  space[name] = Object.assign(call, { method: target.method, parameters: target.parameters });
}
