import { randomBytes } from "node:crypto";
import { type RpcError, refused } from "./errors.ts";
import { eventText } from "./jsonrpc.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "./limits.ts";
import type { CallContext } from "./method.ts";
import { type Access, type BoundSubscription, encodedText } from "./registry.ts";

/** Who calls: what it may use, and whether it can take events. One per connection, or one for all of HTTP. */
export interface Session extends CallContext {
  readonly access: Access;
  /** Absent where the transport cannot push. */
  readonly subscriptions?: Subscriptions;
}

/** A session without events, such as HTTP requests. */
export function createSession(access: Access, signal: AbortSignal): Session {
  return { access, signal };
}

/** A session whose events go to `push` as JSON texts. */
export function createPushSession(
  access: Access,
  signal: AbortSignal,
  push: (text: string) => void,
  limits: Pick<RpcLimits, "subscriptions"> = DEFAULT_LIMITS,
): Session & {
  readonly subscriptions: Subscriptions;
} {
  const subscriptions = new Subscriptions(push, limits);
  return { access, signal, subscriptions };
}

interface Running {
  end: () => void;
  /** Events that came before the answer to `subscribe` was sent; undefined once it was. */
  held: string[] | undefined;
}

/** The running subscriptions of one connection. Events wait until the answer that carries their id has been sent. */
export class Subscriptions {
  readonly #running = new Map<string, Running>();
  readonly #push: (text: string) => void;
  readonly #limits: Pick<RpcLimits, "subscriptions">;

  /** @param limits how many may run at once; looked at whenever one is started */
  constructor(push: (text: string) => void, limits: Pick<RpcLimits, "subscriptions">) {
    this.#push = push;
    this.#limits = limits;
  }

  /**
   * Starts one.
   * @returns its id, `0x` and up to 32 hex digits
   * @throws RpcError -32000 with the reference's text when there are too many
   */
  start(
    namespace: string,
    { declaration, handler }: BoundSubscription,
    args: Record<string, unknown>,
  ): string {
    const most = this.#limits.subscriptions;
    if (this.#running.size >= most) throw tooMany(most);
    const id = `0x${BigInt(`0x${randomBytes(16).toString("hex")}`).toString(16)}`;
    const running: Running = { end: () => {}, held: [] };
    this.#running.set(id, running);
    try {
      running.end = handler(args, (event) => {
        const text = eventText(namespace, id, encodedText(declaration.event.encode(event)));
        if (running.held === undefined) this.#push(text);
        else running.held.push(text);
      });
    } catch (error) {
      this.#running.delete(id);
      throw error;
    }
    return id;
  }

  /** Ends one. @returns whether it was running */
  end(id: string): boolean {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.end();
    return running !== undefined;
  }

  /** The answers are out: sends the events held back, and all further ones at once. */
  release(): void {
    for (const running of this.#running.values()) {
      const held = running.held;
      running.held = undefined;
      for (const text of held ?? []) this.#push(text);
    }
  }

  /** Ends all. */
  close(): void {
    for (const id of [...this.#running.keys()]) this.end(id);
  }
}

function tooMany(most: number): RpcError {
  const advice = "The limit can be updated with 'admin_setMaxSubscriptionPerWSConn' API";
  return refused(`Maximum ${most} subscriptions are allowed for a websocket connection. ${advice}`);
}
