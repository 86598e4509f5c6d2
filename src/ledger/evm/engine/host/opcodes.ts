import type { FrameFailure } from "../../failures.ts";
import { Op } from "../../tables/op.ts";
import type { HostKind } from "../../tables/opcodes.ts";
import type { Execution } from "../execution.ts";
import { traceStep } from "../tracing/trace.ts";
import { hostCall, hostCreate } from "./call-opcodes.ts";
import {
  hostAccount,
  hostBlobHash,
  hostBlockHash,
  hostExtCodeCopy,
  hostLog,
  hostReturnDataCopy,
  hostSelfBalance,
  hostSelfdestruct,
  hostSload,
  hostSstore,
  hostTload,
  hostTstore,
} from "./state-opcodes.ts";

type HostOpcode = (run: Execution, opcode: number) => FrameFailure | undefined;

/** Opcodes that the host executes, by kind in the opcode table. */
const HOST_OPCODES: Readonly<Record<HostKind, HostOpcode>> = {
  account: (run, opcode) => hostAccount(run, opcode as Parameters<typeof hostAccount>[1]),
  blobHash: hostBlobHash,
  blockHash: hostBlockHash,
  call: (run, opcode) => hostCall(run, opcode as Parameters<typeof hostCall>[1]),
  create: (run, opcode) => hostCreate(run, opcode as Parameters<typeof hostCreate>[1]),
  extCodeCopy: hostExtCodeCopy,
  // The interpreter has charged these two before leaving.
  log: (run, opcode) => {
    if (run.tracer) traceStep(run);
    return hostLog(run, opcode - Op.log0);
  },
  returnDataCopy: (run) => {
    if (run.tracer) traceStep(run);
    return hostReturnDataCopy(run);
  },
  selfBalance: hostSelfBalance,
  selfdestruct: hostSelfdestruct,
  sload: hostSload,
  sstore: hostSstore,
  tload: hostTload,
  tstore: hostTstore,
};

/** Executes the opcode for which the interpreter has left. @returns the failure of the frame, if any */
export function executeOnHost(run: Execution, opcode: number): FrameFailure | undefined {
  const row = run.rules.opcodes[opcode];
  return HOST_OPCODES[row?.kind as HostKind](run, opcode);
}
