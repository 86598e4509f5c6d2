import { contractAddress, saltedContractAddress } from "../../../../protocol/account/address.ts";
import { delegationTarget } from "../../../../protocol/account/delegation.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import type { AccountEntry } from "../../../state/journal/journal-accounts.ts";
import { limbsToBytes } from "../../../state/journal/limb-tables.ts";
import { type FrameFailure, OUT_OF_GAS, WRITE_PROTECTION } from "../../failures.ts";
import { Op } from "../../tables/op.ts";
import {
  CALL_STIPEND,
  CALL_VALUE_GAS,
  DELEGATION_COLD_GAS,
  DELEGATION_WARM_GAS,
  HASH_WORD_GAS,
  NEW_ACCOUNT_GAS,
} from "../../tables/rule-set.ts";
import type { Execution } from "../execution.ts";
import { passGas } from "../frames.ts";
import {
  FLAG_STATIC,
  FRAME_CALL_GAS,
  FRAME_COST,
  FRAME_FLAGS,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_REGION,
  FRAME_REGION_SIZE,
  FRAME_SP,
} from "../layout.ts";
import { traceStep } from "../tracing/trace.ts";
import { isZeroWord, readBigint } from "../words.ts";
import { enterCall } from "./calls.ts";
import { enterCreate } from "./creates.ts";

const KINDS = {
  [Op.call]: "CALL",
  [Op.callCode]: "CALLCODE",
  [Op.delegateCall]: "DELEGATECALL",
  [Op.staticCall]: "STATICCALL",
} as const;

/** CALL, CALLCODE, DELEGATECALL, STATICCALL: charges gas, then opens the callee's frame. */
export function hostCall(run: Execution, opcode: keyof typeof KINDS): FrameFailure | undefined {
  const { machine, core } = run;
  const record = run.record;
  const at = record >>> 2;
  const sp = machine.u32[at + (FRAME_SP >>> 2)] as number;
  const takesValue = opcode === Op.call || opcode === Op.callCode;
  const valueAt = (sp - 96) >>> 2;
  const transfers = takesValue && !isZeroWord(machine.u32, valueAt);
  const target = core.entryAt(machine.u32, (sp - 64) >>> 2);
  const access = accessGas(run, target);
  const extra =
    access +
    (transfers ? CALL_VALUE_GAS : 0) +
    (opcode === Op.call ? newAccountGas(run, target, transfers) : 0);
  if (!payCall(run, record, extra, sp - 32)) {
    if (run.tracer) leaveUnpaidCall(run, record, { access, wanted: sp - 32 });
    return OUT_OF_GAS;
  }
  machine.renewViews();
  if (run.tracer) traceStep(run);
  const words = machine.u32;
  const isStatic = (words[at + (FRAME_FLAGS >>> 2)] as number) & FLAG_STATIC;
  if (opcode === Op.call && transfers && isStatic) return WRITE_PROTECTION;
  const value = transfers ? readBigint(words, valueAt) : 0n;
  const top = sp - (takesValue ? 224 : 192);
  words[at + (FRAME_SP >>> 2)] = top;
  passGas(run, transfers ? CALL_STIPEND : 0, FRAME_CALL_GAS);
  const memory = words[at + (FRAME_MEMORY >>> 2)] as number;
  enterCall(run, {
    kind: KINDS[opcode],
    caller: run.frame.account,
    target,
    value,
    stack: top + 32,
    memory: memory + (words[at + (FRAME_MEMORY_SIZE >>> 2)] as number),
    input: memory + (words[at + (FRAME_REGION >>> 2)] as number),
    inputSize: words[at + (FRAME_REGION_SIZE >>> 2)] as number,
    flags: opcode === Op.staticCall ? FLAG_STATIC : isStatic,
  });
  return undefined;
}

/** Gas of accessing the target of a call, and its delegate. @see EIP-2929, EIP-7702 */
function accessGas(run: Execution, target: AccountEntry): number {
  const { core, rules } = run;
  if (rules.coldAccount === 0) return 0;
  const gas = core.warm(target) ? rules.coldAccount : 0;
  if (!rules.delegations) return gas;
  const delegate = delegationTarget(core.code(target));
  if (delegate === undefined) return gas;
  return gas + (core.warm(core.entry(delegate)) ? DELEGATION_COLD_GAS : DELEGATION_WARM_GAS);
}

