import { hasCode } from "../../../../protocol/account/account.ts";
import { delegationTarget } from "../../../../protocol/account/delegation.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import type { AccountEntry } from "../../../state/journal/journal-accounts.ts";
import { BudgetSpent } from "../../evm.ts";
import { CALL_DEPTH, INSUFFICIENT_BALANCE, OUT_OF_GAS, RESERVED_ADDRESS } from "../../failures.ts";
import type { Precompile, WordPowerPrice } from "../../precompile.ts";
import { smallAddress } from "../../tables/ethereum-precompiles.ts";
import type { Execution, Frame, FrameKind } from "../execution.ts";
import {
  type FrameRegions,
  finishFrame,
  openCheckpoint,
  openFrame,
  placeCode,
  startFrame,
} from "../frames.ts";
import { FRAME_ADDRESS, FRAME_CALLER, FRAME_SIZE, FRAME_VALUE } from "../layout.ts";
import type { PlacedCode } from "../placed-code.ts";
import { readBigint, writeAddress, writeBigint } from "../words.ts";
import { isConsole, recordConsoleCall } from "./console.ts";

/** A call whose gas is charged; the callee's gas is in the record of the next frame. */
export interface Call extends FrameRegions {
  readonly kind: Exclude<FrameKind, "CREATE" | "CREATE2">;
  readonly caller: AccountEntry;
  /** Account whose code is called. */
  readonly target: AccountEntry;
  /** kei; 0 for DELEGATECALL and STATICCALL. */
  readonly value: bigint;
}

/** VM version of contracts deployed since istanbul. */
const CURRENT_VM = 1;

/** Opens the frame of a call, and finishes it immediately if there is no code to run. */
export function enterCall(run: Execution, call: Call): undefined {
  const tooDeep = run.isTooDeep;
  const { kind, caller, target, value } = call;
  const isCall = kind === "CALL";
  const frame = openFrame(run, kind, isCall || kind === "STATICCALL" ? target : caller);
  if (run.tracer) traceEnter(run, frame, call);
  if (tooDeep) return finishFrame(run, CALL_DEPTH);
  if (value > 0n && value > (caller.account?.balance ?? 0n)) return finishFrame(run, INSUFFICIENT_BALANCE);
  const precompile = findPrecompile(run, target.address, caller);
  if (isCall) {
    if (isReserved(run, target.address) && !(precompile && value === 0n)) {
      return finishFrame(run, RESERVED_ADDRESS);
    }
    transfer(run, frame, call, precompile !== undefined);
  }
  if (target.account === undefined && !precompile) return finishEmpty(run, call);
  const found = kind === "DELEGATECALL" ? delegatedPrecompile(run, target.address) : precompile;
  if (found) {
    if (kind === "STATICCALL" && found.wordPower) admitModexp(run, call, found.wordPower);
    return runPrecompile(run, frame, call, found);
  }
  const owner = codeOwner(run, target);
  const code = run.core.code(owner);
  if (code.length === 0) return finishEmpty(run, call);
  openCheckpoint(run, frame);
  const [placed, memory] = placeCode(run, owner, code, call.memory);
  if (memory === call.memory && owner === target && !isSmallAddress(target.address))
    admitCallee(run, target, placed);
  startFrame(run, placed, memory === call.memory ? call : { ...call, memory });
  writeCallContext(run, call);
}

/** Allows the account, warm since this call, to be called without the host. Not for the outermost call, which is rarely repeated. */
function admitCallee(run: Execution, target: AccountEntry, code: PlacedCode): void {
  const { cache, rules, block, machine, depth } = run;
  if (
    cache === undefined ||
    depth === 0 ||
    code.blocks === 0 ||
    block.moved !== undefined ||
    !rules.call.allButOne64th
  )
    return;
  if (rules.coldAccount > 0 && !run.core.isWarm(target)) return;
  const word = run.record + FRAME_ADDRESS;
  writeAddress(machine.u32, word >>> 2, target.address);
  cache.addCallee(target, code, word);
}

/** Allows the caller's code to call MODEXP without the host, if that costs no more than the static gas whatever is reverted. */
function admitModexp(run: Execution, { caller, target }: Call, price: WordPowerPrice): void {
  const { cache, rules, block, core, precompileGas } = run;
  if (run.depth === 0 || block.moved !== undefined) return;
  if (precompileGas !== undefined && precompileGas < price.maximum) return;
  if (!rules.call.allButOne64th || (rules.coldAccount > 0 && !core.isAlwaysWarm(target))) return;
  cache?.admitModexp(caller, price);
}

/** Ends a call to an account without code, and records it if it is to the console. */
function finishEmpty(run: Execution, { target, input, inputSize }: Call): undefined {
  if (isConsole(target.address)) recordConsoleCall(run, input, inputSize);
  return finishFrame(run, undefined);
}

