/**
 * Keccak-f[1600] as a WebAssembly module, put together here instruction by instruction: the 25 lanes live in local
 * variables, one round is unrolled, a loop runs it 24 times. 64-bit lanes are native in WebAssembly and two halves in
 * JavaScript, which makes this an order of magnitude faster than any portable library (bench/crypto.bench.ts).
 * @see FIPS 202, section 3.2
 */

import {
  get,
  I32,
  I64,
  i32,
  i64,
  leb,
  load,
  MODULE_HEADER,
  op,
  section,
  set,
  store,
  text,
  VOID,
  vector,
} from "../wasm/code.ts";

/** Bytes of message that one permutation takes in (Keccak with a capacity of 512 bits). */
export const RATE = 136;
/** Where the state's 200 bytes lie in the module's memory. */
export const STATE_OFFSET = 0;
/** Where the message begins. */
export const INPUT_OFFSET = 1024;
/** Size of the module's memory. */
export const MEMORY_BYTES = 2 * 65_536;
const CONSTANTS_OFFSET = 512;

/** Locals: three i32 (the two parameters first), then the lanes and temporaries as i64. */
const END = 0;
const RESUME = 1;
const ROUND = 2;
const BLOCK = 3;
const FIRST_LANE = 4;
const LANES = 25;
const a = (lane: number): number => FIRST_LANE + lane;
const b = (lane: number): number => FIRST_LANE + LANES + lane;
const c = (column: number): number => FIRST_LANE + 2 * LANES + column;
const d = (column: number): number => FIRST_LANE + 2 * LANES + 5 + column;

const rotate = (bits: number): number[] => (bits === 0 ? [] : [...i64(BigInt(bits)), op.i64RotateLeft]);

/**
 * The module's bytes. It exports its `memory` and `absorb(end, resume)`: takes in the blocks from `INPUT_OFFSET` to
 * `end` (a multiple of `RATE` later) and writes the state; starts from zero unless `resume` is 1.
 */
export function keccakModule(): Uint8Array {
  const locals = [...leb(2), 2, I32, ...leb(2 * LANES + 10), I64];
  const body = [...locals, ...absorb(), op.end];
  return Uint8Array.from([
    ...MODULE_HEADER,
    ...section(1, [1, 0x60, 2, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, MEMORY_BYTES / 65_536]),
    ...section(7, [2, ...text("memory"), 2, 0, ...text("absorb"), 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
    ...section(11, [1, 0, ...i32(CONSTANTS_OFFSET), op.end, ...vector(roundConstants())]),
  ]);
}

function absorb(): number[] {
  const lanes = [...Array(LANES).keys()];
  return [
    ...[...get(RESUME), op.if, VOID],
    ...lanes.flatMap((lane) => [...i32(STATE_OFFSET), ...load(lane * 8), ...set(a(lane))]),
    op.end,
    ...[...i32(INPUT_OFFSET), ...set(BLOCK)],
    ...[op.loop, VOID],
    ...lanes
      .slice(0, RATE / 8)
      .flatMap((lane) => [
        ...get(a(lane)),
        ...[...get(BLOCK), ...load(lane * 8)],
        ...[op.i64Xor, ...set(a(lane))],
      ]),
    ...permute(),
    ...[...get(BLOCK), ...i32(RATE), op.i32Add, op.localTee, BLOCK],
    ...[...get(END), op.i32LessUnsigned, op.branchIf, 0],
    op.end,
    ...lanes.flatMap((lane) => [...i32(STATE_OFFSET), ...get(a(lane)), ...store(lane * 8)]),
  ];
}

function permute(): number[] {
  return [
    ...[...i32(0), ...set(ROUND)],
    ...[op.loop, VOID],
    ...theta(),
    ...rhoAndPi(),
    ...chiAndIota(),
    ...[...get(ROUND), ...i32(8), op.i32Add, op.localTee, ROUND],
    ...[...i32(24 * 8), op.i32LessUnsigned, op.branchIf, 0],
    op.end,
  ];
}

function theta(): number[] {
  const columns = [0, 1, 2, 3, 4];
  const parity = columns.flatMap((x) => [
    ...get(a(x)),
    ...[5, 10, 15, 20].flatMap((row) => [...get(a(x + row)), op.i64Xor]),
    ...set(c(x)),
  ]);
  const mix = columns.flatMap((x) => [
    ...get(c((x + 4) % 5)),
    ...[...get(c((x + 1) % 5)), ...rotate(1)],
    ...[op.i64Xor, ...set(d(x))],
  ]);
  return [...parity, ...mix];
}

function rhoAndPi(): number[] {
  const code: number[] = [...get(a(0)), ...get(d(0)), op.i64Xor, ...set(b(0))];
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    const [nextX, nextY] = [y, (2 * x + 3 * y) % 5];
    const rotation = (((t + 1) * (t + 2)) / 2) % 64;
    code.push(
      ...get(a(x + 5 * y)),
      ...get(d(x)),
      op.i64Xor,
      ...rotate(rotation),
      ...set(b(nextX + 5 * nextY)),
    );
    [x, y] = [nextX, nextY];
  }
  return code;
}

function chiAndIota(): number[] {
  const code: number[] = [];
  for (let lane = 0; lane < LANES; lane++) {
    const row = lane - (lane % 5);
    const next = b(row + ((lane + 1) % 5));
    const afterNext = b(row + ((lane + 2) % 5));
    code.push(...get(b(lane)), ...get(next), ...i64(-1n), op.i64Xor);
    code.push(...get(afterNext), op.i64And, op.i64Xor);
    if (lane === 0) code.push(...get(ROUND), ...load(CONSTANTS_OFFSET), op.i64Xor);
    code.push(...set(a(lane)));
  }
  return code;
}

/** The 24 round constants, little-endian, from the linear feedback shift register of the standard. */
function roundConstants(): number[] {
  const view = new DataView(new ArrayBuffer(24 * 8));
  let register = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    view.setBigUint64(round * 8, constant, true);
  }
  return [...new Uint8Array(view.buffer)];
}
