import type { Json } from "../../../protocol/codec/json/value.ts";

/** A call as the `fastCallTracer` shows it. */
export interface CallFrame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  /** Hex; absent if no value can be sent, as in `STATICCALL`. */
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly calls?: readonly CallFrame[];
  readonly revertReason?: string;
  readonly reverted?: { readonly contract?: string; readonly message?: string };
}

/** Placeholder for a transaction whose trace failed, as in the reference. */
export const NO_TRACE: Json = { type: "", value: "0x0" };

/**
 * A call in the form of trace groups: members in the order of the reference's structure, empty ones left out, but `error`
 * always there.
 */
export function internalTrace(frame: CallFrame): Json {
  const { type, from, to, value, gas, gasUsed, input, output, error = "", calls = [] } = frame;
  const { revertReason, reverted } = frame;
  return {
    type,
    from,
    ...(to !== undefined && { to }),
    ...(value !== undefined && { value }),
    ...(gas !== "0x0" && { gas }),
    ...(gasUsed !== "0x0" && { gasUsed }),
    ...(input !== "0x" && { input }),
    ...(output !== undefined && output !== "0x" && { output }),
    error,
    ...(calls.length > 0 && { calls: calls.map(internalTrace) }),
    ...(revertReason && { revertReason }),
    ...(reverted && { reverted: revertedInfo(reverted) }),
  };
}

function revertedInfo({ contract, message }: NonNullable<CallFrame["reverted"]>): Json {
  return { ...(contract !== undefined && { contract }), ...(message && { message }) };
}
