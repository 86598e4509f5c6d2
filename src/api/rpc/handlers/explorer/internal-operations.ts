import type { Json } from "../../../../protocol/codec/json/value.ts";
import { NOTHING } from "../../engine/text/list-text.ts";
import type { FlatTrace } from "../../spec/debug/flat-traces.ts";

/** Otterscan's numbers for internal operations. */
const Operation = { transfer: 0, destruction: 1, create: 2, create2: 3 } as const;

/**
 * Transfers, creations and destructions below the top-level call; reverted ones are omitted. One step per trace, most of which
 * show nothing.
 */
export function* internalOperations(list: readonly FlatTrace[]): Generator<Json | typeof NOTHING> {
  let reverted: readonly number[] | undefined;
  for (const trace of list) {
    const path = trace.traceAddress;
    const isUndone = reverted !== undefined && isBelow(path, reverted);
    if (!isUndone && trace.error !== undefined) reverted = path;
    const isShown = !isUndone && trace.error === undefined && path.length > 0;
    yield isShown ? operationOf(trace) : NOTHING;
  }
}

function isBelow(path: readonly number[], above: readonly number[]): boolean {
  return above.every((step, depth) => path[depth] === step);
}

function operationOf({ type, action, result }: FlatTrace): Json | typeof NOTHING {
  const { from = "", to = "", address = "", refundAddress = "", value = "0x0", balance = "0x0" } = action;
  if (type === "suicide")
    return { type: Operation.destruction, from: address, to: refundAddress, value: balance };
  if (type === "create") {
    const kind = action.creationMethod === "create2" ? Operation.create2 : Operation.create;
    return { type: kind, from, to: result?.address ?? "", value };
  }
  const moves = value !== "0x0" && action.callType !== "delegatecall";
  return moves ? { type: Operation.transfer, from, to, value } : NOTHING;
}

/** Calls without a value. */
const VALUELESS: ReadonlySet<string | undefined> = new Set(["delegatecall", "staticcall"]);

/** The calls of a transaction with their depths. */
export function* traceEntries(list: readonly FlatTrace[]): Generator<Json> {
  for (const trace of list) yield traceEntry(trace);
}

function traceEntry({ type, action, result, traceAddress }: FlatTrace): Json {
  const depth = traceAddress.length;
  const { from = "", to = "", address = "", refundAddress = "", callType = "call" } = action;
  const { value = "0x0", balance = "0x0" } = action;
  if (type === "suicide")
    return { type: "SELFDESTRUCT", depth, from: address, to: refundAddress, value: balance, input: "0x" };
  if (type === "create") {
    const { creationMethod = "create", init = "0x" } = action;
    // A creation that failed has no address.
    const created = result?.address ?? `0x${"00".repeat(20)}`;
    const output = result?.code ?? "0x";
    return { type: creationMethod.toUpperCase(), depth, from, to: created, value, input: init, output };
  }
  const shown = VALUELESS.has(callType) ? null : value;
  const { input = "0x" } = action;
  return {
    type: callType.toUpperCase(),
    depth,
    from,
    to,
    value: shown,
    input,
    output: result?.output ?? "0x",
  };
}
