import { EMPTY_CODE_HASH } from "../../../../protocol/account/account.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { SlotRelation } from "../../../state/journal/journal-slots.ts";
import { bytesToLimbs, limbsToBytes } from "../../../state/journal/limb-tables.ts";
import { type FrameFailure, OUT_OF_GAS, WRITE_PROTECTION } from "../../failures.ts";
import { Op } from "../../tables/op.ts";
import { NEW_ACCOUNT_GAS, type StorageRules } from "../../tables/rule-set.ts";
import type { Execution } from "../execution.ts";
import {
  EXIT_STEP,
  EXIT_WRITE_PROTECTION,
  FLAG_STATIC,
  FRAME_FLAGS,
  FRAME_MEMORY,
  FRAME_PC,
  FRAME_REGION,
  FRAME_REGION_SIZE,
  FRAME_SP,
} from "../layout.ts";
import { traceStep } from "../tracing/trace.ts";
import { readAddress, readNumber, writeBigint, writeNumber } from "../words.ts";

const SP = FRAME_SP >>> 2;

type AccountOpcode = typeof Op.balance | typeof Op.extCodeSize | typeof Op.extCodeHash;

/** Pops words and advances past the opcode. @param pops - negative to push */
function advance(run: Execution, pops: number): void {
  const { u32 } = run.machine;
  const at = run.record >>> 2;
  u32[at + SP] = (u32[at + SP] as number) - 32 * pops;
  u32[at + (FRAME_PC >>> 2)] = (u32[at + (FRAME_PC >>> 2)] as number) + 1;
}

/** Index in `u32` of the stack word at `depth` (0 = top). */
function stackAt(run: Execution, depth: number): number {
  const { u32 } = run.machine;
  return ((u32[(run.record >>> 2) + SP] as number) - 32 * (depth + 1)) >>> 2;
}

function isStatic(run: Execution): boolean {
  return ((run.machine.u32[(run.record + FRAME_FLAGS) >>> 2] as number) & FLAG_STATIC) !== 0;
}

/** Runs an SLOAD or SSTORE whose slot has been loaded into linear memory. */
function useCachedSlot(run: Execution): FrameFailure | undefined {
  const exit = run.machine.interpreter.useSlot(run.record);
  if (exit === EXIT_STEP) return undefined;
  return exit === EXIT_WRITE_PROTECTION ? WRITE_PROTECTION : OUT_OF_GAS;
}

/** SLOAD */
export function hostSload(run: Execution): FrameFailure | undefined {
  if (run.cache?.load(stackAt(run, 0) << 2)) return useCachedSlot(run);
  const { core, rules } = run;
  const words = run.machine.u32;
  const record = run.record;
  const top = stackAt(run, 0);
  const slot = core.slots.find(run.frame.account.storageId, words, top);
  if (rules.coldSlot > 0) {
    const cold = core.slots.warm(slot, core.transaction);
    if (!run.pay(record, cold ? rules.coldSlot : rules.warmSlot)) return OUT_OF_GAS;
  }
  if (run.tracer) traceStep(run);
  core.slots.read(slot, words, top);
  advance(run, 0);
  return undefined;
}

/** SSTORE */
export function hostSstore(run: Execution): FrameFailure | undefined {
  if (run.cache?.load(stackAt(run, 0) << 2)) return useCachedSlot(run);
  const { core, rules } = run;
  const words = run.machine.u32;
  const record = run.record;
  if (hasAtMost(run, record, rules.storage.sentry)) return OUT_OF_GAS;
  const account = run.frame.account;
  const slot = core.slots.find(account.storageId, words, stackAt(run, 0));
  const cold = rules.coldSlot > 0 && core.slots.warm(slot, core.transaction);
  const value = stackAt(run, 1);
  const relation = core.slots.relate(slot, words, value);
  const gas = rules.storage.netMetered
    ? netGas(run, rules.storage, relation)
    : plainGas(run, rules.storage, relation);
  if (!run.pay(record, gas + (cold ? rules.coldSlot : 0))) return OUT_OF_GAS;
  if (run.tracer) traceStep(run);
  if (isStatic(run)) return WRITE_PROTECTION;
  if ((relation & SlotRelation.same) === 0) {
    core.slots.write(slot, words, value, core.checkpointId);
    core.touch(account);
  }
  advance(run, 2);
  return undefined;
}

function hasAtMost(run: Execution, record: number, gas: number): boolean {
  const at = (record >>> 2) + 2;
  return run.machine.u32[at + 1] === 0 && (run.machine.u32[at] as number) <= gas;
}

