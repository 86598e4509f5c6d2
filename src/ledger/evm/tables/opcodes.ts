/** Groups of opcodes that the host executes, each by one function. */
export type HostKind =
  | "account"
  | "blobHash"
  | "blockHash"
  | "call"
  | "create"
  | "extCodeCopy"
  | "log"
  | "returnDataCopy"
  | "selfBalance"
  | "selfdestruct"
  | "sload"
  | "sstore"
  | "tload"
  | "tstore";

/**
 * Where an opcode is executed: in the interpreter (`inline`, or `memoryWrite` if it writes memory); there, but ending a basic block,
 * because it jumps or ends the frame (`boundary`) or shows the exact gas (`gas`); or by the host. Every kind but the first two ends
 * a basic block.
 */
export type OpcodeKind = "inline" | "memoryWrite" | "boundary" | "gas" | HostKind;

/** Where an opcode writes memory, or loads a word from it: stack depths of its operands, 0 = top. */
export interface MemoryOperands {
  readonly offset: number;
  /** Depth of the size, or a fixed number of bytes. */
  readonly size: number | { readonly bytes: number };
  /** Whether it only loads. */
  readonly isLoad?: boolean;
}

/** Static properties of an opcode under a rule set. */
export interface Opcode {
  /** As in traces of the reference node. */
  readonly name: string;
  readonly pops: number;
  readonly pushes: number;
  /** Static gas, charged before anything else. */
  readonly gas: number;
  readonly computation: number;
  readonly kind: OpcodeKind;
  /** Of opcodes that write memory or load a word; those that hash, log or pass on a range have none. */
  readonly memory?: MemoryOperands | undefined;
}

/** Opcodes by number; undefined = invalid. */
export type OpcodeTable = readonly (Opcode | undefined)[];

/** An opcode in hex: `0x5f`. */
type OpcodeKey = `0x${string}`;

/** Changes of a fork to the table before it: opcode → gas and computation cost, or a whole row for a new opcode. */
export type OpcodeChanges = Readonly<Record<OpcodeKey, Partial<Opcode>>>;

type Row = readonly [
  opcode: number,
  name: string,
  pops: number,
  pushes: number,
  gas: number,
  computation: number,
  kind?: OpcodeKind,
  memory?: MemoryOperands,
];

