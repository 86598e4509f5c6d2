import { checksumAddress } from "../../protocol/account/address.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import type { CodePattern } from "./code-pattern.ts";
import type { ArtifactContract } from "./contracts.ts";
import { functionOf } from "./names.ts";
import { rangeAt } from "./source-map.ts";
import type { SourcePlace } from "./sources.ts";
import { isCreation, type TraceFrame } from "./trace-frame.ts";
import type { TracedContracts } from "./traced-contracts.ts";

/** Maximum lines of a stack trace. */
const MAX_LINES = 64;
const JUMPI = 0x57;

/**
 * Where in its source a transaction failed, the innermost place first: `at Token.transfer (contracts/Token.sol:26)`, as Hardhat
 * writes it. Empty if nothing failed, or if no contract involved is known.
 */
export function stackTrace(root: TraceFrame, known: TracedContracts): readonly string[] {
  const way = wayToFailure(root);
  if (!way.some((frame) => known.of(frame) !== undefined)) return [];
  const lines: string[] = [];
  for (const frame of way.toReversed()) {
    lines.push(...linesOf(frame, known));
    if (lines.length >= MAX_LINES) break;
  }
  return lines.slice(0, MAX_LINES);
}

/** The chain of failed calls, each caused by the next; a caught failure is not the cause. */
function wayToFailure(root: TraceFrame): readonly TraceFrame[] {
  const way: TraceFrame[] = [];
  for (let frame: TraceFrame | undefined = root; frame?.error !== undefined; frame = reasonOf(frame))
    way.push(frame);
  return way;
}

function reasonOf(frame: TraceFrame): TraceFrame | undefined {
  const last = frame.calls.at(-1);
  return last?.error !== undefined && equalBytes(last.output, frame.output) ? last : undefined;
}

function linesOf(frame: TraceFrame, known: TracedContracts): readonly string[] {
  const contract = known.of(frame);
  if (contract === undefined) return [unknownLine(frame)];
  const calls = frame.at.slice(0, -1).toReversed();
  const places = [failedAt(contract, frame), ...calls.map((call) => placeOf(contract, frame, call))].filter(
    (place) => place !== undefined,
  );
  const inBodies = places.filter((place) => place.function !== undefined && !place.isHead);
  const lines = inBodies.map((place) => lineOf(place));
  if (lines.length > 0) return lines.filter((line, i) => line !== lines[i - 1]);
  const [head] = places;
  if (head?.function !== undefined) return [lineOf(head)];
  return [
    `at ${calledName(frame, contract, known)}${head === undefined ? fileOf(contract) : ` (${head.file}:${head.line})`}`,
  ];
}

/**
 * Where a frame failed. Optimizers merge the reverting ends of several statements, with the source of only one of them: if the
 * end was jumped to, the last jump with a source identifies the statement.
 */
function failedAt(contract: ArtifactContract, frame: TraceFrame): SourcePlace | undefined {
  const code = codeOf(contract, frame);
  const own = placeOf(contract, frame, frame.at.at(-1) ?? -1);
  let isBehindHelper = false;
  for (const jump of frame.jumps.toReversed()) {
    const place = placeOf(contract, frame, jump);
    if (place === undefined) {
      isBehindHelper = true;
      continue;
    }
    if (code?.bytes[jump] === JUMPI) return isBehindHelper ? place : own;
    if (code === undefined || rangeAt(code, jump)?.jump === "o" || frame.at.includes(jump)) return own;
    return isBehindHelper || place.function !== own?.function ? place : own;
  }
  return own;
}

function placeOf(contract: ArtifactContract, frame: TraceFrame, place: number): SourcePlace | undefined {
  const code = codeOf(contract, frame);
  const range = code && rangeAt(code, place);
  if (range === undefined || range.source < 0) return undefined;
  return contract.sources.source(range.source)?.place(range.start);
}

function codeOf(contract: ArtifactContract, frame: TraceFrame): CodePattern | undefined {
  return isCreation(frame) ? contract.creation : contract.runtime;
}

function lineOf({ contract, function: name, file, line }: SourcePlace): string {
  return `at ${contract === "" ? "" : `${contract}.`}${name} (${file}:${line})`;
}

/** Used if no place in a function is known: the function that was called. */
function calledName(frame: TraceFrame, contract: ArtifactContract, { contracts }: TracedContracts): string {
  if (isCreation(frame)) return `${contract.name}.constructor`;
  return `${contract.name}.${functionOf(contracts, contract, frame.input)?.name ?? "<unknown>"}`;
}

function fileOf({ file }: ArtifactContract): string {
  return file === "" ? "" : ` (${file})`;
}

function unknownLine(frame: TraceFrame): string {
  const address = frame.to.length === 20 ? ` (${checksumAddress(frame.to)})` : "";
  return `at <UnrecognizedContract>.<unknown>${address}`;
}
