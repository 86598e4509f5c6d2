import { bytes } from "../../../protocol/codec/json/hex.ts";
import type { Schema } from "../../../protocol/codec/json/schema.ts";
import { type Json, stringify } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { kaiaDialect } from "../dialects/kaia.ts";
import { CHAIN_NAMES } from "../spec/chain-names.ts";
import type {
  Api,
  CallContext,
  GroupHandlers,
  Handlers,
  Method,
  Namespaces,
  Scope,
  Subscription,
  SubscriptionApi,
  SubscriptionHandlers,
} from "../spec/method.ts";
import { isExact } from "../spec/values/exact-json.ts";
import { JsonText, type Text } from "../spec/values/json-text.ts";
import { type Parameters, parameters } from "./arguments.ts";
import { SecretPlaces } from "./secrets/secret-places.ts";
import { hexText } from "./text/hex-text.ts";

/** Namespaces served under several names; they are mounted under the first. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { chain: CHAIN_NAMES };

/** A method with its handler. */
export interface BoundMethod {
  readonly declaration: Method;
  readonly parameters: Parameters;
  readonly handler: (args: Record<string, unknown>, context: CallContext) => unknown;
  /** Prepares for calls with these arguments, see `BatchPreparing`. */
  readonly prepareBatch?: ((args: readonly Record<string, unknown>[]) => Promise<void>) | undefined;
}

/** A subscription with its handler. */
export interface BoundSubscription {
  readonly declaration: Subscription;
  readonly parameters: Parameters;
  readonly handler: (
    args: Record<string, unknown>,
    emit: (event: unknown) => void,
    lose: () => void,
  ) => () => void;
}

type BoundHandler = BoundMethod["handler"] & Pick<BoundMethod, "prepareBatch">;

/** The methods and subscriptions available over one transport; frozen. */
export interface Access {
  /** Sorted module names, as listed by `rpc_modules`. */
  readonly modules: readonly string[];
  /** By full name, aliases included. */
  readonly methods: ReadonlyMap<string, BoundMethod>;
  /** By namespace and name, joined by a space. */
  readonly subscriptions: ReadonlyMap<string, BoundSubscription>;
  /** Which parameters of these methods are secrets. */
  readonly secrets: SecretPlaces;
  readonly local?: boolean;
  readonly unsafe?: boolean;
}

/** Which methods a transport serves. */
export interface AccessRules {
  /** Names of the enabled modules; names without methods are ignored; undefined = all. */
  readonly modules?: readonly string[];
  /** Whether `unsafe` methods are available. */
  readonly unsafe: boolean;
  /** Whether callers are this process or use its IPC socket, rather than a TCP port. */
  readonly local?: boolean;
  /** Whether methods of scope `host` are available over TCP ports, too. */
  readonly hostMethods?: boolean;
}

/** The part of a method name before its first underscore. */
export function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf("_")));
}

/** All methods of a node. Filled at start-up; each transport then takes a frozen `access`. */
export class Registry {
  readonly #methods = new Map<string, BoundMethod>();
  readonly #subscriptions = new Map<string, BoundSubscription>();
  /** The views given to transports, by their rules, until methods are added. */
  readonly #given = new Map<string, Access>();
  readonly dialect: Dialect;

  /** @param dialect - decides parameters of methods, and the name of the chain namespace in `rpc_modules` */
  constructor(dialect: Dialect = kaiaDialect) {
    this.dialect = dialect;
  }

  /** Mounts each group in the namespaces that have it. A missing or mistyped handler does not compile. */
  serve<S extends Namespaces>(namespaces: S, handlers: GroupHandlers<S>): this {
    const byGroup: Readonly<Record<string, unknown>> = handlers;
    for (const [namespace, groups] of Object.entries(namespaces)) {
      for (const [name, group] of Object.entries(groups)) {
        const given = byGroup[name];
        if (given === undefined) continue;
        this.mount(namespace, group, typeof given === "function" ? given(namespace) : given);
      }
    }
    return this;
  }

  /** Adds a group of methods under a namespace. */
  mount<A extends Api>(namespace: string, group: A, handlers: Handlers<A>): this {
    for (const [name, declaration] of Object.entries(group)) {
      this.#bind(`${namespace}_${name}`, declaration, handlers[name] as BoundHandler);
    }
    return this;
  }

