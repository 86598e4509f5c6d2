/**
 * The linear memory that the interpreter (WebAssembly) and its driver (TypeScript) share, as plain numbers that both
 * languages read. Code that the compiler made of bytecode works on the same frames and leaves by the same exits.
 *
 * | from | what |
 * | --- | --- |
 * | 0x0300 | computation cost left, scratch words, keccak state |
 * | 0x1000 | opcode tables, 4 KiB each, one per rule set |
 * | 0x10000 | static data of the module |
 * | 0x20000 | frame records |
 * | 0x62000 | words that are constant in a transaction, indexed by opcode & 31 |
 * | 0x64000 | hashes of the last inputs of 64 bytes |
 * | 0x100000 | code arena: code, jump bitmap, block table |
 * | 0x1900000 | stacks, each right after the caller's |
 * | 0x3a00000 | return data up to 1 MiB |
 * | 0x3b00000 | input of the run, then the memories of the frames, each right after the caller's; grows |
 *
 * Regions are reserved, not touched: a page costs memory once it is written.
 */

/** i64: computation cost that the transaction may still use; negative once the limit is passed. */
export const COMPUTATION_LEFT = 0x300;
export const TABLES = 0x1000;
export const TABLE_SIZE = 0x1000;
export const TABLES_END = 0x10000;
export const FRAMES = 0x20000;
export const CONSTANTS = 0x62000;
export const KEPT_HASHES = 0x64000;
export const CODE_ARENA = 0x100000;
export const STACKS = 0x1900000;
export const RETURN_DATA = 0x3a00000;
export const RETURN_DATA_SIZE = 0x100000;
export const MEMORIES = 0x3b00000;

/** Why the interpreter left. Up to `EXIT_COMPUTATION` the frame has ended, from `EXIT_HOST` on it goes on. */
export const EXIT_STOP = 0;
export const EXIT_RETURN = 1;
export const EXIT_REVERT = 2;
export const EXIT_OUT_OF_GAS = 3;
export const EXIT_UNDERFLOW = 4;
export const EXIT_OVERFLOW = 5;
export const EXIT_BAD_JUMP = 6;
export const EXIT_WRITE_PROTECTION = 7;
export const EXIT_RETURN_DATA_BOUNDS = 8;
export const EXIT_INVALID_OPCODE = 9;
/** A memory offset or length beyond 64 bits. */
export const EXIT_GAS_OVERFLOW = 10;
export const EXIT_COMPUTATION = 11;
/** The opcode at pc needs the driver; its static gas and computation cost are charged, its memory is measured. */
export const EXIT_HOST = 16;
/** At a taken jump, after a quantum of gas: time for deadlines and for optimised code to take over. */
export const EXIT_YIELD = 17;
/** The requested number of steps is done. */
export const EXIT_STEP = 18;
/** The fast loop or compiled code cannot tell what comes next; the exact loop goes on from the same pc. */
export const EXIT_FALLBACK = 19;
/** Within compiled code, plus the number of a basic block: the block lies in another part, which goes on there. */
export const EXIT_PART = 32;

/** Frame record. */
export const FRAME_SIZE = 256;
export const FRAME_PC = 0;
/** Next free byte of the stack; words are 32 bytes, four little-endian 64-bit limbs. */
export const FRAME_SP = 4;
/** i64 */
export const FRAME_GAS = 8;
export const FRAME_STACK = 16;
export const FRAME_MEMORY = 20;
export const FRAME_MEMORY_SIZE = 24;
export const FRAME_CODE = 28;
export const FRAME_CODE_SIZE = 32;
export const FRAME_JUMPS = 36;
/** Block table, or 0: the code must run in the exact loop. */
export const FRAME_BLOCKS = 40;
export const FRAME_TABLE = 44;
export const FRAME_INPUT = 48;
export const FRAME_INPUT_SIZE = 52;
export const FRAME_RETURN_DATA = 56;
export const FRAME_RETURN_DATA_SIZE = 60;
/** Output of RETURN or REVERT; for a call in progress, where its caller expects the output. */
export const FRAME_OUTPUT = 64;
export const FRAME_OUTPUT_SIZE = 68;
export const FRAME_FLAGS = 72;
/** u32: size of memory once the opcode under way has been paid. */
export const FRAME_NEW_MEMORY_SIZE = 76;
/** i64: gas of the opcode under way that depends on its operands, as far as the interpreter knows it. */
export const FRAME_COST = 80;
/** i64: gas that a call gives to its callee, without stipend. */
export const FRAME_CALL_GAS = 88;
/** Memory region of the opcode under way; a call's input. */
export const FRAME_REGION = 96;
export const FRAME_REGION_SIZE = 100;
/** Place of the compiled code in the function table, or 0: the interpreter runs the code. */
export const FRAME_PROGRAM = 104;
export const FRAME_ADDRESS = 128;
export const FRAME_CALLER = 160;
export const FRAME_VALUE = 192;

/** Bit of `FRAME_FLAGS`: the frame is below a STATICCALL. */
export const FLAG_STATIC = 1;

/** Opcode table entry, 16 bytes. */
export const OP_GAS = 0;
export const OP_POPS = 4;
export const OP_PUSHES = 6;
/** Bits `OP_VALID`, `OP_ENDS`, `OP_HOST`; from bit 8 on: gas per unit (EXP: per byte of the exponent). */
export const OP_FLAGS = 8;
export const OP_COMPUTATION = 12;
export const OP_VALID = 1;
/** The opcode ends a basic block: what follows may depend on the exact gas, or control goes elsewhere. */
export const OP_ENDS = 2;
/** The interpreter measures the memory of the opcode, charges it and leaves it to the host. */
export const OP_HOST = 4;

/** Entry of a basic block, 16 bytes, found through a 16-bit index per code byte. */
export const BLOCK_SIZE = 16;
export const BLOCK_GAS = 0;
export const BLOCK_NEEDS = 4;
export const BLOCK_GROWTH = 6;
export const BLOCK_COMPUTATION = 8;
/** Longest code that has a block table. */
export const MAX_BLOCK_CODE = 65534;
/** `BLOCK_NEEDS` of a block with an invalid opcode: never satisfied, so the exact loop runs it. */
export const NEEDS_EXACT = 0xffff;
