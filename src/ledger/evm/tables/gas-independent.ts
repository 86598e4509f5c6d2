import { Op } from "./op.ts";

/** Instructions by which code learns how much gas is left, or hands a part of it on to others. */
const GAS_READERS: ReadonlySet<number> = new Set([
  Op.gas,
  Op.create,
  Op.call,
  Op.callCode,
  Op.delegateCall,
  Op.create2,
  Op.staticCall,
]);
/** In front of code of another format than the one read here, and of the address that an account delegates to. */
const OTHER_FORMAT = 0xef;

/**
 * Whether code takes the same course with any gas that suffices: it neither reads how much is left nor calls or creates another
 * contract. Whatever could be an instruction counts, also behind a jump that is never taken.
 */
export function isGasIndependent(code: Uint8Array): boolean {
  if (code[0] === OTHER_FORMAT) return false;
  for (let i = 0; i < code.length; i++) {
    const op = code[i] as number;
    if (op >= Op.push1 && op <= Op.push32) i += op - Op.push1 + 1;
    else if (GAS_READERS.has(op)) return false;
  }
  return true;
}