/** Gas by the current and the new value alone. */
function plainGas(run: Execution, rules: StorageRules, relation: number): number {
  const wasZero = relation & SlotRelation.currentZero;
  const becomesZero = relation & SlotRelation.newZero;
  if (wasZero && !becomesZero) return rules.set;
  if (!wasZero && becomesZero) run.core.refund += rules.clearRefund;
  return rules.reset;
}

/** Gas by the original, the current and the new value. @see EIP-2200, EIP-3529 */
function netGas(run: Execution, rules: StorageRules, relation: number): number {
  if (relation & SlotRelation.same) return rules.touch;
  const wasZero = relation & SlotRelation.originalZero;
  const becomesZero = relation & SlotRelation.newZero;
  if (relation & SlotRelation.clean) {
    if (wasZero) return rules.set;
    if (becomesZero) run.core.refund += rules.clearRefund;
    return rules.reset;
  }
  if (!wasZero) {
    if (relation & SlotRelation.currentZero) run.core.refund -= rules.clearRefund;
    else if (becomesZero) run.core.refund += rules.clearRefund;
  }
  if (relation & SlotRelation.restored) {
    run.core.refund += (wasZero ? rules.set : rules.reset) - rules.touch;
  }
  return rules.touch;
}

/** TLOAD */
export function hostTload(run: Execution): undefined {
  const { transient } = run.core;
  if (run.tracer) traceStep(run);
  const top = stackAt(run, 0);
  transient.read(transient.find(run.frame.account.storageId, run.machine.u32, top), run.machine.u32, top);
  advance(run, 0);
}

/** TSTORE */
export function hostTstore(run: Execution): FrameFailure | undefined {
  const { transient, checkpointId } = run.core;
  if (run.tracer) traceStep(run);
  if (isStatic(run)) return WRITE_PROTECTION;
  const words = run.machine.u32;
  const slot = transient.find(run.frame.account.storageId, words, stackAt(run, 0));
  transient.write(slot, words, stackAt(run, 1), checkpointId);
  advance(run, 2);
  return undefined;
}

/** BALANCE, EXTCODESIZE, EXTCODEHASH. */
export function hostAccount(run: Execution, opcode: AccountOpcode): FrameFailure | undefined {
  const { core, rules } = run;
  const top = stackAt(run, 0);
  const entry = core.entryAt(run.machine.u32, top);
  if (rules.coldAccount > 0 && (opcode !== Op.extCodeHash || rules.coldExtCodeHash)) {
    if (!run.pay(run.record, core.warm(entry) ? rules.coldAccount : 0)) return OUT_OF_GAS;
  }
  if (run.tracer) traceStep(run);
  if (opcode === Op.balance) writeBigint(run.machine.u32, top, entry.account?.balance ?? 0n);
  else if (opcode === Op.extCodeSize) writeNumber(run.machine.u32, top, core.code(entry).length);
  else if (!core.isEmpty(entry))
    bytesToLimbs(entry.account?.codeHash ?? EMPTY_CODE_HASH, run.machine.u32, top);
  else if (rules.extCodeHashOfEmpty === "zero") writeNumber(run.machine.u32, top, 0);
  else bytesToLimbs(EMPTY_CODE_HASH, run.machine.u32, top);
  advance(run, 0);
  return undefined;
}

/** EXTCODECOPY */
export function hostExtCodeCopy(run: Execution): FrameFailure | undefined {
  const { core, rules, machine } = run;
  const record = run.record;
  const entry = core.entryAt(machine.u32, stackAt(run, 0));
  const extra = rules.coldAccount > 0 && core.warm(entry) ? rules.coldAccount : 0;
  if (!machine.interpreter.charge(record, extra)) return OUT_OF_GAS;
  machine.renewViews();
  if (run.tracer) traceStep(run);
  copyToRegion(run, core.code(entry), readNumber(machine.u32, stackAt(run, 2)));
  advance(run, 4);
  return undefined;
}

/** RETURNDATACOPY of data too long for its region; gas and bounds are already checked. */
export function hostReturnDataCopy(run: Execution): undefined {
  const data = run.frame.longReturnData ?? new Uint8Array(0);
  copyToRegion(run, data, readNumber(run.machine.u32, stackAt(run, 1)));
  advance(run, 3);
}

