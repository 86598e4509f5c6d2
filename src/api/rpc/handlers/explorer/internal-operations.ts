import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { FlatTrace } from "../../spec/debug/flat-traces.ts";

/** Otterscan's numbers of what a transaction does inside. */
const Operation = { transfer: 0, destruction: 1, create: 2, create2: 3 } as const;

/** Transfers, creations and destructions below the transaction itself; what was reverted did not happen. */
export function internalOperations(list: readonly FlatTrace[]): readonly Json[] {
  let reverted: readonly number[] | undefined;
  return list.flatMap((trace): Json[] => {
    const path = trace.traceAddress;
    if (reverted !== undefined && isBelow(path, reverted)) return [];
    if (trace.error !== undefined) {
      reverted = path;
      return [];
    }
    return path.length === 0 ? [] : operationOf(trace);
  });
}

function isBelow(path: readonly number[], above: readonly number[]): boolean {
  return above.every((step, depth) => path[depth] === step);
}

function operationOf({ type, action, result }: FlatTrace): Json[] {
  const { from = "", to = "", address = "", refundAddress = "", value = "0x0", balance = "0x0" } = action;
  if (type === "suicide")
    return [{ type: Operation.destruction, from: address, to: refundAddress, value: balance }];
  if (type === "create") {
    const kind = action.creationMethod === "create2" ? Operation.create2 : Operation.create;
    return [{ type: kind, from, to: result?.address ?? "", value }];
  }
  const moves = value !== "0x0" && action.callType !== "delegatecall";
  return moves ? [{ type: Operation.transfer, from, to, value }] : [];
}

/** Calls without a value of their own. */
const VALUELESS: ReadonlySet<string | undefined> = new Set(["delegatecall", "staticcall"]);

/** The calls of a transaction with their depths. */
export function traceEntries(list: readonly FlatTrace[]): readonly Json[] {
  return list.map(({ type, action, result, traceAddress }) => {
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
  });
}
