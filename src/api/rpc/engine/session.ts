import { randomBytes } from "node:crypto";
import { type Json, stringify } from "../../../protocol/codec/json/value.ts";
import type { RpcBudget } from "../services/budget.ts";
import type { RpcLimits } from "../services/limits.ts";
import type { Topics } from "../services/topics.ts";
import type { CallContext } from "../spec/method.ts";
import type { Text } from "../spec/values/json-text.ts";
import { type RpcError, refused } from "./errors.ts";
import { eventText } from "./jsonrpc.ts";
import type { Access, BoundSubscription } from "./registry.ts";

/** A caller: what it may use, and whether it can receive events. One per connection, or one for all of HTTP. */
export interface Session extends CallContext {
  readonly access: Access;
  /** Absent where the transport cannot push. */
  readonly subscriptions?: Subscriptions;
  /** A fixed answer to every call; absent = calls are run. */
  readonly refusal?: RpcError | undefined;
}

interface SessionClient {
  readonly address?: string;
  readonly connection?: object;
  readonly signal: AbortSignal;
}

/** A session without events, such as an HTTP request. @param client - its signal is created on demand */
export function createSession(access: Access, client: SessionClient, refusal?: RpcError): Session {
  return new ClientSession(access, client, refusal);
}

class ClientSession implements Session {
  readonly access: Access;
  readonly refusal: RpcError | undefined;
  readonly #client: SessionClient;

  constructor(access: Access, client: SessionClient, refusal: RpcError | undefined) {
    this.access = access;
    this.refusal = refusal;
    this.#client = client;
  }

  get address(): string | undefined {
    return this.#client.address;
  }

  get signal(): AbortSignal {
    return this.#client.signal;
  }

  get connection(): object | undefined {
    return this.#client.connection;
  }
}

/** A session for the requests of one batch, which share their execution time. */
export function createBatchSession(session: Session): Session {
  return new BatchSession(session);
}

class BatchSession implements Session {
  readonly access: Access;
  readonly address: string | undefined;
  readonly subscriptions?: Subscriptions;
  readonly allowance = { spentMs: 0 };
  readonly refusal: RpcError | undefined;
  readonly #session: Session;

  constructor(session: Session) {
    this.access = session.access;
    this.address = session.address;
    this.refusal = session.refusal;
    if (session.subscriptions !== undefined) this.subscriptions = session.subscriptions;
    this.#session = session;
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }

  get connection(): object | undefined {
    return this.#session.connection;
  }
}

/** A session for one call whose console output is observed. */
export function createObservedSession(session: Session, onConsole: Session["onConsole"]): Session {
  return new ObservedSession(session, onConsole);
}

class ObservedSession implements Session {
  readonly onConsole: Session["onConsole"];
  readonly #session: Session;

  constructor(session: Session, onConsole: Session["onConsole"]) {
    this.#session = session;
    this.onConsole = onConsole;
  }

  get access(): Access {
    return this.#session.access;
  }

  get address(): string | undefined {
    return this.#session.address;
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }

  get connection(): object | undefined {
    return this.#session.connection;
  }

  get allowance(): Session["allowance"] {
    return this.#session.allowance;
  }
}

/** The event sink of a connection. */
export interface Push {
  /** @param text a JSON-RPC notification */
  send(text: Text): void;
  /** Closes the connection of a client that cannot receive all its events. */
  cutOff(): void;
}

/** State shared by the subscriptions of all connections. */
export interface EventHub {
  /** Maximum subscriptions per connection; checked whenever one is started. */
  readonly limits: Pick<RpcLimits, "subscriptions">;
  readonly budget: Pick<RpcBudget, "subscriptions" | "filterBytes">;
  readonly topics: Topics;
}

/** A session whose events go to `push`, which stands for its connection. @param address - of the client, where it has one */
export function createPushSession(
  access: Access,
  signal: AbortSignal,
  push: Push,
  hub: EventHub,
  address?: string,
): Session & { readonly subscriptions: Subscriptions } {
  return { access, signal, connection: push, address, subscriptions: new Subscriptions(push, hub) };
}

interface Running {
  end: () => void;
  /** Estimated bytes of its arguments. */
  readonly size: number;
  /** Events before the response to `subscribe` was sent; undefined afterwards. */
  held: Text[] | undefined;
}

/** Memory per character of arguments: the text, and what was parsed from it. */
const BYTES_PER_CHARACTER = 5;
/** Maximum events held until the response to `subscribe` is sent. */
const MAX_HELD = 1000;

/** The running subscriptions of one connection. Events wait until the response with their id has been sent. */
export class Subscriptions {
  readonly #running = new Map<string, Running>();
  readonly #push: Push;
  readonly #hub: EventHub;

  constructor(push: Push, hub: EventHub) {
    this.#push = push;
    this.#hub = hub;
  }

  /** Number of running subscriptions. */
  get count(): number {
    return this.#running.size;
  }

  /**
   * Starts one.
   * @param params as the client wrote them: equal subscriptions share events
   * @returns its id, `0x` and up to 32 hex digits
   * @throws RpcError -32000 with the reference's text when there are too many
   */
  start(namespace: string, bound: BoundSubscription, args: Record<string, unknown>, params: Json): string {
    const { limits, topics } = this.#hub;
    if (this.#running.size >= limits.subscriptions) throw tooMany(limits.subscriptions);
    const key = stringify(params);
    const size = BYTES_PER_CHARACTER * key.length;
    this.#take(size);
    const id = `0x${BigInt(`0x${randomBytes(16).toString("hex")}`).toString(16)}`;
    const running: Running = { end: () => {}, size, held: [] };
    this.#running.set(id, running);
    const deliver = (result: Text) => this.#deliver(id, running, eventText(namespace, id, result));
    try {
      running.end = topics.join(bound, args, key, { deliver, cutOff: () => this.#push.cutOff() });
    } catch (error) {
      this.end(id);
      throw error;
    }
    return id;
  }

  /** Ends one. @returns whether it was running */
  end(id: string): boolean {
    const running = this.#running.get(id);
    if (running === undefined) return false;
    this.#running.delete(id);
    this.#hub.budget.subscriptions.give();
    this.#hub.budget.filterBytes.give(running.size);
    running.end();
    return true;
  }

  /** The responses have been sent: sends the events held back; later events are sent immediately. */
  release(): void {
    for (const running of this.#running.values()) {
      const held = running.held;
      running.held = undefined;
      for (const text of held ?? []) this.#push.send(text);
    }
  }

  /** Ends all. @throws the first error of ending one */
  close(): void {
    const failures: unknown[] = [];
    for (const id of [...this.#running.keys()]) {
      try {
        this.end(id);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #deliver(id: string, running: Running, text: Text): void {
    if (!this.#running.has(id)) return;
    if (running.held === undefined) this.#push.send(text);
    else if (running.held.length < MAX_HELD) running.held.push(text);
    else this.#push.cutOff();
  }

  #take(size: number): void {
    const { subscriptions, filterBytes } = this.#hub.budget;
    if (!subscriptions.take()) throw refused("too many subscriptions on this node");
    if (filterBytes.take(size)) return;
    subscriptions.give();
    throw refused("the filters of all subscriptions on this node are too large");
  }
}

function tooMany(max: number): RpcError {
  const advice = "The limit can be updated with 'admin_setMaxSubscriptionPerWSConn' API";
  return refused(`Maximum ${max} subscriptions are allowed for a websocket connection. ${advice}`);
}
