import { encodeItem, encodeItems, type Item } from "../codec/rlp/item.ts";
import { encodeList } from "../codec/rlp/list.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { bigintToBytes, EMPTY_BYTES, numberToBytes } from "../primitives/bytes.ts";
import { logsBloom, mergeBlooms } from "./bloom.ts";
import type { PlacedReceipt } from "./placed-receipt.ts";
import type { Log, Receipt } from "./receipt.ts";

/** Logs, or receipts with few, encoded or decoded per step: some milliseconds at most. */
const LOGS_PER_STEP = 1024;
/** Maximum topics of a log. @see Yellow Paper, appendix H: LOG4 */
const MAX_TOPICS = 4;

/** Members of a stored receipt before its logs: status, gas and contract address. */
const OUTCOME_MEMBERS = 3;

/** The consensus form, over which receipt roots are computed: `rlp([status, gasUsed, bloom, [log…]])`. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { gasUsed, bloom, logs } = receipt;
  return encodeItem([statusItem(receipt), bigintToBytes(gasUsed), bloom, logs.map(logItem)]);
}

/** As `encodeReceipt`, in steps if it is long. */
export function encodeReceiptInSteps(receipt: Receipt): Uint8Array | Generator<void, Uint8Array> {
  return receipt.logs.length <= LOGS_PER_STEP ? encodeReceipt(receipt) : encodeLongReceipt(receipt);
}

function* encodeLongReceipt(receipt: Receipt): Generator<void, Uint8Array> {
  const outcome = encodeItems([statusItem(receipt), bigintToBytes(receipt.gasUsed), receipt.bloom]);
  return encodeList([outcome, yield* encodeLogs(receipt.logs)]);
}

/** Decodes the consensus form, which lacks the address of a created contract. @throws RlpError */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  const reader = new RlpReader(bytes);
  reader.enterList("types.receiptRLP");
  const receipt = { ...readOutcome(reader), bloom: reader.fixed(256, "types.Bloom"), logs: readLogs(reader) };
  reader.leaveList();
  reader.finish();
  return receipt;
}

/**
 * The stored form of the receipts of a block: `rlp([[status, gasUsed, contractAddress or empty, [log…]]…])`.
 * Blooms are left out, they follow from the logs.
 */
export function encodeStoredReceipts(receipts: readonly Receipt[]): Uint8Array {
  const steps = encodeStoredReceiptsInSteps(receipts);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** As `encodeStoredReceipts`, in steps. */
export function* encodeStoredReceiptsInSteps(receipts: readonly Receipt[]): Generator<void, Uint8Array> {
  const parts: Uint8Array[] = [];
  let few: Item[] = [];
  let weight = 0;
  for (const receipt of receipts) {
    const { gasUsed, logs, contractAddress = EMPTY_BYTES } = receipt;
    const isLong = logs.length > LOGS_PER_STEP;
    const members: Item[] = [statusItem(receipt), bigintToBytes(gasUsed), contractAddress];
    if (!isLong) {
      members.push(logs.map(logItem));
      few.push(members);
    }
    weight += 1 + logs.length;
    if (weight <= LOGS_PER_STEP) continue;
    parts.push(encodeItems(few));
    if (isLong) parts.push(encodeList([encodeItems(members), yield* encodeLogs(logs)]));
    few = [];
    weight = 0;
    yield;
  }
  parts.push(encodeItems(few));
  return encodeList(parts);
}

/** Many logs as a list, in steps. */
function* encodeLogs(logs: readonly Log[]): Generator<void, Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < logs.length; at += LOGS_PER_STEP) {
    parts.push(encodeItems(logs.slice(at, at + LOGS_PER_STEP).map(logItem)));
    yield;
  }
  return encodeList(parts);
}

