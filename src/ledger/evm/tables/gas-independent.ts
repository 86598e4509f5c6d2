import { Op } from "./op.ts";
import { type OpcodeTable, readsGas } from "./opcodes.ts";

/** First byte of code in another format (EOF), and of a delegation (EIP-7702). */
const OTHER_FORMAT = 0xef;

/**
 * Whether code behaves the same with any sufficient gas: it neither reads the remaining gas nor calls or creates
 * contracts. Every opcode counts, even in unreachable code.
 */
export function isGasIndependent(code: Uint8Array, opcodes: OpcodeTable): boolean {
  if (code[0] === OTHER_FORMAT) return false;
  for (let i = 0; i < code.length; i++) {
    const op = code[i] as number;
    if (op >= Op.push1 && op <= Op.push32) i += op - Op.push1 + 1;
    else if (readsGas(opcodes[op])) return false;
  }
  return true;
}
