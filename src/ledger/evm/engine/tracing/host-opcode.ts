import { type Address, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import type { HostOpcodeView } from "../../evm.ts";
import { readBigint } from "../words.ts";

/** The opcode that leaves the interpreter; the object is reused. */
export class HostOpcode implements HostOpcodeView {
  op = 0;
  address: Address = ZERO_ADDRESS;
  limbs: Uint32Array = new Uint32Array(0);
  bytes: Uint8Array = new Uint8Array(0);
  /** Byte addresses of the start and end of the stack. */
  stackAt = 0;
  stackEnd = 0;
  memoryAt = 0;
  memorySize = 0;

  wordIndex(depth: number): number {
    const index = this.stackEnd - 32 * (depth + 1);
    return index < this.stackAt ? -1 : index >>> 2;
  }

  word(depth: number): bigint | undefined {
    const index = this.wordIndex(depth);
    return index < 0 ? undefined : readBigint(this.limbs, index);
  }

  get memory(): Uint8Array {
    return this.bytes.subarray(this.memoryAt, this.memoryAt + this.memorySize);
  }
}
