import type { Log } from "../../../protocol/block/receipt.ts";
import { concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { AccountEntry } from "../../state/journal/journal-accounts.ts";
import { limbsToBytes } from "../../state/journal/limb-tables.ts";
import type { WordPowerPrice } from "../precompile.ts";
import { Op } from "../tables/op.ts";
import { type Execution, frameRecord, type WriteBackCache } from "./execution.ts";
import { openCheckpoint, openFrame } from "./frames.ts";
import {
  ACCOUNT_SIZE,
  ACCOUNTS,
  FLAG_HOST,
  FRAME_ADDRESS,
  FRAME_CALLEE,
  FRAME_FLAGS,
  FRAME_KIND,
  FRAME_SIZE,
  FRAMES,
  LOG_DATA_SIZE,
  LOG_TOP,
  LOG_TOPICS,
  LOG_WORDS,
  LOGS,
  LOGS_MOVED,
  MODEXP_CALLER,
  MODEXP_COMPLEXITY,
  MODEXP_DIVISOR,
  MODEXP_MINIMUM,
  REFUND,
  RUNNING,
  SLOT_COUNT,
  SLOT_FLAGS,
  SLOT_NOW,
  SLOT_NUMBER,
  SLOT_ORIGINAL,
  SLOT_SIZE,
  SLOT_WARM,
  SLOT_WRITTEN,
  SLOTS,
  UNDO_END,
  UNDO_SIZE,
  UNDO_TOP,
} from "./layout.ts";
import type { PlacedCode } from "./placed-code.ts";

/** An account that may be called without the host. */
interface Callee {
  readonly account: AccountEntry;
  readonly code: PlacedCode;
}

const KINDS: Readonly<Record<number, "CALL" | "DELEGATECALL" | "STATICCALL">> = {
  [Op.call]: "CALL",
  [Op.delegateCall]: "DELEGATECALL",
  [Op.staticCall]: "STATICCALL",
};

/**
 * Write-back cache, in linear memory, of a run without a tracer: the slots that it accesses, its logs and refund counter, and the
 * accounts that it may call without the host. Interpreter and compiled code work only on these, and call the host for what is
 * missing; they are written to the journal when the run has ended. Warm accounts and everything else are only in the journal.
 */
export class RunCache implements WriteBackCache {
  readonly #run: Execution;
  /** By index of the account in linear memory. */
  readonly #callees: Callee[] = [];
  /** Account of each slot. */
  readonly #owners: AccountEntry[] = [];
  /** Logs moved out of linear memory for lack of room. */
  #movedLogs: Uint8Array[] = [];

  constructor(run: Execution) {
    this.#run = run;
  }

  /** Whether the undo log is full: the next change of a slot traps. */
  get isFull(): boolean {
    return (this.#run.machine.u32[UNDO_TOP >>> 2] as number) + UNDO_SIZE > UNDO_END;
  }

  drive(quantum: number): number {
    const run = this.#run;
    const { machine } = run;
    machine.u32[RUNNING >>> 2] = run.record;
    const exit = machine.interpreter.drive(quantum);
    machine.renewViews();
    const depth = ((machine.u32[RUNNING >>> 2] as number) - FRAMES) / FRAME_SIZE;
    while (run.depth < depth) this.#adoptFrame();
    return exit;
  }

  /** Creates the host's state of the next frame, so far only in linear memory. The journal has not changed since that frame began. */
  #adoptFrame(): void {
    const run = this.#run;
    const words = run.machine.u32;
    const at = frameRecord(run.depth + 1) >>> 2;
    const opcode = words[at + (FRAME_KIND >>> 2)] as number;
    const place = ((words[at + (FRAME_CALLEE >>> 2)] as number) - ACCOUNTS) / ACCOUNT_SIZE;
    const { account, code } = this.#callees[place] as Callee;
    const actsOn = opcode === Op.delegateCall ? run.frame.account : account;
    const frame = openFrame(run, KINDS[opcode] as "CALL", actsOn);
    frame.code = code;
    openCheckpoint(run, frame);
    words[at + (FRAME_FLAGS >>> 2)] = (words[at + (FRAME_FLAGS >>> 2)] as number) | FLAG_HOST;
  }

  addCallee(account: AccountEntry, code: PlacedCode, addressAt: number): void {
    const { interpreter } = this.#run.machine;
    const entry = interpreter.addAccount(addressAt, account.storageId, code.record);
    if (entry !== 0) this.#callees[(entry - ACCOUNTS) / ACCOUNT_SIZE] = { account, code };
  }

  admitModexp(caller: AccountEntry, { complexity, divisor, minimum }: WordPowerPrice): void {
    const words = this.#run.machine.u32;
    words[MODEXP_CALLER >>> 2] = caller.storageId;
    words[MODEXP_DIVISOR >>> 2] = divisor;
    words[MODEXP_MINIMUM >>> 2] = minimum;
    words.set(complexity, MODEXP_COMPLEXITY >>> 2);
  }

  load(key: number): boolean {
    const { core, machine, frame } = this.#run;
    const owner = frame.account.storageId;
    const words = machine.u32;
    const end = SLOTS + (words[SLOT_COUNT >>> 2] as number) * SLOT_SIZE;
    const slot = machine.interpreter.takeSlot(owner, key);
    if (slot === 0) return false;
    if (slot < end) return true;
    const at = slot >>> 2;
    const number = core.slots.find(owner, words, key >>> 2);
    core.slots.read(number, words, at + (SLOT_NOW >>> 2));
    core.slots.readOriginal(number, words, at + (SLOT_ORIGINAL >>> 2));
    words[at + (SLOT_FLAGS >>> 2)] = core.slots.isWarm(number, core.transaction) ? SLOT_WARM : 0;
    words[at + (SLOT_NUMBER >>> 2)] = number;
    this.#owners.push(frame.account);
    return true;
  }

  addLog(topics: number, top: number, data: number, size: number): void {
    this.#moveLogs();
    const { u8, u32 } = this.#run.machine;
    const start = LOG_WORDS + 32 * (topics + 1);
    const log = new Uint8Array(8 * Math.ceil((start + size) / 8));
    const head = new Uint32Array(log.buffer, 0, LOG_WORDS >>> 2);
    head.set([log.length, topics, size]);
    const address = this.#run.record + FRAME_ADDRESS;
    log.set(u8.subarray(address, address + 32), LOG_WORDS);
    for (let i = 1; i <= topics; i++)
      log.set(u8.subarray(top - 32 * i, top - 32 * i + 32), LOG_WORDS + 32 * i);
    log.set(u8.subarray(data, data + size), start);
    this.#movedLogs.push(log);
    u32[LOGS_MOVED >>> 2] = (u32[LOGS_MOVED >>> 2] as number) + log.length;
  }

  /** Moves the logs out of linear memory, and drops those moved before that have been reverted. */
  #moveLogs(): void {
    const { u8, u32 } = this.#run.machine;
    const moved = u32[LOGS_MOVED >>> 2] as number;
    const end = u32[LOG_TOP >>> 2] as number;
    let length = this.#movedLogs.reduce((sum, log) => sum + log.length, 0);
    while (length > moved) {
      const last = this.#movedLogs.pop() as Uint8Array;
      length -= last.length;
      if (length < moved) this.#movedLogs.push(last.slice(0, moved - length));
    }
    if (end === LOGS) return;
    this.#movedLogs.push(u8.slice(LOGS, end));
    u32[LOG_TOP >>> 2] = LOGS;
    u32[LOGS_MOVED >>> 2] = moved + end - LOGS;
  }

  /** Writes everything to the journal; to be called when the outermost frame has ended and is not reverted. */
  writeBack(): void {
    const { core, machine } = this.#run;
    const words = machine.u32;
    core.refund += ((words[(REFUND >>> 2) + 1] as number) | 0) * 2 ** 32 + (words[REFUND >>> 2] as number);
    const count = words[SLOT_COUNT >>> 2] as number;
    for (let i = 0, at = SLOTS >>> 2; i < count; i++, at += SLOT_SIZE >>> 2) {
      const flags = words[at + (SLOT_FLAGS >>> 2)] as number;
      const number = words[at + (SLOT_NUMBER >>> 2)] as number;
      if (flags & SLOT_WARM) core.slots.warm(number, core.transaction);
      if (!(flags & SLOT_WRITTEN)) continue;
      core.slots.write(number, words, at + (SLOT_NOW >>> 2), core.checkpointId);
      core.touch(this.#owners[i] as AccountEntry);
    }
    this.#moveLogs();
    const moved = this.#movedLogs;
    if (moved.length > 0)
      core.addLazyLogs(() => readLogs(moved.length === 1 ? (moved[0] as Uint8Array) : concat(...moved)));
  }
}

/** Whether two words of the EVM are equal. @param a, b - where they begin in `words` */
function areEqualWords(words: Uint32Array, a: number, b: number): boolean {
  for (let i = 0; i < 8; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}

/** Decodes logs from their layout in linear memory. */
function readLogs(bytes: Uint8Array): Log[] {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  const logs: Log[] = [];
  let address: Uint8Array = EMPTY_BYTES;
  /** Word at which the address of the log before begins. */
  let before = -1;
  for (let at = 0; at < bytes.length; at += words[at >>> 2] as number) {
    const topicCount = words[(at + LOG_TOPICS) >>> 2] as number;
    const size = words[(at + LOG_DATA_SIZE) >>> 2] as number;
    const start = at + LOG_WORDS;
    const topics: Uint8Array[] = [];
    for (let i = 1; i <= topicCount; i++) topics.push(limbsToBytes(words, (start + 32 * i) >>> 2));
    const dataStart = start + 32 * (topicCount + 1);
    const data = size === 0 ? EMPTY_BYTES : bytes.slice(dataStart, dataStart + size);
    // Most logs of a transaction are of the contract that wrote the one before.
    if (before < 0 || !areEqualWords(words, before, start >>> 2))
      address = limbsToBytes(words, start >>> 2).slice(12);
    before = start >>> 2;
    logs.push({ address, topics, data });
  }
  return logs;
}
