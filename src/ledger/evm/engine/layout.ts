/**
 * Layout of the linear memory shared by the interpreter (WebAssembly) and the host (TypeScript), as plain numbers that both
 * languages can import. Compiled code works on the same frames and returns the same exits.
 *
 * | address | content |
 * | --- | --- |
 * | 0x0300 | computation cost left, counters and pointers of a run, scratch words, keccak state |
 * | 0x1000 | opcode tables, 4 KiB each, one per rule set |
 * | 0x10000 | static data of the module |
 * | 0x20000 | frame records |
 * | 0x62000 | words that are constant in a transaction, indexed by opcode & 31 |
 * | 0x98000 | accounts that may be called without the host, and their index |
 * | 0xa0000 | index of the slots of a run |
 * | 0x100000 | cache of hashes of 64-byte inputs |
 * | 0x180000 | code arena: code, jump bitmap, block table |
 * | 0x1900000 | stacks, each directly after the caller's |
 * | 0x3a00000 | return data up to 1 MiB |
 * | 0x3b00000 | slots of a run, 4 MiB, then their undo log, 16 MiB |
 * | 0x4f00000 | logs of a run, 4 MiB |
 * | 0x5300000 | input of the run, then the memories of the frames, each directly after the caller's; grows |
 *
 * Regions are only reserved: a page takes physical memory once it is written.
 */

/** i64: computation cost left for the transaction; negative once the limit is exceeded. */
export const COMPUTATION_LEFT = 0x300;
/** u32: record of the current frame, for `drive`. */
export const RUNNING = 0x308;
/** u32: whether the run keeps its slots, logs and callees in linear memory; else only the host has them. */
export const CACHE_ENABLED = 0x30c;
/** i64: refund counter of the run. */
export const REFUND = 0x310;
/** u32: number of slots; end of the undo log. */
export const SLOT_COUNT = 0x318;
export const UNDO_TOP = 0x31c;
/** u32: id of the current scope; every opened and every reverted scope increments it. */
export const SCOPE = 0x320;
/** u32: end of the logs; size of earlier ones that the host has moved out. */
export const LOG_TOP = 0x324;
export const LOGS_MOVED = 0x328;
/** u32 */
export const ACCOUNT_COUNT = 0x32c;
/** i64, odd: random hash seed of the machine, so that keys cannot be chosen to collide. */
export const SEED = 0x330;
/** Seven u32 and one i32: the storage rules. */
export const STORAGE_RULES = 0x340;
export const RULE_COLD = 0;
export const RULE_WARM = 4;
export const RULE_NET = 8;
export const RULE_TOUCH = 12;
export const RULE_SET = 16;
export const RULE_RESET = 20;
export const RULE_CLEAR = 24;
export const RULE_SENTRY = 28;
/** A modular exponentiation: 16 words, the powers of the base, of which the second is the base; then modulus, result, piece of the exponent. */
export const POWERS = 0x800;
export const POWER_BASE = 0x820;
export const POWER_MODULUS = 0xa00;
export const POWER_RESULT = 0xa20;
/** u32: number of powers computed; 0 before the first digit of the exponent that is not zero. */
export const POWER_COUNT = 0xa40;
export const POWER_EXPONENT = 0xa80;
export const POWER_EXPONENT_SIZE = 1024;
/** u32: storage id of the account whose code may call MODEXP without the host, or `NO_CALLER`; then the prices for its code. */
export const MODEXP_CALLER = 0xe80;
export const NO_CALLER = 0xffffffff;
export const MODEXP_DIVISOR = 0xe84;
export const MODEXP_MINIMUM = 0xe88;
/** 33 u32: complexity by number of bytes. */
export const MODEXP_COMPLEXITY = 0xe90;
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
export const CACHED_HASHES = 0x100000;
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

/** Why the interpreter has left. Up to `EXIT_COMPUTATION` the frame has ended, from `EXIT_HOST` on it continues. */
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
/** The opcode at pc needs the host; its static gas and computation cost are charged, its memory gas is computed. */
export const EXIT_HOST = 16;
/** At a taken jump, after a quantum of gas: to check the deadline, and to let optimized code take over. */
export const EXIT_YIELD = 17;
/** The requested number of steps is done. */
export const EXIT_STEP = 18;
/** The fast loop or compiled code cannot run the block at pc; the exact loop continues from there. */
export const EXIT_FALLBACK = 19;
/** Within compiled code, plus the number of a basic block: continue with this block, which is in another part. */
export const EXIT_PART = 32;

