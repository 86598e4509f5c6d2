import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { forks, type StateCase, since, type Theme } from "../case.ts";
import { words } from "../program.ts";

const ENDS: readonly EthereumFork[] = ["Frontier", "Osaka"];

const FEW: readonly EthereumFork[] = ["Frontier", "Berlin", "Osaka"];

const MAX = 2n ** 256n - 1n;

const MIN = 2n ** 255n;

const LIMB = 2n ** 64n;

/** Pairs at the boundaries of signs, carries and quotient digits. */
const PAIRS: readonly (readonly [bigint, bigint])[] = [
  [0n, 0n],
  [1n, 0n],
  [7n, 3n],
  [MAX, MAX],
  [MIN, MAX],
  [MAX - 6n, 3n],
  [LIMB - 1n, LIMB],
  [LIMB * LIMB * LIMB - 1n, LIMB + 1n],
  [MIN - 1n, MIN],
  [31n, MAX - 127n],
];

const TRIPLES: readonly (readonly bigint[])[] = [
  [MAX, MAX, 0n],
  [MAX, MAX, MAX],
  [MAX, 1n, 2n],
  [MIN, MIN, LIMB - 1n],
  [MAX - 1n, MAX - 1n, MIN + 1n],
  [LIMB, LIMB + 1n, LIMB * LIMB - 1n],
];

const POWERS: readonly (readonly [bigint, bigint])[] = [
  [0n, 0n],
  [0n, 1n],
  [2n, 255n],
  [2n, 256n],
  [3n, MAX],
  [MAX, 65_535n],
  [10n, 65_536n],
  [7n, LIMB * LIMB],
];

const EXTENSIONS: readonly (readonly [bigint, bigint])[] = [
  [0n, 0x7fn],
  [0n, 0x80n],
  [1n, 0x8000n],
  [1n, 0x12_7fffn],
  [30n, MIN >> 8n],
  [31n, MIN],
  [32n, MIN],
  [MAX, 0xffn],
];

/** A file that applies one instruction to operands from the call's input, the first of them on top of the stack. */
function operation(op: string, operands: readonly (readonly bigint[])[], on = ENDS): StateCase {
  const count = operands[0]?.length ?? 0;
  const load = Array.from({ length: count }, (_, i) => `${(count - 1 - i) * 32} CALLDATALOAD`).join(" ");
  return {
    name: op.toLowerCase(),
    about: `${op} at the edges of its operands; the result is stored plus one, the gas around it with it`,
    forks: on,
    code: `GAS ${load} ${op} 1 ADD 0 SSTORE GAS SWAP1 SUB 1 SSTORE`,
    data: operands.map((values) => words(...values)),
  };
}

const singles = PAIRS.map(([a]) => [a]);

const indexed = [0n, 1n, 15n, 30n, 31n, 32n, LIMB, MAX].map((i) => [i, 0x0123456789abcdefn << 190n]);

const shifts = [0n, 1n, 8n, 63n, 64n, 255n, 256n, LIMB, MAX].flatMap((by) => [
  [by, MIN | 0xffn],
  [by, MAX >> 1n],
]);

const arithmetic: Theme = {
  directory: "VMTests/vmArithmeticTest",
  cases: [
    ...["ADD", "MUL", "SUB", "DIV", "SDIV", "MOD", "SMOD"].map((op) => operation(op, PAIRS)),
    operation("ADDMOD", TRIPLES),
    operation("MULMOD", TRIPLES),
    operation(
      "EXP",
      POWERS,
      forks("Frontier").filter((_, i) => i % 3 === 0),
    ),
    operation("SIGNEXTEND", EXTENSIONS),
    {
      name: "expGasEdges",
      about: "EXP charges for every byte of the exponent, 10 before EIP-160 and 50 from it",
      forks: since("Frontier"),
      code: "0 CALLDATALOAD 3 EXP 0 SSTORE",
      data: [words(0), words(255), words(256), words(MAX)],
      gas: [100_000],
      edges: true,
    },
    {
      name: "factorial",
      about: "products of a loop wrap at 2^256",
      forks: FEW,
      code: "1 0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI DUP1 DUP3 MUL SWAP2 POP 1 SWAP1 SUB @loop JUMP end: POP 0 SSTORE",
      data: [words(0), words(5), words(57), words(58), words(300)],
    },
    {
      name: "fibonacciModulo",
      about: "a hundred ADDMODs by a prime of 255 bits",
      forks: FEW,
      code: `1 1 0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI 1 SWAP1 SUB DUP2 ${2n ** 255n - 19n} SWAP4 DUP3 SWAP1 ADDMOD
        SWAP2 SWAP1 @loop JUMP end: STOP`,
      data: [words(3), words(40)],
    },
  ],
};

const bitwise: Theme = {
  directory: "VMTests/vmBitwiseLogicOperation",
  cases: [
    ...["LT", "GT", "SLT", "SGT", "EQ", "AND", "OR", "XOR"].map((op) => operation(op, PAIRS)),
    operation("ISZERO", singles),
    operation("NOT", singles),
    operation("BYTE", indexed),
  ],
};

const shift: Theme = {
  directory: "stShift",
  cases: [
    ...["SHL", "SHR", "SAR"].map((op) => operation(op, shifts, ["Byzantium", "Constantinople", "Osaka"])),
    {
      name: "shiftThereAndBack",
      about: "a shift left and right again loses the upper bits, an arithmetic one spreads the sign",
      forks: ["Constantinople", "Istanbul", "Osaka"],
      code: "0 CALLDATALOAD DUP1 100 SHL 100 SHR 0 SSTORE DUP1 100 SHL 100 SAR 1 SSTORE 3 SWAP1 SHL 3 SAR 2 SSTORE",
      data: [words(MAX), words(MIN | 1n), words(LIMB * LIMB * 0x8000_0000n)],
    },
    {
      name: "shiftOfOwnShift",
      about: "the shifted number serves as distance",
      forks: ["Constantinople", "Osaka"],
      code: "0 CALLDATALOAD DUP1 DUP1 SHL 0 SSTORE DUP1 DUP1 SHR 1 SSTORE DUP1 SAR 2 SSTORE",
      data: [words(1), words(64), words(255), words(256), words(MAX)],
    },
  ],
};

/** Arithmetic, bits and shifts. */
export const ARITHMETIC: readonly Theme[] = [arithmetic, bitwise, shift];
