import { parseJson } from "../../../protocol/codec/json/parse.ts";
import { escapeHtml, isObject, type Json, kindOf, stringify } from "../../../protocol/codec/json/value.ts";
import type { Text } from "../spec/values/json-text.ts";
import type { ErrorObject } from "./errors.ts";

/** One element of a request. */
export interface RpcMessage {
  /** JSON text of the id to respond with; undefined for a notification or an invalid id. */
  readonly id: string | undefined;
  /** Empty if the element is not a request. */
  readonly method: string;
  readonly params: Json | undefined;
  /** `ignored`: a response or a subscription event, which a server drops. */
  readonly kind: "call" | "notification" | "ignored" | "invalid";
}

/** A request text: one message, a batch, only whitespace, malformed JSON, or more values than are parsed. */
export type RequestEnvelope =
  | { readonly kind: "single"; readonly message: RpcMessage }
  | { readonly kind: "batch"; readonly messages: readonly RpcMessage[] }
  | { readonly kind: "empty" }
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "oversized" };

const INVALID: RpcMessage = { id: undefined, method: "", params: undefined, kind: "invalid" };
const BLANK = /^[ \t\r\n]*$/;

/**
 * Parses a request. Only the first JSON value counts; `jsonrpc` is not checked; unknown members are ignored; ids keep
 * their spelling. Measured on the reference nodes v1.12.1 and v2.2.1.
 */
export function readEnvelope(text: string): RequestEnvelope {
  const parsed = parseJson(text);
  if ("syntaxError" in parsed)
    return BLANK.test(text) ? { kind: "empty" } : { kind: "malformed", reason: parsed.syntaxError };
  const { value, idTexts } = parsed;
  if (!Array.isArray(value)) return { kind: "single", message: readMessage(value, idTexts) };
  return { kind: "batch", messages: value.map((element) => readMessage(element, idTexts)) };
}

interface Members {
  id: Json | undefined;
  method: string | undefined;
  params: Json | undefined;
  /** Whether there is a `result`, or an `error` other than null. */
  outcome: boolean;
}

function readMessage(value: Json, idTexts: ReadonlyMap<object, string> | undefined): RpcMessage {
  if (!isObject(value)) return INVALID;
  const { id, method, params, outcome } = membersOf(value);
  const hasId = id !== undefined && (typeof id !== "object" || !isContainer(id));
  const idText = hasId ? idTextOf(id, idTexts?.get(value)) : undefined;
  if (method !== undefined && method !== "") {
    if (id === undefined)
      return {
        id: undefined,
        method,
        params,
        kind: method.endsWith("_subscription") ? "ignored" : "notification",
      };
    return hasId ? { id: idText, method, params, kind: "call" } : INVALID;
  }
  const kind = hasId && outcome && params === undefined ? "ignored" : "invalid";
  return { id: idText, method: "", params, kind };
}

/** @param source - the id as written, where the parsed value would not reproduce it */
function idTextOf(id: Json, source: string | undefined): string {
  if (source !== undefined) return escapeHtml(source);
  return typeof id === "number" ? String(id) : stringify(id);
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || kindOf(value) === "object";
}

/**
 * The members of a message by name, ignoring case. The last one wins, except that a `method` that is no string never
 * replaces one that is.
 */
function membersOf(value: { [key: string]: Json }): Members {
  const members: Members = { id: undefined, method: undefined, params: undefined, outcome: false };
  for (const key in value) {
    switch (key) {
      case "jsonrpc":
        break;
      case "id":
        members.id = value[key];
        break;
      case "method":
        if (typeof value[key] === "string") members.method = value[key];
        break;
      case "params":
        members.params = value[key];
        break;
      default:
        readOther(members, key.toLowerCase(), value[key] as Json);
    }
  }
  return members;
}

function readOther(members: Members, name: string, value: Json): void {
  if (name === "method") members.method = typeof value === "string" ? value : members.method;
  else if (name === "id" || name === "params") members[name] = value;
  else if (name === "result" || (name === "error" && value !== null)) members.outcome = true;
}

/** Response with a result. @param result JSON text */
export function resultText(id: string, result: Text): Text {
  if (typeof result !== "string") return result.within(`{"jsonrpc":"2.0","id":${id},"result":`, "}");
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** Response with an error; `id` is null where the request had no valid one. */
export function errorText(id: string | undefined, error: ErrorObject): string {
  const { code, message, data } = error;
  const member = data === undefined ? { code, message } : { code, message, data };
  return `{"jsonrpc":"2.0","id":${id ?? "null"},"error":${stringify(member)}}`;
}

/** An event of a subscription. @param result JSON text */
export function eventText(namespace: string, id: string, result: Text): Text {
  const before = `{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${id}","result":`;
  return typeof result === "string" ? `${before}${result}}}` : result.within(before, "}}");
}
