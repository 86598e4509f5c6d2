/**
 * Keccak-f[1600] as a WebAssembly module, assembled here instruction by instruction. 64-bit lanes are native in WebAssembly and
 * two halves in JavaScript, which makes this an order of magnitude faster than any portable library (bench/crypto.bench.ts). The
 * 25 lanes do not fit registers: a round reads them from one place in memory, writes them to another, and sums up the columns on the
 * way; two rounds are written out, there and back. Six lanes are kept complemented, which leaves five of the 25 negations.
 * @see FIPS 202, section 3.2; Keccak implementation overview, section 2.2
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
import { INPUT_OFFSET, MEMORY_BYTES, RATE, STATE_OFFSET } from "./keccak-layout.ts";

/** Address of the lanes between the two rounds. */
const BETWEEN_OFFSET = 256;
const CONSTANTS_OFFSET = 512;
const ROUNDS = 24;
const LANES = [...Array(25).keys()];
const COLUMNS = [0, 1, 2, 3, 4];
/** Lanes that are kept complemented. */
const COMPLEMENTED = [1, 2, 8, 12, 17, 20];

/** Locals: four i32 (the two parameters first), then i64: a row before its last step, columns, what is added to them, a lane. */
const END = 0;
const RESUME = 1;
const ROUND = 2;
const BLOCK = 3;
const b = (column: number): number => 4 + column;
const c = (column: number): number => 9 + column;
const d = (column: number): number => 14 + column;
const NEW_LANE = 19;
const I64_LOCALS = 16;

const rotate = (bits: number): number[] => (bits === 0 ? [] : [...i64(BigInt(bits)), op.i64RotateLeft]);
const loadLane = (from: number, lane: number): number[] => [...i32(from), ...load(lane * 8)];
/** A row before its last step, or its complement: `~2`. */
const row = (lane: string): number[] => {
  const column = get(b(Number(lane.at(-1))));
  return lane.startsWith("~") ? [...column, ...i64(-1n), op.i64Xor] : column;
};

/** The last step of a round by rows: each lane is the first of three xor the others joined by `&` or `|`. */
const CHI: readonly (readonly string[])[] = [
  ["0 1 | 2", "1 ~2 | 3", "2 3 & 4", "3 4 | 0", "4 0 & 1"],
  ["0 1 | 2", "1 2 & 3", "2 3 | ~4", "3 4 | 0", "4 0 & 1"],
  ["0 1 | 2", "1 2 & 3", "2 ~3 & 4", "~3 4 | 0", "4 0 & 1"],
  ["0 1 & 2", "1 2 | 3", "2 ~3 | 4", "~3 4 & 0", "4 0 | 1"],
  ["0 ~1 & 2", "~1 2 | 3", "2 3 & 4", "3 4 | 0", "4 0 & 1"],
];

/** Of each lane of a row before its last step: the lane that moves there, and by how much it is rotated. */
const MOVES: readonly (readonly [lane: number, bits: number])[] = moves();

/**
 * The module's bytes. It exports its `memory` and `absorb(end, resume)`: takes in the blocks from `INPUT_OFFSET` to
 * `end` (a multiple of `RATE` later) and writes the state; starts from zero unless `resume` is 1.
 */
export function keccakModule(): Uint8Array {
  const locals = [...leb(2), 2, I32, ...leb(I64_LOCALS), I64];
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
  return [
    ...[...get(RESUME), op.i32Eqz, op.if, VOID],
    ...LANES.flatMap((lane) => [...i32(STATE_OFFSET), ...i64(0n), ...store(lane * 8)]),
    op.end,
    ...complement(),
    ...[...i32(INPUT_OFFSET), ...set(BLOCK)],
    ...[op.loop, VOID],
    ...LANES.slice(0, RATE / 8).flatMap((lane) => [
      ...[...i32(STATE_OFFSET), ...loadLane(STATE_OFFSET, lane)],
      ...[...get(BLOCK), ...load(lane * 8), op.i64Xor, ...store(lane * 8)],
    ]),
    ...permute(),
    ...[...get(BLOCK), ...i32(RATE), op.i32Add, op.localTee, BLOCK],
    ...[...get(END), op.i32LessUnsigned, op.branchIf, 0],
    op.end,
    ...complement(),
  ];
}

