import { isExpected, toErrorObject } from "../../../api/rpc/engine/errors.ts";
import type { ObservedCall } from "../../../api/rpc/engine/server-options.ts";
import { isChainName } from "../../../api/rpc/spec/chain-names.ts";
import { InvalidParamsError } from "../../../protocol/codec/json/schema.ts";
import { isObject, type Json } from "../../../protocol/codec/json/value.ts";
import { ExplainedError } from "../artifacts/explained-error.ts";
import { consoleLines } from "./console-log.ts";
import type { CallEvent, CalledMessage, NodeListener } from "./node-event.ts";

/** A call as received. */
interface Called {
  readonly name: string;
  readonly params: Json | undefined;
  /** Its declaration; undefined for an unknown method. */
  readonly scope: string | undefined;
}

/** Methods whose first parameter is a message to execute, without the namespace. */
const RUN = new Set(["call", "estimateGas", "estimateComputationCost", "createAccessList"]);
/** Sends, which estimate the gas of a message without one. */
const SEND = "sendTransaction";
/** Most characters of a method name given by a caller. */
const MAX_NAME_LENGTH = 100;

/** Watches one call until it is answered, and reports it then. */
export function observeCall(called: Called, notify: NodeListener): ObservedCall {
  const begun = performance.now();
  const isRun = runsMessage(called.name);
  let written: readonly Uint8Array[] = [];
  const end = (failure?: { readonly error: unknown }): void => {
    notify({
      kind: "call",
      method: called.name.slice(0, MAX_NAME_LENGTH),
      durationMs: performance.now() - begun,
      ...((isRun || (failure && sendsMessage(called.name))) && { message: messageOf(called.params) }),
      ...(failure && { error: shownError(failure.error, called) }),
      console: consoleLines(written),
    });
  };
  if (!isRun) return { end };
  const onConsole = (inputs: readonly Uint8Array[]): void => {
    written = inputs;
  };
  return { end, onConsole };
}

function runsMessage(name: string): boolean {
  return RUN.has(name.slice(name.indexOf("_") + 1)) && isOfChain(name);
}

function sendsMessage(name: string): boolean {
  return name.endsWith(`_${SEND}`) && isOfChain(name);
}

function isOfChain(name: string): boolean {
  const namespace = name.slice(0, name.indexOf("_"));
  return namespace === "eth" || isChainName(namespace);
}

function messageOf(params: Json | undefined): CalledMessage {
  const call = Array.isArray(params) ? params[0] : undefined;
  if (call === undefined || !isObject(call)) return {};
  const { from, to, value, data, input = data } = call;
  const texts = Object.entries({ from, to, value, input }).filter(([, member]) => typeof member === "string");
  return Object.fromEntries(texts);
}

/** Errors of methods that handle keys never reveal their parameters. */
function shownError(error: unknown, { params, scope }: Called): NonNullable<CallEvent["error"]> {
  const shown = toErrorObject(error);
  if (error instanceof ExplainedError) {
    const { output, trace } = error.explanation;
    return { code: shown.code, message: shown.message, trace, ...(output !== undefined && { data: output }) };
  }
  if (!isExpected(error)) return { code: shown.code, message: shown.message };
  if (scope !== "keys") return shown;
  const quotes = (param: unknown): boolean =>
    typeof param === "string" && param !== "" && shown.message.includes(param);
  const isHidden = error instanceof InvalidParamsError || (Array.isArray(params) && params.some(quotes));
  return { code: shown.code, message: isHidden ? "invalid parameters" : shown.message };
}