  #bind(fullName: string, declaration: Method, handler: BoundHandler): void {
    if (this.dialect.hiddenNamespaces.has(namespaceOf(fullName))) return;
    const params = this.dialect.params(fullName.slice(fullName.indexOf("_") + 1), declaration.params);
    const declared = params === declaration.params ? declaration : { ...declaration, params };
    this.#given.clear();
    const { prepareBatch } = handler;
    this.#methods.set(fullName, {
      declaration: declared,
      parameters: parameters(params),
      handler,
      prepareBatch,
    });
  }

  /**
   * Delays the responses of all methods of a scope.
   * @param wait - called with the result; returns a promise to wait for, or undefined
   */
  delayAnswers(scope: Scope, wait: (result: unknown) => Promise<void> | undefined): this {
    this.#given.clear();
    const delayed = (result: unknown): unknown => {
      const waiting = wait(result);
      return waiting === undefined ? result : waiting.then(() => result);
    };
    for (const [name, bound] of this.#methods) {
      if (bound.declaration.scope !== scope) continue;
      const handler: BoundMethod["handler"] = (args, context) => {
        const result = bound.handler(args, context);
        return result instanceof Promise ? result.then(delayed) : delayed(result);
      };
      this.#methods.set(name, { ...bound, handler });
    }
    return this;
  }

  /** Calls `check` before each method to which it applies; an error it throws becomes the response. */
  guard(applies: (fullName: string) => boolean, check: () => void): this {
    this.#given.clear();
    for (const [name, bound] of this.#methods) {
      if (!applies(name)) continue;
      const handler: BoundMethod["handler"] = (args, context) => {
        check();
        return bound.handler(args, context);
      };
      this.#methods.set(name, { ...bound, handler });
    }
    return this;
  }

  /** Adds subscriptions of a namespace, by their names. */
  addSubscriptions<A extends SubscriptionApi>(
    namespace: string,
    api: A,
    handlers: SubscriptionHandlers<A>,
  ): this {
    if (this.dialect.hiddenNamespaces.has(namespace)) return this;
    this.#given.clear();
    for (const [name, declaration] of Object.entries(api)) {
      const handler = handlers[name] as BoundSubscription["handler"];
      const params = this.dialect.params(name, declaration.params);
      const bound = { declaration: { ...declaration, params }, parameters: parameters(params, 1), handler };
      this.#subscriptions.set(`${namespace} ${name}`, bound);
    }
    return this;
  }

  /** The methods and subscriptions available under these rules; equal rules share one object. */
  access({ modules, unsafe, local = false, hostMethods = false }: AccessRules): Access {
    const key = JSON.stringify([modules, unsafe, local, hostMethods]);
    const access =
      this.#given.get(key) ?? this.#accessOf({ ...(modules && { modules }), unsafe, local, hostMethods });
    this.#given.set(key, access);
    return access;
  }

  #accessOf(rules: AccessRules): Access {
    const enabled = new Set(["rpc", ...(rules.modules ?? this.#namespaces())]);
    const methods = new Map<string, BoundMethod>();
    const names = new Map<string, readonly string[]>();
    for (const [name, bound] of this.#methods) {
      if (!isOpen(bound.declaration, rules)) continue;
      const namespace = namespaceOf(name);
      const aliases = names.get(namespace) ?? served(namespace, enabled);
      names.set(namespace, aliases);
      for (const alias of aliases)
        methods.set(alias === namespace ? name : alias + name.slice(namespace.length), bound);
    }
    const subscriptions = new Map<string, BoundSubscription>();
    for (const [key, bound] of this.#subscriptions) {
      if (bound.declaration.unsafe === true && !rules.unsafe) continue;
      const [namespace, name] = key.split(" ") as [string, string];
      for (const alias of served(namespace, enabled)) subscriptions.set(`${alias} ${name}`, bound);
    }
    const { local = false, unsafe } = rules;
    const modules = this.#listed(enabled);
    return Object.freeze({ modules, methods, subscriptions, secrets: secretsOf(methods), local, unsafe });
  }

  #namespaces(): string[] {
    const events = [...this.#subscriptions.keys()].map((key) => key.slice(0, key.indexOf(" ")));
    const names = new Set([...[...this.#methods.keys()].map(namespaceOf), ...events]);
    if (names.delete("chain")) for (const name of this.dialect.chainNames) names.add(name);
    return [...names];
  }

  #listed(enabled: ReadonlySet<string>): readonly string[] {
    const known = new Set([...this.#methods.keys()].flatMap((name) => aliasesOf(namespaceOf(name))));
    const names = new Set([...enabled].filter((name) => known.has(name)));
    const { chainNames } = this.dialect;
    const isAlias = (name: string) => aliasesOf("chain").includes(name);
    if ([...names].some(isAlias)) {
      // A release lists the namespace under its own name, however it was enabled; we list ours beside the others.
      const shown = chainNames.includes("chain") ? [...names].filter(isAlias).concat("chain") : chainNames;
      for (const name of aliasesOf("chain")) names.delete(name);
      for (const name of shown) names.add(name);
    }
    return [...names].sort();
  }
}

/** Whether a method of an enabled module is available under these rules. */
function isOpen({ scope, unsafe }: Method, rules: AccessRules): boolean {
  if (scope === "host" && !(rules.local || rules.hostMethods)) return false;
  return unsafe !== true || rules.unsafe;
}

/** Which parameters of methods are secrets. */
export function secretsOf(methods: ReadonlyMap<string, BoundMethod>): SecretPlaces {
  const places = new Map<string, readonly number[]>();
  for (const [name, { parameters }] of methods)
    if (parameters.secrets.length > 0) places.set(name, parameters.secrets);
  return new SecretPlaces(places);
}

function aliasesOf(namespace: string): readonly string[] {
  return ALIASES[namespace] ?? [namespace];
}

/** All names of a namespace if one of them is enabled, else none. */
function served(namespace: string, enabled: ReadonlySet<string>): readonly string[] {
  const names = aliasesOf(namespace);
  return names.some((name) => enabled.has(name)) ? names : [];
}

/** Number of bytes from which their text is built in pieces outside the heap. */
const LONG_BYTES = 64 * 1024;

/** An encoded result. */
export type Encoded = Json | JsonText;

/** JSON text of an encoded result. */
export function encodedText(value: Encoded): Text {
  return value instanceof JsonText ? value.text : stringify(value);
}

/** Encodes a handler's result, unless it is JSON text already. */
export function encoded(schema: Schema<unknown>, value: unknown): Encoded {
  if (value instanceof JsonText) return value;
  if (isExact(schema)) return new JsonText(schema.text(value));
  if (schema === bytes) return new JsonText(textOfBytes(value as Uint8Array));
  return schema.encode(value);
}

/** Hex digits have nothing to escape. */
function textOfBytes(value: Uint8Array): Text {
  return value.length > LONG_BYTES ? hexText(value) : `"${bytesToHex(value)}"`;
}