function newAccountGas(run: Execution, target: AccountEntry, transfers: boolean): number {
  const byRule = run.rules.call.newAccount === "absent";
  const isNew = byRule ? target.account === undefined : transfers && run.core.isEmpty(target);
  return isNew ? NEW_ACCOUNT_GAS : 0;
}

/** Charges a call and reserves the callee's gas; `wanted` is the memory address of the requested amount. */
function payCall(run: Execution, record: number, extra: number, wanted: number): boolean {
  const { interpreter, u32 } = run.machine;
  if (run.rules.call.allButOne64th) return interpreter.chargeCall(record, extra, wanted) !== 0;
  if (interpreter.charge(record, extra) === 0) return false;
  const gas = run.gas(record);
  const give = readBigint(u32, wanted >>> 2);
  if (give > gas) return false;
  run.setGas(record, gas - give);
  run.setCallGas(record, give);
  return true;
}

/**
 * Leaves the cost of a call that cannot be paid for traces: nothing if not even the access can be, else all of it, and the gas that the
 * reference node would pass on, which is computed modulo 2^64 from less than nothing.
 */
function leaveUnpaidCall(
  run: Execution,
  record: number,
  { access, wanted }: { access: number; wanted: number },
): void {
  const { u32, i64 } = run.machine;
  const gas = run.gas(record);
  const cost = record + FRAME_COST;
  const isAccessed = gas >= BigInt(access);
  if (!isAccessed) i64[cost >>> 3] = 0n;
  const left = BigInt.asUintN(64, gas - (i64[cost >>> 3] as bigint));
  const most = left - left / 64n;
  const want = readBigint(u32, wanted >>> 2);
  run.setCallGas(record, isAccessed ? (want < most ? want : most) : 0n);
}

/** Reserves the gas of a creation: all, or all but 1/64. */
function takeCreateGas(run: Execution, record: number): void {
  if (run.rules.call.allButOne64th) {
    run.machine.interpreter.takeCreateGas(record);
    return;
  }
  run.setCallGas(record, run.gas(record));
  run.setGas(record, 0n);
}

/** CREATE and CREATE2: charges gas, then opens the frame of the init code. */
export function hostCreate(
  run: Execution,
  opcode: typeof Op.create | typeof Op.create2,
): FrameFailure | undefined {
  const { machine, core } = run;
  const record = run.record;
  const at = record >>> 2;
  const rules = run.rules.create;
  const size = machine.u32[at + (FRAME_REGION_SIZE >>> 2)] as number;
  const wordGas = rules.initCodeWordGas + (opcode === Op.create2 ? HASH_WORD_GAS : 0);
  if (size > rules.maxInitCode) {
    // Traces show the fixed part alone.
    machine.i64[(record + FRAME_COST) >>> 3] = 0n;
    return OUT_OF_GAS;
  }
  if (!machine.interpreter.charge(record, wordGas * Math.ceil(size / 32))) return OUT_OF_GAS;
  machine.renewViews();
  if (run.tracer) traceStep(run);
  const words = machine.u32;
  if ((words[at + (FRAME_FLAGS >>> 2)] as number) & FLAG_STATIC) return WRITE_PROTECTION;
  const sp = words[at + (FRAME_SP >>> 2)] as number;
  const memory = words[at + (FRAME_MEMORY >>> 2)] as number;
  const start = memory + (words[at + (FRAME_REGION >>> 2)] as number);
  const initCode = machine.u8.slice(start, start + size);
  const top = sp - (opcode === Op.create2 ? 128 : 96);
  words[at + (FRAME_SP >>> 2)] = top;
  takeCreateGas(run, record);
  passGas(run, 0, FRAME_CALL_GAS);
  const creator = run.frame.account;
  const address =
    opcode === Op.create2
      ? saltedContractAddress(creator.address, limbsToBytes(words, (sp - 128) >>> 2), keccak256(initCode))
      : contractAddress(creator.address, creator.account?.nonce ?? 0n);
  enterCreate(run, {
    kind: opcode === Op.create2 ? "CREATE2" : "CREATE",
    creator,
    created: core.entry(address),
    value: readBigint(words, (sp - 32) >>> 2),
    initCode,
    stack: top + 32,
    memory: memory + (words[at + (FRAME_MEMORY_SIZE >>> 2)] as number),
  });
  return undefined;
}