function complement(): number[] {
  return COMPLEMENTED.flatMap((lane) => [
    ...[...i32(STATE_OFFSET), ...loadLane(STATE_OFFSET, lane)],
    ...[...i64(-1n), op.i64Xor, ...store(lane * 8)],
  ]);
}

function permute(): number[] {
  const parity = COLUMNS.flatMap((x) => [
    ...loadLane(STATE_OFFSET, x),
    ...[5, 10, 15, 20].flatMap((lanes) => [...loadLane(STATE_OFFSET, x + lanes), op.i64Xor]),
    ...set(c(x)),
  ]);
  return [
    ...parity,
    ...[...i32(0), ...set(ROUND)],
    ...[op.loop, VOID],
    ...round(STATE_OFFSET, BETWEEN_OFFSET, 0),
    ...round(BETWEEN_OFFSET, STATE_OFFSET, 8),
    ...[...get(ROUND), ...i32(16), op.i32Add, op.localTee, ROUND],
    ...[...i32(ROUNDS * 8), op.i32LessUnsigned, op.branchIf, 0],
    op.end,
  ];
}

/** One round, from lanes and their columns to the next ones. @param constant - where its constant lies behind that of `ROUND` */
function round(from: number, to: number, constant: number): number[] {
  const theta = COLUMNS.flatMap((x) => [
    ...get(c((x + 4) % 5)),
    ...[...get(c((x + 1) % 5)), ...rotate(1)],
    ...[op.i64Xor, ...set(d(x))],
  ]);
  const rows = CHI.flatMap((lanes, y) => [
    ...COLUMNS.flatMap((x) => {
      const [lane, bits] = MOVES[x + 5 * y] as (typeof MOVES)[number];
      return [...loadLane(from, lane), ...get(d(lane % 5)), op.i64Xor, ...rotate(bits), ...set(b(x))];
    }),
    ...lanes.flatMap((terms, x) => {
      const iota = x + y === 0 ? [...get(ROUND), ...load(CONSTANTS_OFFSET + constant), op.i64Xor] : [];
      const stored = [...i32(to), ...get(NEW_LANE), ...store((x + 5 * y) * 8)];
      const summed = y === 0 ? get(NEW_LANE) : [...get(c(x)), ...get(NEW_LANE), op.i64Xor];
      return [...chi(terms), ...iota, ...set(NEW_LANE), ...stored, ...summed, ...set(c(x))];
    }),
  ]);
  return [...theta, ...rows];
}

/** Pushes a new lane. @param terms - as in `CHI` */
function chi(terms: string): number[] {
  const [first = "", second = "", operator, third = ""] = terms.split(" ");
  const joined = operator === "|" ? op.i64Or : op.i64And;
  return [...row(first), ...row(second), ...row(third), joined, op.i64Xor];
}

function moves(): [number, number][] {
  const found: [number, number][] = [[0, 0]];
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    const [nextX, nextY] = [y, (2 * x + 3 * y) % 5];
    found[nextX + 5 * nextY] = [x + 5 * y, (((t + 1) * (t + 2)) / 2) % 64];
    [x, y] = [nextX, nextY];
  }
  return found;
}

/** The 24 round constants, little-endian, from the linear feedback shift register of the standard. */
function roundConstants(): number[] {
  const view = new DataView(new ArrayBuffer(ROUNDS * 8));
  let register = 1;
  for (let round = 0; round < ROUNDS; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    view.setBigUint64(round * 8, constant, true);
  }
  return [...new Uint8Array(view.buffer)];
}
