// Tiny EVM assembler and the benchmark contracts.
const OP = {
  STOP: 0,
  ADD: 1,
  MUL: 2,
  SUB: 3,
  DIV: 4,
  SDIV: 5,
  MOD: 6,
  ADDMOD: 8,
  MULMOD: 9,
  EXP: 10,
  LT: 0x10,
  GT: 0x11,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  SHL: 0x1b,
  SHR: 0x1c,
  KECCAK256: 0x20,
  CALLDATALOAD: 0x35,
  CODECOPY: 0x39,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  LOG1: 0xa1,
  LOG2: 0xa2,
  CALL: 0xf1,
  RETURN: 0xf3,
};
for (let i = 1; i <= 16; i++) {
  OP[`DUP${i}`] = 0x7f + i;
  OP[`SWAP${i}`] = 0x8f + i;
}
export function asm(src) {
  const toks = src.replace(/;.*/g, "").split(/\s+/).filter(Boolean);
  const out = [],
    labels = {},
    fix = [];
  for (const t of toks) {
    if (t.endsWith(":")) {
      labels[t.slice(0, -1)] = out.length;
      out.push(0x5b);
    } else if (t.startsWith("@")) {
      fix.push([out.length + 1, t.slice(1)]);
      out.push(0x61, 0, 0);
    } else if (/^(0x[0-9a-f]+|\d+)$/i.test(t)) {
      let h = BigInt(t).toString(16);
      if (h.length & 1) h = `0${h}`;
      const b = Buffer.from(h, "hex");
      out.push(0x5f + b.length, ...b);
    } else if (t in OP) out.push(OP[t]);
    else throw new Error(`op ${t}`);
  }
  for (const [p, l] of fix) {
    if (!(l in labels)) throw new Error(`label ${l}`);
    out[p] = labels[l] >> 8;
    out[p + 1] = labels[l] & 255;
  }
  return Buffer.from(out).toString("hex");
}
export const initCode = (runtime) => {
  // deploys exactly `runtime` (hex)
  const n = (runtime.length / 2).toString(16).padStart(4, "0");
  return `0x61${n}80600a3d393df3${runtime}`;
};
// Each loop contract: calldata word 0 = iterations. Returns (gas burnt by the loop, accumulator).
const loop = (prologue, body) =>
  asm(`
  GAS                         ; g0
  ${prologue}                 ; leaves acc
  0 CALLDATALOAD              ; g0 acc n
  top:
  DUP1 ISZERO @end JUMPI
  1 SWAP1 SUB                 ; g0 acc n-1
  SWAP1                       ; g0 n acc
  ${body}                     ; g0 n acc'
  SWAP1 @top JUMP
  end:
  POP                         ; g0 acc
  32 MSTORE                   ; mem[32]=acc
  GAS SWAP1 SUB 0 MSTORE
  64 0 RETURN`);
/**
 * A loop that calls a contract, its accumulator the number of calls that succeeded.
 * @param target - address, as are the other two in hex: the selector, and the source that fills the input from byte 4 on
 */
export const callingLoop = (target, selector, fill, inputSize) =>
  loop(
    `0x${selector}${"00".repeat(28)} 0 MSTORE 0`,
    `${fill} 32 128 ${inputSize} 0 0 ${target} GAS CALL ADD`,
  );
export const CONTRACTS = {
  // acc = ((acc * K1 + n) ^ (acc >> 7)) with full 256-bit values
  arith: loop(
    "0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95",
    `
    DUP1 0xd1342543de82ef95aef17395061b8a35dc7fc1e7e2f3a1c5b8d3e5f708192a3b MUL DUP3 ADD
    SWAP1 7 SHR XOR`,
  ),
  // division and modular multiplication
  divmod: loop(
    "0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95",
    `
    DUP1 DUP1 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f SWAP2 MULMOD
    SWAP1 0xd1342543de82ef95aef17395061b8a35 SWAP1 DIV ADD`,
  ),
  // small-number loop as compilers emit: i + sum, comparisons, masks
  small: loop(
    "1",
    `
    DUP2 ADD 0xffffffff AND DUP1 3 LT ADD`,
  ),
  keccak: loop("1", "0 MSTORE 64 0 KECCAK256"),
  memory: loop(
    "1",
    `
    DUP2 0x3ff AND 5 SHL        ; g0 n acc off
    DUP1 MLOAD                  ; g0 n acc off v
    DUP3 ADD                    ; g0 n acc off v+acc
    SWAP1 MSTORE                ; g0 n acc
    1 ADD`,
  ),
  // read-modify-write over 1024 slots
  storage: loop(
    "1",
    `
    DUP2 0x3ff AND              ; g0 n acc slot
    DUP1 SLOAD                  ; g0 n acc slot v
    DUP3 ADD                    ; g0 n acc slot v+acc
    SWAP1 SSTORE 1 ADD`,
  ),
  // sends 1 wei to `n` addresses from calldata word 1 upwards: makes accounts
  spray: asm(`
    0 CALLDATALOAD 32 CALLDATALOAD   ; n a
    top: DUP2 ISZERO @end JUMPI
    0 0 0 0 1 DUP6 0 CALL POP        ; n a
    1 ADD SWAP1 1 SWAP1 SUB SWAP1 @top JUMP
    end: STOP`),
  // emits `n` logs with topics 0xfe and n…1, then one with the topic in calldata word 1 if that is not 0
  logs: asm(`
    0 CALLDATALOAD                   ; n
    top: DUP1 ISZERO @end JUMPI
    DUP1 0xfe 0 0 LOG2               ; n
    1 SWAP1 SUB @top JUMP
    end: 32 CALLDATALOAD DUP1 ISZERO @stop JUMPI
    0 0 LOG1
    stop: STOP`),
};
export const word = (v) => BigInt(v).toString(16).padStart(64, "0");