/** Fills the memory region of the opcode with bytes from `offset` on, zero-padded. */
function copyToRegion(run: Execution, bytes: Uint8Array, offset: number): void {
  const { u8, u32 } = run.machine;
  const at = run.record >>> 2;
  const size = u32[at + (FRAME_REGION_SIZE >>> 2)] as number;
  const to = (u32[at + (FRAME_MEMORY >>> 2)] as number) + (u32[at + (FRAME_REGION >>> 2)] as number);
  const part = bytes.subarray(Math.min(offset, bytes.length), Math.min(offset + size, bytes.length));
  u8.set(part, to);
  u8.fill(0, to + part.length, to + size);
}

/** SELFBALANCE */
export function hostSelfBalance(run: Execution): undefined {
  if (run.tracer) traceStep(run);
  writeBigint(run.machine.u32, stackAt(run, -1), run.frame.account.account?.balance ?? 0n);
  advance(run, -1);
}

/** BLOCKHASH: one of the last 256 blocks, else zero. */
export function hostBlockHash(run: Execution): undefined {
  if (run.tracer) traceStep(run);
  const top = stackAt(run, 0);
  const number = readNumber(run.machine.u32, top);
  const current = Number(run.block.number);
  const known = number < current && number >= current - 256;
  writeHash(run, top, known ? run.block.blockHash(BigInt(number)) : undefined);
  advance(run, 0);
}

/** BLOBHASH */
export function hostBlobHash(run: Execution): undefined {
  if (run.tracer) traceStep(run);
  const top = stackAt(run, 0);
  writeHash(run, top, run.transaction.blobHashes[readNumber(run.machine.u32, top)]);
  advance(run, 0);
}

function writeHash(run: Execution, at: number, hash: Hash | undefined): void {
  if (hash) bytesToLimbs(hash, run.machine.u32, at);
  else writeNumber(run.machine.u32, at, 0);
}

/** LOG0 … LOG4; gas and write protection are already checked. */
export function hostLog(run: Execution, topicCount: number): undefined {
  const { u8, u32 } = run.machine;
  const at = run.record >>> 2;
  const start = (u32[at + (FRAME_MEMORY >>> 2)] as number) + (u32[at + (FRAME_REGION >>> 2)] as number);
  const size = u32[at + (FRAME_REGION_SIZE >>> 2)] as number;
  if (run.cache) {
    run.cache.addLog(topicCount, stackAt(run, 1) << 2, start, size);
    advance(run, 2 + topicCount);
    return;
  }
  const topics: Hash[] = [];
  for (let i = 0; i < topicCount; i++) topics.push(limbsToBytes(u32, stackAt(run, 2 + i)));
  const data = u8.slice(start, start + size);
  run.core.logs.push({ address: run.frame.account.address, topics, data });
  advance(run, 2 + topicCount);
}

/** SELFDESTRUCT; on success (undefined) the caller ends the frame. */
export function hostSelfdestruct(run: Execution): FrameFailure | undefined {
  const { core, rules, state } = run;
  const { gas, cold, refund, newAccount, onlyCreated } = rules.selfdestruct;
  const self = run.frame.account;
  const beneficiary = core.entryAt(run.machine.u32, stackAt(run, 0));
  const balance = self.account?.balance ?? 0n;
  let cost = gas;
  if (cold > 0 && core.warm(beneficiary)) cost += cold;
  const isNew =
    newAccount === "absent"
      ? beneficiary.account === undefined
      : newAccount !== "never" && balance !== 0n && core.isEmpty(beneficiary);
  if (isNew) cost += NEW_ACCOUNT_GAS;
  if (refund > 0 && self.destroyedAt !== core.transaction) core.refund += refund;
  if (!run.pay(run.record, cost)) return OUT_OF_GAS;
  if (run.tracer) traceStep(run);
  if (isStatic(run)) return WRITE_PROTECTION;
  if (onlyCreated) state.subBalance(self.address, balance);
  state.addBalance(beneficiary.address, balance);
  if (!onlyCreated || self.createdAt === core.transaction) core.destroy(self);
  traceDestruction(run, readAddress(run.machine.u32, stackAt(run, 0)), balance);
  return undefined;
}

function traceDestruction(run: Execution, to: Uint8Array, value: bigint): void {
  const depth = run.depth + 1;
  const from = run.frame.account.address;
  run.tracer?.enter?.({ kind: "SELFDESTRUCT", from, to, value, input: new Uint8Array(0), gas: 0n, depth });
  run.tracer?.exit?.({ output: new Uint8Array(0), gasUsed: 0n, outcome: "success", depth });
}