/** Transfers the value of a CALL; creates the callee's account if it receives value or is a precompile. */
function transfer(run: Execution, frame: Frame, call: Call, isPrecompile: boolean): void {
  const { state, rules } = run;
  const { target, caller, value } = call;
  if (isPrecompile) openCheckpoint(run, frame);
  if (target.account === undefined) {
    if (isPrecompile && isReserved(run, target.address)) {
      state.createContract(target.address, rules.create.codeInfo);
    } else if (value === 0n && !rules.call.createsCallee) return;
    else {
      openCheckpoint(run, frame);
      state.createEoa(target.address);
    }
  }
  if (value !== 0n) openCheckpoint(run, frame);
  if (value !== 0n || caller.account === undefined) state.subBalance(caller.address, value);
  if (value !== 0n) state.addBalance(target.address, value);
  else if (run.core.isEmpty(target)) run.core.touch(target);
}

/** The account whose code runs: the target, or what it delegates to (one step only). @see EIP-7702 */
function codeOwner(run: Execution, target: AccountEntry): AccountEntry {
  const delegate = run.rules.delegations ? delegationTarget(run.core.code(target)) : undefined;
  return delegate ? run.core.entry(delegate) : target;
}

/** Whether an address is in the range reserved for precompiles, and none was moved away from it. */
export function isReserved(run: Execution, address: Address): boolean {
  const { moved } = run.block;
  if (moved !== undefined && moved.source(address) === undefined) return false;
  const number = smallAddress(address);
  return number > 0 && number <= run.rules.lastReserved;
}

/** Whether an address is below 2^16, so that it may be a precompile or in the reserved range. */
export function isSmallAddress(address: Address): boolean {
  return smallAddress(address) >= 0;
}

/** The precompile at an address for code of `caller`: contracts deployed before istanbul keep the table of that time. */
function findPrecompile(run: Execution, called: Address, caller: AccountEntry): Precompile | undefined {
  const { moved } = run.block;
  const address = moved === undefined ? called : moved.source(called);
  if (address === undefined || smallAddress(address) <= 0) return undefined;
  const account = caller.account;
  const isProgram = account !== undefined && (account.type === "sca" || hasCode(account));
  return run.precompiles(address, run.block.rules, isProgram ? account.codeInfo >>> 4 : CURRENT_VM);
}

/** For DELEGATECALL the reference node uses the table of the account that called the delegating contract. */
function delegatedPrecompile(run: Execution, address: Address): Precompile | undefined {
  if (run.block.moved === undefined && smallAddress(address) <= 0) return undefined;
  const parent = run.record - FRAME_SIZE;
  return findPrecompile(run, address, run.core.entryAt(run.machine.u32, (parent + FRAME_CALLER) >>> 2));
}

/** Runs a precompile. Its computation cost counts even if it runs out of gas. */
function runPrecompile(run: Execution, frame: Frame, call: Call, precompile: Precompile): undefined {
  openCheckpoint(run, frame);
  const { rules } = run.block;
  const input = run.machine.u8.slice(call.input, call.input + call.inputSize);
  const gas = precompile.gas(input, rules);
  run.computationLeft -= precompile.computation(input, rules);
  const left = run.gas(run.record) - gas;
  if (left < 0n) return finishFrame(run, OUT_OF_GAS);
  run.setGas(run.record, left);
  if (run.precompileGas !== undefined && gas > run.precompileGas) throw new BudgetSpent();
  const { feePayer } = run.transaction;
  const { state } = run;
  const checkDeadline = () => run.checkDeadline();
  checkDeadline();
  const output = precompile.run(input, { rules, feePayer, state, checkDeadline });
  if (!(output instanceof Uint8Array)) return finishFrame(run, output);
  run.machine.reserve(call.memory + output.length);
  run.machine.u8.set(output, call.memory);
  finishFrame(run, undefined, call.memory, output.length);
}

/** Writes address, caller and value of the new frame; DELEGATECALL inherits all three. */
function writeCallContext(run: Execution, call: Call): void {
  const { u32 } = run.machine;
  const record = run.record;
  if (call.kind === "DELEGATECALL") {
    const parent = record - FRAME_SIZE;
    u32.copyWithin(
      (record + FRAME_ADDRESS) >>> 2,
      (parent + FRAME_ADDRESS) >>> 2,
      (parent + FRAME_VALUE + 32) >>> 2,
    );
    return;
  }
  writeAddress(u32, (record + FRAME_ADDRESS) >>> 2, run.frame.account.address);
  writeAddress(u32, (record + FRAME_CALLER) >>> 2, call.caller.address);
  writeBigint(u32, (record + FRAME_VALUE) >>> 2, call.value);
}

function traceEnter(run: Execution, frame: Frame, call: Call): void {
  frame.startGas = run.gas(run.record);
  const parentValue = (run.record - FRAME_SIZE + FRAME_VALUE) >>> 2;
  run.tracer?.enter?.({
    kind: call.kind,
    from: call.caller.address,
    to: call.target.address,
    value: call.kind === "DELEGATECALL" ? readBigint(run.machine.u32, parentValue) : call.value,
    input: run.machine.u8.subarray(call.input, call.input + call.inputSize),
    gas: frame.startGas,
    depth: run.depth,
  });
}
