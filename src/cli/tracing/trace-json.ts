import { isCreation, type TracedLog, type TraceFrame } from "../../api/artifacts/trace-frame.ts";
import type { TracedContracts } from "../../api/artifacts/traced-contracts.ts";
import { revertText } from "../../node/service/activity/revert-text.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { TransactionTrace } from "./traced-transaction.ts";

/** A trace for programs: hex as in JSON-RPC, amounts as decimal texts in kei, known names. */
export function traceJson({ root, known, stack, blockNumber }: TransactionTrace): object {
  return { blockNumber: Number(blockNumber), ...frameJson(root, known), ...(stack.length > 0 && { stack }) };
}

function frameJson(frame: TraceFrame, known: TracedContracts): object {
  const { type, from, to, value, gas, gasUsed, input, output, error, calls, logs, storage } = frame;
  const { names } = known;
  const call = isCreation(frame) ? names.creation(input) : names.call(to, input);
  const contract = known.of(frame)?.name;
  const reason = error === undefined ? undefined : (names.error(output, to) ?? revertText(output));
  return {
    type,
    from: bytesToHex(from),
    to: bytesToHex(to),
    ...(contract !== undefined && { contract }),
    ...(call !== undefined && { call }),
    value: String(value),
    gas: Number(gas),
    gasUsed: Number(gasUsed),
    input: bytesToHex(input),
    output: bytesToHex(output),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { reason }),
    ...(logs.length > 0 && { logs: logs.map((log) => logJson(log, known)) }),
    ...(storage.length > 0 && { storage }),
    ...(calls.length > 0 && { calls: calls.map((inner) => frameJson(inner, known)) }),
  };
}

function logJson(log: TracedLog, { names }: TracedContracts): object {
  const event = names.log(log);
  return {
    address: bytesToHex(log.address),
    topics: log.topics.map((topic) => bytesToHex(topic)),
    data: bytesToHex(log.data),
    position: log.position,
    ...(event !== undefined && { event }),
  };
}
