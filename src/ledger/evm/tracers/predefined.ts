import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ERROR_SELECTOR, revertReason } from "../revert-reason.ts";
import { callTracer } from "./call-tracer.ts";
import { TracerError, throwNoResult } from "./errors.ts";
import { executionTracer } from "./execution-tracer.ts";
import { flatCallTracer } from "./flat-call-tracer.ts";
import { fourByteTracer } from "./four-byte-tracer.ts";
import { bigramTracer, opcodeCountTracer, trigramTracer, unigramTracer } from "./opcode-counters.ts";
import { prestateTracer } from "./prestate-tracer.ts";
import type { TracerFactory } from "./tracer.ts";

const TRACERS: ReadonlyMap<string, TracerFactory> = new Map<string, TracerFactory>([
  ["callTracer", callTracer],
  ["fastCallTracer", callTracer],
  ["executionTracer", executionTracer],
  ["flatCallTracer", flatCallTracer],
  ["prestateTracer", prestateTracer],
  ["4byteTracer", fourByteTracer],
  ["noopTracer", () => ({ result: () => throwNoResult() })],
  ["opcountTracer", opcodeCountTracer],
  ["revertTracer", () => ({ result: ({ output, error }) => (error && revertText(output)) ?? "" })],
  ["unigramTracer", unigramTracer],
  ["bigramTracer", bigramTracer],
  ["trigramTracer", trigramTracer],
]);

/** The text of `Error(string)`; undefined for a panic. */
function revertText(output: Uint8Array): string | undefined {
  return bytesToHex(output.subarray(0, 4)) === ERROR_SELECTOR ? revertReason(output) : undefined;
}

/** Whether this is the name of a built-in tracer; anything else is the code of the caller's own. */
export function isPredefined(name: string): boolean {
  return TRACERS.has(name);
}

/** @throws TracerError `UNKNOWN_TRACER` for any other name */
export function tracerNamed(name: string): TracerFactory {
  const factory = TRACERS.get(name);
  if (factory === undefined)
    throw new TracerError("UNKNOWN_TRACER", "Only predefined tracers are supported", { name });
  return factory;
}