/** Opcodes at genesis (Constantinople's instruction set). @see params/computation_cost_params of the reference node */
const FIRST: readonly Row[] = [
  [0x00, "STOP", 0, 0, 0, 0, "boundary"],
  [0x01, "ADD", 2, 1, 3, 150],
  [0x02, "MUL", 2, 1, 5, 200],
  [0x03, "SUB", 2, 1, 3, 219],
  [0x04, "DIV", 2, 1, 5, 404],
  [0x05, "SDIV", 2, 1, 5, 739],
  [0x06, "MOD", 2, 1, 5, 812],
  [0x07, "SMOD", 2, 1, 5, 560],
  [0x08, "ADDMOD", 3, 1, 8, 3349],
  [0x09, "MULMOD", 3, 1, 8, 4757],
  [0x0a, "EXP", 2, 1, 0, 5000],
  [0x0b, "SIGNEXTEND", 2, 1, 5, 481],
  [0x10, "LT", 2, 1, 3, 201],
  [0x11, "GT", 2, 1, 3, 264],
  [0x12, "SLT", 2, 1, 3, 176],
  [0x13, "SGT", 2, 1, 3, 222],
  [0x14, "EQ", 2, 1, 3, 220],
  [0x15, "ISZERO", 1, 1, 3, 165],
  [0x16, "AND", 2, 1, 3, 288],
  [0x17, "OR", 2, 1, 3, 160],
  [0x18, "XOR", 2, 1, 3, 657],
  [0x19, "NOT", 1, 1, 3, 1289],
  [0x1a, "BYTE", 2, 1, 3, 589],
  [0x1b, "SHL", 2, 1, 3, 1603],
  [0x1c, "SHR", 2, 1, 3, 1346],
  [0x1d, "SAR", 2, 1, 3, 1815],
  [0x20, "SHA3", 2, 1, 30, 2465],
  [0x30, "ADDRESS", 0, 1, 2, 284],
  [0x31, "BALANCE", 1, 1, 400, 1407, "account"],
  [0x32, "ORIGIN", 0, 1, 2, 210],
  [0x33, "CALLER", 0, 1, 2, 188],
  [0x34, "CALLVALUE", 0, 1, 2, 149],
  [0x35, "CALLDATALOAD", 1, 1, 3, 596],
  [0x36, "CALLDATASIZE", 0, 1, 2, 194],
  [0x37, "CALLDATACOPY", 3, 0, 3, 100, "memoryWrite", { offset: 0, size: 2 }],
  [0x38, "CODESIZE", 0, 1, 2, 145],
  [0x39, "CODECOPY", 3, 0, 3, 898, "memoryWrite", { offset: 0, size: 2 }],
  [0x3a, "GASPRICE", 0, 1, 2, 131],
  [0x3b, "EXTCODESIZE", 1, 1, 700, 1481, "account"],
  [0x3c, "EXTCODECOPY", 4, 0, 700, 1000, "extCodeCopy", { offset: 1, size: 3 }],
  [0x3d, "RETURNDATASIZE", 0, 1, 2, 10],
  [0x3e, "RETURNDATACOPY", 3, 0, 3, 40, "returnDataCopy", { offset: 0, size: 2 }],
  [0x3f, "EXTCODEHASH", 1, 1, 400, 1000, "account"],
  [0x40, "BLOCKHASH", 1, 1, 20, 500, "blockHash"],
  [0x41, "COINBASE", 0, 1, 2, 189],
  [0x42, "TIMESTAMP", 0, 1, 2, 265],
  [0x43, "NUMBER", 0, 1, 2, 202],
  [0x44, "DIFFICULTY", 0, 1, 2, 180],
  [0x45, "GASLIMIT", 0, 1, 2, 166],
  [0x50, "POP", 1, 0, 2, 140],
  [0x51, "MLOAD", 1, 1, 3, 376, "inline", { offset: 0, size: { bytes: 32 }, isLoad: true }],
  [0x52, "MSTORE", 2, 0, 3, 288, "memoryWrite", { offset: 0, size: { bytes: 32 } }],
  [0x53, "MSTORE8", 2, 0, 3, 5142, "memoryWrite", { offset: 0, size: { bytes: 1 } }],
  [0x54, "SLOAD", 1, 1, 200, 835, "sload"],
  [0x55, "SSTORE", 2, 0, 0, 1548, "sstore"],
  [0x56, "JUMP", 1, 0, 8, 253, "boundary"],
  [0x57, "JUMPI", 2, 0, 10, 176, "boundary"],
  [0x58, "PC", 0, 1, 2, 147],
  [0x59, "MSIZE", 0, 1, 2, 137],
  [0x5a, "GAS", 0, 1, 2, 230, "gas"],
  [0x5b, "JUMPDEST", 0, 0, 1, 10],
  [0xf0, "CREATE", 3, 1, 32000, 2094, "create"],
  [0xf1, "CALL", 7, 1, 700, 5000, "call", { offset: 5, size: 6 }],
  [0xf2, "CALLCODE", 7, 1, 700, 4000, "call", { offset: 5, size: 6 }],
  [0xf3, "RETURN", 2, 0, 0, 0, "boundary"],
  [0xf4, "DELEGATECALL", 6, 1, 700, 696, "call", { offset: 4, size: 5 }],
  [0xf5, "CREATE2", 4, 1, 32000, 10000, "create"],
  [0xfa, "STATICCALL", 6, 1, 700, 10000, "call", { offset: 4, size: 5 }],
  [0xfd, "REVERT", 2, 0, 0, 0, "boundary"],
  [0xff, "SELFDESTRUCT", 1, 0, 0, 0, "selfdestruct"],
];