/** Frame record. */
export const FRAME_SIZE = 256;
/** Record of the deepest frame: 1,024, see MAX_DEPTH. */
export const LAST_FRAME = FRAMES + 1024 * FRAME_SIZE;
export const FRAME_PC = 0;
/** End of the stack; words are 32 bytes, four little-endian 64-bit limbs. */
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
/** Output of RETURN or REVERT; during a call, the caller's region for the callee's output. */
export const FRAME_OUTPUT = 64;
export const FRAME_OUTPUT_SIZE = 68;
export const FRAME_FLAGS = 72;
/** u32: memory size after the current opcode is charged. */
export const FRAME_NEW_MEMORY_SIZE = 76;
/** i64: dynamic gas of the current opcode, as far as the interpreter knows it. */
export const FRAME_COST = 80;
/** i64: gas that a call passes to its callee, without stipend. */
export const FRAME_CALL_GAS = 88;
/** Memory region of the current opcode; the input for a call. */
export const FRAME_REGION = 96;
export const FRAME_REGION_SIZE = 100;
/** Index of the compiled program in the function table; 0 = the code is interpreted. */
export const FRAME_PROGRAM = 104;
/** Storage id, in the journal, of the account whose slots the code accesses. */
export const FRAME_OWNER = 108;
/** End of the undo log and of the logs when the frame began. */
export const FRAME_UNDO = 112;
export const FRAME_LOGS = 116;
/** i64 */
export const FRAME_REFUND = 120;
export const FRAME_ADDRESS = 128;
export const FRAME_CALLER = 160;
export const FRAME_VALUE = 192;
/** Number of accounts callable without the host when the frame began. */
export const FRAME_ACCOUNTS = 224;
/** For a frame that `drive` has opened: the entry of the called account, and the opcode. */
export const FRAME_CALLEE = 228;
export const FRAME_KIND = 232;

/** Bit of `FRAME_FLAGS`: the frame is within a STATICCALL. */
export const FLAG_STATIC = 1;
/** Bit of `FRAME_FLAGS`: the host has state of the frame, and ends it. */
export const FLAG_HOST = 2;

/** Opcode table entry, 16 bytes. */
export const OP_GAS = 0;
export const OP_POPS = 4;
export const OP_PUSHES = 6;
/** Bits `OP_VALID`, `OP_ENDS`, `OP_HOST`; from bit 8 on: gas per unit (EXP: per byte of the exponent). */
export const OP_FLAGS = 8;
export const OP_COMPUTATION = 12;
export const OP_VALID = 1;
/** The opcode ends a basic block: what follows may depend on the exact gas, or it jumps or ends the frame. */
export const OP_ENDS = 2;
/** The host executes the opcode, after the interpreter has charged its static costs and computed its memory gas. */
export const OP_HOST = 4;

/** Entry of a basic block, 16 bytes, found through a 16-bit index per code byte. */
export const BLOCK_SIZE = 16;
export const BLOCK_GAS = 0;
export const BLOCK_NEEDS = 4;
export const BLOCK_GROWTH = 6;
export const BLOCK_COMPUTATION = 8;
/** Maximum size of code with a block table. */
export const MAX_BLOCK_CODE = 65534;
/** `BLOCK_NEEDS` of a block with an invalid opcode: never satisfied, so the exact loop runs it. */
export const NEEDS_EXACT = 0xffff;

/** Record of a contract's code, 32 bytes, directly before it. */
export const CODE_START = 0;
export const CODE_SIZE = 4;
export const CODE_JUMPS = 8;
export const CODE_BLOCKS = 12;
/** Index of its compiled program in the function table, or 0. */
export const CODE_PROGRAM = 16;
/** Heat left until it is compiled; `NEVER_HOT` = it cannot be compiled, or has been requested. */
export const CODE_HEAT = 20;
export const CODE_RECORD_SIZE = 32;
export const NEVER_HOT = 0xffffffff;

/** A slot that a run has accessed. */
export const SLOT_SIZE = 128;
export const SLOT_KEY = 0;
export const SLOT_NOW = 32;
/** Value at the start of the transaction. */
export const SLOT_ORIGINAL = 64;
export const SLOT_OWNER = 96;
/** Address of its index entry. */
export const SLOT_PLACE = 100;
export const SLOT_FLAGS = 104;
/** Scope of its last undo log entry: further changes in that scope need none. */
export const SLOT_SCOPE = 108;
/** Its number in the journal. */
export const SLOT_NUMBER = 112;
/** Bits of `SLOT_FLAGS`. */
export const SLOT_WARM = 1;
export const SLOT_WRITTEN = 2;

/** Entry of the undo log: the previous value, the address of the slot and its previous flags. */
export const UNDO_SIZE = 40;
export const UNDO_SLOT = 32;
export const UNDO_FLAGS = 36;

/** A warm account with code that is not a delegation; its address is the low 160 bits at 0. */
export const ACCOUNT_SIZE = 32;
export const ACCOUNT_PLACE = 20;
export const ACCOUNT_OWNER = 24;
/** Record of its code. */
export const ACCOUNT_CODE = 28;

/** A log: total size, number of topics, size of the data; from 32 on address and topics as words, then the data, padded to 8 bytes. */
export const LOG_TOPICS = 4;
export const LOG_DATA_SIZE = 8;
export const LOG_WORDS = 32;
