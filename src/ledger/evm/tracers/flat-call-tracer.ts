import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToBigint } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Outcome, Tracer } from "../evm.ts";
import { TracerError } from "./errors.ts";
import type { TracedOutcome, TracedTransaction, TransactionTracer } from "./tracer.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Maximum size of a list, bytes of JSON, approximately. */
const MAX_BYTES = 32_000_000;
/** Size of a call besides its input and output. */
const CALL_BYTES = 600;
/** Last address reserved for precompiled contracts. */
const LAST_RESERVED = 0x3ffn;

/** Error texts of OpenEthereum by outcome; other failures keep their own text. */
const ERRORS: Partial<Record<Outcome, string>> = {
  revert: "Reverted",
  outOfGas: "Out of gas",
  codeStoreOutOfGas: "Out of gas",
  writeProtection: "Mutable Call In Static Context",
};

/** Error texts of OpenEthereum for failures with the same outcome, by the start of their text. */
const ERRORS_BY_TEXT = [
  ["stack underflow", "Stack underflow"],
  ["stack limit reached", "Out of stack"],
  ["invalid opcode", "Bad instruction"],
  ["evm: invalid jump destination", "Bad jump destination"],
] as const;

/** A call, a creation or a destruction in the list. */
interface TracedCall {
  readonly type: "call" | "create" | "suicide";
  readonly action: Json;
  readonly traceAddress: readonly number[];
  subtraces: number;
  result?: Json;
  error?: string;
}

/** An open call. */
interface OpenEntry {
  readonly entry: TracedCall;
  readonly created: string | undefined;
  readonly isReserved: boolean;
  readonly value: bigint;
}

/**
 * The calls of a transaction as a flat list in the order in which they begin, each with its position in the tree; the first is
 * the transaction itself, without its intrinsic gas. As in other nodes, successful inner calls without value to precompiled
 * contracts are omitted. A list that is too large fails with `TRACE_TOO_LARGE`.
 * @see OpenEthereum's `trace` module; geth's tracer of this name
 */
export function flatCallTracer(transaction: TracedTransaction): TransactionTracer {
  const entries: TracedCall[] = [];
  const open: OpenEntry[] = [];
  let bytes = 0;

  function isFull(more: number): boolean {
    bytes += more;
    return bytes > MAX_BYTES;
  }

  function enter(call: Enter): void {
    const parent = open.at(-1)?.entry;
    const traceAddress = parent === undefined ? [] : [...parent.traceAddress, parent.subtraces++];
    const entry: TracedCall = { ...actionOf(call), traceAddress, subtraces: 0 };
    if (!isFull(CALL_BYTES + 2 * call.input.length + 5 * traceAddress.length)) entries.push(entry);
    open.push({
      entry,
      created: call.kind.startsWith("CREATE") ? bytesToHex(call.to) : undefined,
      isReserved: !call.kind.startsWith("CREATE") && isReserved(call),
      value: call.kind === "DELEGATECALL" ? 0n : call.value,
    });
  }

  function exit(end: Exit): void {
    const { entry, created, isReserved, value } = open.pop() as OpenEntry;
    const parent = open.at(-1)?.entry;
    if (isReserved && value === 0n && end.error === undefined && parent !== undefined) {
      parent.subtraces--;
      if (entries.at(-1) === entry) entries.pop();
      return;
    }
    if (end.error !== undefined) entry.error = errorOf(end, isReserved);
    const isShown = end.error === undefined || end.outcome === "revert";
    if (entry.type === "suicide" || !isShown || isFull(2 * end.output.length)) return;
    const [gasUsed, output] = [quantity(end.gasUsed), bytesToHex(end.output)];
    if (created === undefined) entry.result = { gasUsed, output };
    else if (end.error === undefined) entry.result = { address: created, code: output, gasUsed };
  }

  return {
    hooks: { enter, exit },
    result(outcome) {
      if (bytes > MAX_BYTES)
        throw new TracerError("TRACE_TOO_LARGE", `the trace is larger than ${MAX_BYTES} bytes`);
      return (entries.length > 0 ? entries : [entryWithoutExecution(transaction, outcome)]).map(show);
    },
  };
}

function actionOf({ kind, from, to, gas, input, value }: Enter): Pick<TracedCall, "type" | "action"> {
  const [sender, target] = [bytesToHex(from), bytesToHex(to)];
  if (kind === "SELFDESTRUCT") {
    const action = { address: sender, balance: quantity(value), refundAddress: target };
    return { type: "suicide", action };
  }
  const shared = { from: sender, gas: quantity(gas), value: quantity(kind === "STATICCALL" ? 0n : value) };
  if (kind === "CREATE" || kind === "CREATE2") {
    const action = { ...shared, init: bytesToHex(input), creationMethod: kind.toLowerCase() };
    return { type: "create", action };
  }
  const action = { ...shared, callType: kind.toLowerCase(), input: bytesToHex(input), to: target };
  return { type: "call", action };
}

/** A transaction without execution, such as an account update: a call to its sender. */
function entryWithoutExecution(
  { from, to, gas, input, value }: TracedTransaction,
  { error }: TracedOutcome,
): TracedCall {
  const call: Enter = { kind: "CALL", from, to, gas, input, value, depth: 0 };
  const ended = error === undefined ? { result: { gasUsed: "0x0", output: "0x" } } : { error };
  return { ...actionOf(call), ...ended, traceAddress: [], subtraces: 0 };
}

function isReserved({ to, kind }: Enter): boolean {
  const address = bytesToBigint(to);
  return kind !== "SELFDESTRUCT" && address > 0n && address <= LAST_RESERVED;
}

function errorOf({ outcome, error = outcome }: Pick<Exit, "outcome" | "error">, isBuiltIn: boolean): string {
  const byText = ERRORS_BY_TEXT.find(([start]) => error.startsWith(start))?.[1];
  if (isBuiltIn && outcome === "vmError") return "Built-in failed";
  return ERRORS[outcome] ?? byText ?? error;
}

function show({ type, action, result, error, subtraces, traceAddress }: TracedCall): Json {
  const ending = type === "suicide" ? { result: null } : result !== undefined && { result };
  return {
    action,
    ...(error !== undefined && { error }),
    ...ending,
    subtraces,
    traceAddress: [...traceAddress],
    type,
  };
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
