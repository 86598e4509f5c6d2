import { type Address, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import type { StepView } from "../../evm.ts";
import type { MemoryOperands } from "../../tables/opcodes.ts";

/** The current step; the object is reused. */
export class MachineStep implements StepView {
  pc = 0;
  op = 0;
  opName = "";
  gas = 0;
  computation = 0;
  depth = 0;
  address: Address = ZERO_ADDRESS;
  bytes: Uint8Array = new Uint8Array(0);
  stackAt = 0;
  height = 0;
  pops = 0;
  memoryOperands: MemoryOperands | undefined = undefined;
  memoryAt = 0;
  memorySize = 0;
  /** Whether its cost was reported to the watcher. */
  isReported = true;
  /** Cost of the last charged step of each open frame, by depth: gas, computation. */
  readonly lastCosts: number[] = [];
}
