import { EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import { HexError, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { NamedLog } from "./names.ts";

/** A log emitted by a call. */
export interface TracedLog extends NamedLog {
  /** Number of calls of the frame before it. */
  readonly position: number;
}

/** A storage slot changed by a call. */
export interface ChangedSlot {
  /** As hex. */
  readonly slot: string;
  readonly from: string;
  readonly to: string;
}

/** A call of a trace, as returned by `executionTracer`, or by `callTracer` of any node. */
export interface TraceFrame {
  /** `CALL`, `DELEGATECALL`, `CREATE2` … */
  readonly type: string;
  readonly from: Uint8Array;
  /** Whose code runs; empty if a creation failed. */
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasUsed: bigint;
  readonly input: Uint8Array;
  readonly output: Uint8Array;
  readonly error: string | undefined;
  readonly reason: string | undefined;
  /** Offsets where it failed, see `executionTracer`. */
  readonly at: readonly number[];
  /** Offsets of its last jumps. */
  readonly jumps: readonly number[];
  readonly calls: readonly TraceFrame[];
  readonly logs: readonly TracedLog[];
  readonly storage: readonly ChangedSlot[];
}

type Members = { readonly [name: string]: unknown };

/** Maximum nesting of calls; the EVM allows 1,024. */
const MAX_DEPTH = 1100;

/** Reads a trace returned by a node. Absent or invalid members are empty. */
export function readTrace(json: unknown, depth = 0): TraceFrame {
  const members = membersOf(json);
  const calls = depth < MAX_DEPTH ? listOf(members["calls"]) : [];
  return {
    type: textOf(members["type"]) ?? "CALL",
    from: bytesOf(members["from"]),
    to: bytesOf(members["to"]),
    value: quantityOf(members["value"]),
    gas: quantityOf(members["gas"]),
    gasUsed: quantityOf(members["gasUsed"]),
    input: bytesOf(members["input"]),
    output: bytesOf(members["output"]),
    error: textOf(members["error"]),
    reason: textOf(members["revertReason"]),
    at: placesOf(members["at"]),
    jumps: placesOf(members["jumps"]),
    calls: calls.map((call) => readTrace(call, depth + 1)),
    logs: listOf(members["logs"]).map(readLog),
    storage: listOf(members["storage"]).map(readSlot),
  };
}

function readLog(json: unknown): TracedLog {
  const { address, topics, data, position } = membersOf(json);
  return {
    address: bytesOf(address),
    topics: listOf(topics).slice(0, 4).map(bytesOf),
    data: bytesOf(data),
    position: Number(quantityOf(position)),
  };
}

function readSlot(json: unknown): ChangedSlot {
  const { slot, from, to } = membersOf(json);
  return { slot: textOf(slot) ?? "", from: textOf(from) ?? "", to: textOf(to) ?? "" };
}

function placesOf(json: unknown): readonly number[] {
  return listOf(json).filter((place): place is number => Number.isSafeInteger(place));
}

function membersOf(json: unknown): Members {
  return typeof json === "object" && json !== null ? (json as Members) : {};
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

function textOf(json: unknown): string | undefined {
  return typeof json === "string" ? json : undefined;
}

function bytesOf(json: unknown): Uint8Array {
  if (typeof json !== "string") return EMPTY_BYTES;
  try {
    return hexToBytes(json);
  } catch (error) {
    if (error instanceof HexError) return EMPTY_BYTES;
    throw error;
  }
}

function quantityOf(json: unknown): bigint {
  return typeof json === "string" && /^0x[0-9a-f]{1,64}$/i.test(json) ? BigInt(json) : 0n;
}

/** A frame and all frames below it, in pre-order. */
export function* framesOf(root: TraceFrame): Generator<TraceFrame> {
  yield root;
  for (const call of root.calls) yield* framesOf(call);
}

/** Whether a frame runs init code, its input. */
export function isCreation({ type }: TraceFrame): boolean {
  return type.startsWith("CREATE");
}