/** Decodes the output of `encodeStoredReceipts`. @returns views of the input @throws RlpError */
export function decodeStoredReceipts(bytes: Uint8Array): Receipt[] {
  const steps = decodeStoredReceiptsInSteps(bytes);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** As `decodeStoredReceipts`, in steps. */
export function* decodeStoredReceiptsInSteps(bytes: Uint8Array): Generator<void, Receipt[]> {
  const reader = new RlpReader(bytes);
  const receipts: Receipt[] = [];
  let weight = 0;
  reader.enterList("receipts");
  while (!reader.atEnd) {
    const receipt = yield* readStored(reader);
    receipts.push(receipt);
    weight += 1 + (receipt.logs.length % LOGS_PER_STEP);
    if (weight < LOGS_PER_STEP) continue;
    weight = 0;
    yield;
  }
  reader.leaveList();
  reader.finish();
  return receipts;
}

/** Number of receipts, and of logs in them, in the output of `encodeStoredReceipts`, counted in steps. @throws RlpError */
export function* countStoredReceipts(
  bytes: Uint8Array,
): Generator<void, { readonly receipts: number; readonly logs: number }> {
  const reader = new RlpReader(bytes);
  let [receipts, logs] = [0, 0];
  reader.enterList("receipts");
  while (!reader.atEnd) {
    reader.enterList("receipt");
    for (let member = 0; member < OUTCOME_MEMBERS; member++) reader.skip();
    reader.enterList("[]*types.Log");
    for (; !reader.atEnd; reader.skip()) if (++logs % (8 * LOGS_PER_STEP) === 0) yield;
    reader.leaveList();
    reader.leaveList();
    if (++receipts % LOGS_PER_STEP === 0) yield;
  }
  return { receipts, logs };
}

/**
 * Reads one receipt from the output of `encodeStoredReceipts`, with the totals of those before it.
 * @returns views of the input; undefined when there are fewer
 * @throws RlpError
 */
export function readStoredReceipt(bytes: Uint8Array, index: number): PlacedReceipt | undefined {
  const reader = new RlpReader(bytes);
  let firstLogIndex = 0;
  let gasBefore = 0n;
  reader.enterList("receipts");
  for (let i = 0; i < index && !reader.atEnd; i++) {
    reader.enterList("receipt");
    reader.skip();
    gasBefore += reader.uint("uint64", 8);
    reader.skip();
    firstLogIndex += skipLogs(reader);
    reader.leaveList();
  }
  if (reader.atEnd) return undefined;
  const steps = readStored(reader);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const receipt = step.value;
  return { receipt, firstLogIndex, cumulativeGasUsed: gasBefore + receipt.gasUsed };
}

/** @returns how many logs were skipped */
function skipLogs(reader: RlpReader): number {
  let count = 0;
  reader.enterList("[]*types.Log");
  for (; !reader.atEnd; count++) reader.skip();
  reader.leaveList();
  return count;
}

/** Reads the logs of each receipt from the output of `encodeStoredReceipts`. @returns views of the input @throws RlpError */
export function decodeStoredLogs(bytes: Uint8Array): Log[][] {
  const reader = new RlpReader(bytes);
  const logs: Log[][] = [];
  reader.enterList("receipts");
  while (!reader.atEnd) {
    reader.enterList("receipt");
    for (let member = 0; member < OUTCOME_MEMBERS; member++) reader.skip();
    logs.push(readLogs(reader));
    reader.leaveList();
  }
  return logs;
}

/** A log and its position in its block. */
export interface PlacedLog {
  readonly log: Log;
  readonly transactionIndex: number;
  /** Index among the logs of the block. */
  readonly logIndex: number;
}

/**
 * Reads logs from the output of `encodeStoredReceipts`, skipping the rest.
 * @param places - indexes of the requested logs in the block, ascending; absent: all
 * @returns views of the input
 * @throws RlpError
 */
export function readStoredLogs(bytes: Uint8Array, places?: readonly number[]): PlacedLog[] {
  const reader = new RlpReader(bytes);
  const found: PlacedLog[] = [];
  let logIndex = 0;
  reader.enterList("receipts");
  for (let transactionIndex = 0; !reader.atEnd; transactionIndex++) {
    reader.enterList("receipt");
    for (let member = 0; member < OUTCOME_MEMBERS; member++) reader.skip();
    reader.enterList("[]*types.Log");
    for (; !reader.atEnd; logIndex++) {
      if (found.length === places?.length) return found;
      if (places === undefined || places[found.length] === logIndex)
        found.push({ log: readLog(reader), transactionIndex, logIndex });
      else reader.skip();
    }
    reader.leaveList();
    reader.leaveList();
  }
  return found;
}

/** Reads a receipt, in steps if it has many logs. */
function* readStored(reader: RlpReader): Generator<void, Receipt> {
  reader.enterList("receipt");
  const outcome = readOutcome(reader);
  const contractAddress = reader.bytes();
  const logs: Log[] = [];
  reader.enterList("[]*types.Log");
  while (!reader.atEnd) if (logs.push(readLog(reader)) % LOGS_PER_STEP === 0) yield;
  reader.leaveList();
  reader.leaveList();
  const bloom = logs.length <= LOGS_PER_STEP ? logsBloom(logs) : yield* bloomInSteps(logs);
  return { ...outcome, bloom, logs, ...(contractAddress.length > 0 && { contractAddress }) };
}

function* bloomInSteps(logs: readonly Log[]): Generator<void, Uint8Array> {
  const blooms: Uint8Array[] = [];
  for (let at = 0; at < logs.length; at += LOGS_PER_STEP) {
    blooms.push(logsBloom(logs.slice(at, at + LOGS_PER_STEP)));
    yield;
  }
  return mergeBlooms(blooms);
}

function statusItem({ status }: Receipt): Item {
  return status === 0 ? EMPTY_BYTES : numberToBytes(status);
}

function readOutcome(reader: RlpReader): Pick<Receipt, "status" | "gasUsed"> {
  return { status: reader.number("uint", 4), gasUsed: reader.uint("uint64", 8) };
}

function logItem(log: Log): Item {
  return [log.address, log.topics, log.data];
}

function readLogs(reader: RlpReader): Log[] {
  const logs: Log[] = [];
  reader.enterList("[]*types.Log");
  while (!reader.atEnd) logs.push(readLog(reader));
  reader.leaveList();
  return logs;
}

function readLog(reader: RlpReader): Log {
  reader.enterList("types.rlpLog");
  const address = reader.fixed(20, "common.Address");
  const topics: Uint8Array[] = [];
  reader.enterList("[]common.Hash");
  while (!reader.atEnd && topics.length < MAX_TOPICS) topics.push(reader.fixed(32, "common.Hash"));
  reader.leaveList();
  const data = reader.bytes();
  reader.leaveList();
  return { address, topics, data };
}