const PUSH_COMPUTATION = 120;
const DUP_COMPUTATION = [190, 190, 176, 142, 177, 165, 147, 157, 138, 174, 141, 144, 157, 143, 237, 149];
const SWAP_COMPUTATION = [141, 156, 145, 135, 115, 146, 199, 130, 160, 134, 147, 128, 121, 114, 197, 128];
const LOG_COMPUTATION = [100, 1000, 1000, 1000, 1000];

/** The opcode table at genesis. */
export function firstOpcodes(): OpcodeTable {
  const table: (Opcode | undefined)[] = new Array(256).fill(undefined);
  for (const [opcode, name, pops, pushes, gas, computation, kind = "inline", memory] of FIRST) {
    table[opcode] = { name, pops, pushes, gas, computation, kind, memory };
  }
  for (let n = 1; n <= 32; n++) {
    table[0x5f + n] = {
      name: `PUSH${n}`,
      pops: 0,
      pushes: 1,
      gas: 3,
      computation: PUSH_COMPUTATION,
      kind: "inline",
    };
  }
  DUP_COMPUTATION.forEach((computation, i) => {
    table[0x80 + i] = {
      name: `DUP${i + 1}`,
      pops: i + 1,
      pushes: i + 2,
      gas: 3,
      computation,
      kind: "inline",
    };
  });
  SWAP_COMPUTATION.forEach((computation, i) => {
    table[0x90 + i] = {
      name: `SWAP${i + 1}`,
      pops: i + 2,
      pushes: i + 2,
      gas: 3,
      computation,
      kind: "inline",
    };
  });
  LOG_COMPUTATION.forEach((computation, i) => {
    table[0xa0 + i] = { name: `LOG${i}`, pops: i + 2, pushes: 0, gas: 0, computation, kind: "log" };
  });
  return table;
}

/** Whether an opcode may write memory inside the interpreter. RETURNDATACOPY does, unless its data is so long that only the host has it. */
export function writesMemory(row: Opcode | undefined): boolean {
  return row?.kind === "memoryWrite" || row?.kind === "returnDataCopy";
}

/** Whether an opcode reads the remaining gas or passes gas on. */
export function readsGas(row: Opcode | undefined): boolean {
  return row?.kind === "gas" || row?.kind === "call" || row?.kind === "create";
}

/** Applies the changes of a fork to a table. @throws RangeError when a new opcode lacks a field */
export function changedOpcodes(table: OpcodeTable, changes: OpcodeChanges): OpcodeTable {
  const next = table.slice();
  for (const [opcode, change] of Object.entries(changes)) {
    const old = table[Number(opcode)];
    const { name, pops, pushes, gas, computation, kind = "inline", memory } = { ...old, ...change };
    if (name === undefined || pops === undefined || pushes === undefined)
      throw new RangeError("no such opcode");
    if (gas === undefined || computation === undefined) throw new RangeError(`${name} has no cost`);
    next[Number(opcode)] = { name, pops, pushes, gas, computation, kind, memory };
  }
  return next;
}

/** Opcodes of later forks, or of none, whose names the reference node always knows. */
const OTHER_NAMES: Readonly<Record<OpcodeKey, string>> = {
  "0x1e": "CLZ",
  "0x46": "CHAINID",
  "0x47": "SELFBALANCE",
  "0x48": "BASEFEE",
  "0x49": "BLOBHASH",
  "0x4a": "BLOBBASEFEE",
  "0x5e": "MCOPY",
  "0x5f": "PUSH0",
  "0xb0": "PUSH",
  "0xb1": "DUP",
  "0xb2": "SWAP",
};

/** Name of an opcode in traces, whether or not it is in the table. */
export function opcodeName(table: OpcodeTable, opcode: number): string {
  return table[opcode]?.name ?? OTHER_NAMES[hexOf(opcode)] ?? `Missing opcode ${hexOf(opcode)}`;
}

function hexOf(opcode: number): OpcodeKey {
  return `0x${opcode.toString(16)}`;
}
