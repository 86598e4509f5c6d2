import { InvalidParamsError } from "../../../protocol/codec/json/errors.ts";
import { text } from "../../../protocol/codec/json/scalars.ts";
import { type Json, required } from "../../../protocol/codec/json/schema.ts";
import { decodeArguments, parameters, positional } from "./arguments.ts";
import { ErrorCode, RpcError, refused } from "./errors.ts";
import { hintForSubscription } from "./near-miss.ts";
import type { Session } from "./session.ts";

const UNSUBSCRIBE = parameters({ id: required(text("subscription id", "rpc.ID"), "Subscription to end.") });

const WANTED = "Parameter 1 must be the name of a subscription, such as newHeads.";

/**
 * `<namespace>_subscribe(name, …)`.
 * @returns the subscription id
 * @throws InvalidParamsError without a name
 * @throws RpcError -32000 `notifications not supported` where the transport cannot push, -32601 for an unknown name
 */
export function subscribe(namespace: string, params: Json | undefined, session: Session): Json {
  if (session.subscriptions === undefined) throw refused("notifications not supported");
  if ((params ?? null) === null) throw new InvalidParamsError("non-array args", { hint: WANTED });
  const values = positional(params);
  const [name] = values;
  if (typeof name !== "string")
    throw new InvalidParamsError("expected subscription name as first argument", { hint: WANTED });
  const bound = session.access.subscriptions.get(`${namespace} ${name}`);
  if (bound === undefined) {
    const hint = hintForSubscription(namespace, name, session.access);
    const text = `no ${JSON.stringify(name)} subscription in ${namespace} namespace`;
    throw new RpcError(ErrorCode.methodNotFound, text, hint === undefined ? undefined : { hint });
  }
  return session.subscriptions.start(
    namespace,
    bound,
    decodeArguments(bound.parameters, values),
    values as Json,
  );
}

/** `<namespace>_unsubscribe(id)`, in any namespace. @throws RpcError -32000 `subscription not found` */
export function unsubscribe(params: Json | undefined, session: Session): Json {
  const { id } = decodeArguments(UNSUBSCRIBE, positional(params)) as { id: string };
  if (session.subscriptions?.end(id) !== true) throw refused("subscription not found");
  return true;
}
