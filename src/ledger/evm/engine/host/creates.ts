import { hasCode, hasStorage } from "../../../../protocol/account/account.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import type { AccountEntry } from "../../../state/journal/journal-accounts.ts";
import {
  ADDRESS_COLLISION,
  CALL_DEPTH,
  CODE_STORE_OUT_OF_GAS,
  EF_CODE,
  EF_CODE_LATE,
  type FrameFailure,
  INSUFFICIENT_BALANCE,
  MAX_CODE_SIZE,
  NONCE_OVERFLOW,
  RESERVED_ADDRESS,
} from "../../failures.ts";
import { CODE_DEPOSIT_GAS } from "../../tables/rule-set.ts";
import type { Execution } from "../execution.ts";
import { finishFrame, openCheckpoint, openFrame, startFrame } from "../frames.ts";
import { FRAME_ADDRESS, FRAME_CALLER, FRAME_VALUE } from "../layout.ts";
import { writeAddress, writeBigint } from "../words.ts";
import { isReserved } from "./calls.ts";

/** A creation whose gas is charged; the gas of the init code is in the record of the next frame. */
export interface Creation {
  readonly kind: "CREATE" | "CREATE2";
  readonly creator: AccountEntry;
  readonly created: AccountEntry;
  /** kei */
  readonly value: bigint;
  readonly initCode: Uint8Array;
  readonly stack: number;
  readonly memory: number;
}

/** Opens the frame of a creation, and finishes it immediately if it cannot run. */
export function enterCreate(run: Execution, creation: Creation): undefined {
  const tooDeep = run.isTooDeep;
  const { kind, creator, created, value, initCode } = creation;
  const frame = openFrame(run, kind, created);
  if (run.tracer) {
    frame.startGas = run.gas(run.record);
    const parties = { kind, from: creator.address, to: created.address, value };
    run.tracer.enter?.({ ...parties, input: initCode, gas: frame.startGas, depth: run.depth });
  }
  const failure = tooDeep ? CALL_DEPTH : prepareCreation(run, creation);
  if (failure) return finishFrame(run, failure);
  openCheckpoint(run, frame);
  const { state, rules } = run;
  state.createContract(created.address, rules.create.codeInfo);
  state.setNonce(created.address, rules.create.startNonce);
  if (value !== 0n) {
    state.subBalance(creator.address, value);
    state.addBalance(created.address, value);
  }
  if (initCode.length === 0) return finishFrame(run, storeCode(run, 0, 0));
  const [code, memory] = run.machine.place(creation.memory, run.loaded.table, initCode);
  startFrame(run, code, { stack: creation.stack, memory, input: memory, inputSize: 0, flags: 0 });
  const { u32 } = run.machine;
  writeAddress(u32, (run.record + FRAME_ADDRESS) >>> 2, created.address);
  writeAddress(u32, (run.record + FRAME_CALLER) >>> 2, creator.address);
  writeBigint(u32, (run.record + FRAME_VALUE) >>> 2, value);
}

/**
 * Checks balance and nonce, increments the nonce, warms the new address and checks for a collision. Its changes are
 * kept even if it fails, since the frame has no checkpoint yet.
 */
function prepareCreation(run: Execution, { creator, created, value }: Creation): FrameFailure | undefined {
  if (value > (creator.account?.balance ?? 0n)) return INSUFFICIENT_BALANCE;
  const nonce = creator.account?.nonce ?? 0n;
  if (nonce === MAX_UINT64) return NONCE_OVERFLOW;
  run.state.setNonce(creator.address, nonce + 1n);
  if (run.rules.coldAccount > 0) run.core.warm(created);
  if (isOccupied(run, created)) return ADDRESS_COLLISION;
  return isReserved(run, created.address) ? RESERVED_ADDRESS : undefined;
}

function isOccupied(run: Execution, { account }: AccountEntry): boolean {
  if (account === undefined) return false;
  if (run.rules.create.collision === "account") return true;
  return account.nonce !== 0n || hasCode(account) || hasStorage(account);
}

/** Charges the code deposit and stores the code returned by the init code. */
export function storeCode(run: Execution, output: number, size: number): FrameFailure | undefined {
  const rules = run.rules.create;
  const startsWithEf = size > 0 && run.machine.u8[output] === 0xef;
  if (size > rules.maxCode) return MAX_CODE_SIZE;
  if (startsWithEf && rules.efCode === "failure") return EF_CODE;
  if (!run.pay(run.record, size * CODE_DEPOSIT_GAS)) {
    return rules.unpaidCode === "failure" ? CODE_STORE_OUT_OF_GAS : undefined;
  }
  const code = run.machine.u8.subarray(output, output + size);
  run.state.setCode(run.frame.account.address, code, rules.codeInfo);
  return startsWithEf && rules.efCode === "late" ? EF_CODE_LATE : undefined;
}
