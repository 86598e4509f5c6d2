/**
 * The linear memory that the interpreter (WebAssembly) and its driver (TypeScript) share, as plain numbers that both
 * languages read. Code that the compiler made of bytecode works on the same frames and leaves by the same exits.
 *
 * | from | what |
 * | --- | --- |
 * | 0x0300 | computation cost left, where what a run keeps stands, scratch words, keccak state |
 * | 0x1000 | opcode tables, 4 KiB each, one per rule set |
 * | 0x10000 | static data of the module |
 * | 0x20000 | frame records |
 * | 0x62000 | words that are constant in a transaction, indexed by opcode & 31 |
 * | 0x98000 | accounts that a run may call without the host, and their index |
 * | 0xa0000 | index of the slots of a run |
 * | 0x100000 | hashes of the last inputs of 64 bytes |
 * | 0x180000 | code arena: code, jump bitmap, block table |
 * | 0x1900000 | stacks, each right after the caller's |
 * | 0x3a00000 | return data up to 1 MiB |
 * | 0x3b00000 | slots of a run, 4 MiB, then how to undo what was done to them, 16 MiB |
 * | 0x4f00000 | logs of a run, 4 MiB |
 * | 0x5300000 | input of the run, then the memories of the frames, each right after the caller's; grows |
 *
 * Regions are reserved, not touched: a page costs memory once it is written.
 */

/** i64: computation cost that the transaction may still use; negative once the limit is passed. */
export const COMPUTATION_LEFT = 0x300;
/** u32: record of the running frame, for `drive`. */
export const RUNNING = 0x308;
/** u32: whether the run keeps its slots, logs and callees in linear memory; else the host has them. */
export const RUN_KEEPS = 0x30c;
/** i64: refund that the run has earned. */
export const REFUND = 0x310;
/** u32: how many slots there are; first free byte of the undo log. */
export const SLOT_COUNT = 0x318;
export const UNDO_TOP = 0x31c;
/** u32: number of the innermost scope; every scope and every reversal has a new one. */
export const SCOPE = 0x320;
/** u32: first free byte of the logs; bytes of earlier ones that the host has taken. */
export const LOG_TOP = 0x324;
export const LOGS_TAKEN = 0x328;
/** u32 */
export const ACCOUNT_COUNT = 0x32c;
/** i64, odd: drawn for each machine, so that nobody can choose keys that fall on one place. */
export const SEED = 0x330;
/** Seven u32, an i32: the rules for storage. */
export const STORAGE_RULES = 0x340;
export const RULE_COLD = 0;
export const RULE_WARM = 4;
export const RULE_NET = 8;
export const RULE_TOUCH = 12;
export const RULE_SET = 16;
export const RULE_RESET = 20;
export const RULE_CLEAR = 24;
export const RULE_SENTRY = 28;
export const TABLES = 0x1000;
export const TABLE_SIZE = 0x1000;
export const TABLES_END = 0x10000;
export const FRAMES = 0x20000;
export const CONSTANTS = 0x62000;
export const ACCOUNTS = 0x98000;
export const MAX_ACCOUNTS = 512;
export const ACCOUNT_INDEX = 0x9c000;
/** A power of two. */
export const ACCOUNT_PLACES = 1024;
export const SLOT_INDEX = 0xa0000;
export const SLOT_PLACE_BITS = 16;
export const KEPT_HASHES = 0x100000;
export const CODE_ARENA = 0x180000;
export const STACKS = 0x1900000;
export const RETURN_DATA = 0x3a00000;
export const RETURN_DATA_SIZE = 0x100000;
export const SLOTS = 0x3b00000;
export const MAX_SLOTS = 32768;
export const UNDO = 0x3f00000;
export const UNDO_END = 0x4f00000;
export const LOGS = 0x4f00000;
export const LOGS_END = 0x5300000;
export const MEMORIES = 0x5300000;

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
/** Owner of the slots that the code acts on, as the journal numbers it. */
export const FRAME_OWNER = 108;
/** Where undo log and logs stood when the frame began. */
export const FRAME_UNDO = 112;
export const FRAME_LOGS = 116;
/** i64 */
export const FRAME_REFUND = 120;
export const FRAME_ADDRESS = 128;
export const FRAME_CALLER = 160;
export const FRAME_VALUE = 192;
/** How many callable accounts there were when the frame began. */
export const FRAME_ACCOUNTS = 224;
/** Of a frame that `drive` opened: the entry of the account called, and the opcode. */
export const FRAME_CALLEE = 228;
export const FRAME_KIND = 232;

/** Bit of `FRAME_FLAGS`: the frame is below a STATICCALL. */
export const FLAG_STATIC = 1;
/** Bit of `FRAME_FLAGS`: the host knows of the frame, and ends it. */
export const FLAG_HOST = 2;

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

/** Where a code lies, 32 bytes in front of it. */
export const CODE_START = 0;
export const CODE_SIZE = 4;
export const CODE_JUMPS = 8;
export const CODE_BLOCKS = 12;
/** Place of its compiled form in the function table, or 0. */
export const CODE_PROGRAM = 16;
/** Runs until it is compiled; `NEVER_HOT`: it is not, or was asked for. */
export const CODE_HEAT = 20;
export const CODE_RECORD_SIZE = 32;
export const NEVER_HOT = 0xffffffff;

/** A slot that a run has touched. */
export const SLOT_SIZE = 128;
export const SLOT_KEY = 0;
export const SLOT_NOW = 32;
/** At the start of the transaction. */
export const SLOT_ORIGINAL = 64;
export const SLOT_OWNER = 96;
/** Address of its place in the index. */
export const SLOT_PLACE = 100;
export const SLOT_FLAGS = 104;
/** Scope in which it was last put into the undo log: later changes need no entry. */
export const SLOT_SCOPE = 108;
/** Its number in the journal. */
export const SLOT_NUMBER = 112;
/** Bits of `SLOT_FLAGS`. */
export const SLOT_WARM = 1;
export const SLOT_WRITTEN = 2;

/** Entry of the undo log: a word, the address of its slot and the flags that it had. */
export const UNDO_SIZE = 40;
export const UNDO_SLOT = 32;
export const UNDO_FLAGS = 36;

/** An account with code that is warm and no delegation; its address as 160 bits at 0. */
export const ACCOUNT_SIZE = 32;
export const ACCOUNT_PLACE = 20;
export const ACCOUNT_OWNER = 24;
/** Record of its code. */
export const ACCOUNT_CODE = 28;

/** A log: its size in all, topics, bytes of data; from 32 on address and topics as words, then the data, padded to 8 bytes. */
export const LOG_TOPICS = 4;
export const LOG_DATA_SIZE = 8;
export const LOG_WORDS = 32;
