import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { bigintToFixedBytes, concat } from "../../../../../src/protocol/primitives/bytes.ts";
import type { AddressSource, CaseAccount, Theme } from "../case.ts";
import { BLS_FIELD, BLS_ORDER, blsG1, blsG2, blsOutsider } from "../curves.ts";
import { inputs } from "../machine/precompiles.ts";
import { call, hex, repeat, returnMemory, store, words } from "../program.ts";

const PRAGUE: readonly EthereumFork[] = ["Prague", "Osaka"];

const AROUND: readonly EthereumFork[] = ["Cancun", "Prague", "Osaka"];

const OTHER = 0xb0b;

/** Numbers of 64 bytes. */
const wide = (...values: readonly bigint[]) =>
  concat(...values.map((value) => bigintToFixedBytes(value, 64)));

const G1 = blsG1(1n);

const G2 = blsG2(1n);

const outsider = blsOutsider();

const padded = Uint8Array.from(G1, (byte, i) => (i === 0 ? 1 : byte));

/** Address, size of a valid input of zeros, price. @see EIP-2537 */
const BLS_PRICES: readonly (readonly [to: number, size: number, gas: number])[] = [
  [0x0b, 256, 375],
  [0x0c, 160, 12_000],
  [0x0c, 320, Math.floor((2 * 12_000 * 949) / 1000)],
  [0x0d, 512, 600],
  [0x0e, 288, 22_500],
  [0x0e, 576, 2 * 22_500],
  [0x0f, 384, 32_600 + 37_700],
  [0x0f, 768, 2 * 32_600 + 37_700],
  [0x10, 64, 5500],
  [0x11, 128, 23_800],
];

const bls: Theme = {
  directory: "Prague/eip2537_bls_12_381_precompiles",
  cases: [
    inputs(
      "g1Addition",
      0x0b,
      AROUND,
      [
        concat(G1, blsG1(2n)),
        concat(G1, G1),
        concat(G1, blsG1(-1n)),
        concat(G1, blsG1(0n)),
        concat(blsG1(0n), blsG1(0n)),
        concat(outsider, G1),
        concat(wide(1n, 1n), G1),
        concat(wide(BLS_FIELD, 0n), G1),
        concat(padded, G1),
        G1,
        new Uint8Array(0),
        concat(G1, G1, Uint8Array.of(0)),
      ],
      "sums; points outside the group are allowed, off the curve not",
    ),
    inputs(
      "g1Products",
      0x0c,
      AROUND,
      [
        concat(G1, words(7)),
        concat(G1, words(0)),
        concat(blsG1(0n), words(9)),
        concat(G1, words(BLS_ORDER)),
        concat(G1, words(2n ** 256n - 1n)),
        concat(G1, words(3), blsG1(5n), words(4)),
        concat(...[1n, 2n, 3n, 4n, 5n].flatMap((n) => [blsG1(n), words(n * n)])),
        concat(outsider, words(2)),
        concat(G1, words(3), outsider, words(0)),
        concat(G1, words(1)).subarray(0, 159),
        new Uint8Array(0),
      ],
      "sums of products; points must be in the group, factors are any words",
    ),
    inputs(
      "g2Addition",
      0x0d,
      AROUND,
      [
        concat(G2, blsG2(2n)),
        concat(G2, G2),
        concat(G2, blsG2(-1n)),
        concat(G2, blsG2(0n)),
        concat(wide(1n, 0n, 1n, 0n), G2),
        concat(wide(BLS_FIELD, 0n, 0n, 0n), G2),
        G2,
      ],
      "sums in the second group",
    ),
    inputs(
      "g2Products",
      0x0e,
      AROUND,
      [
        concat(G2, words(7)),
        concat(G2, words(0)),
        concat(G2, words(BLS_ORDER - 1n)),
        concat(G2, words(3), blsG2(5n), words(4)),
        concat(wide(0n, 1n, 2n, 3n), words(1)),
        new Uint8Array(0),
        new Uint8Array(287),
      ],
      "products in the second group",
    ),
    inputs(
      "pairing",
      0x0f,
      AROUND,
      [
        concat(G1, G2),
        concat(G1, G2, blsG1(-1n), G2),
        concat(blsG1(6n), blsG2(5n), blsG1(-10n), blsG2(3n)),
        concat(blsG1(0n), G2),
        concat(G1, blsG2(0n)),
        concat(outsider, G2),
        concat(G1, wide(1n, 0n, 1n, 0n)),
        new Uint8Array(0),
        new Uint8Array(383),
      ],
      "products of pairings that are one and not one, points outside the groups",
    ),
    inputs(
      "mapToG1",
      0x10,
      AROUND,
      [
        wide(0n),
        wide(1n),
        wide(12345n ** 20n),
        wide(BLS_FIELD - 1n),
        wide(BLS_FIELD),
        wide(2n ** 400n),
        new Uint8Array(63),
        new Uint8Array(65),
      ],
      "field elements to points of the first group",
    ),
    inputs(
      "mapToG2",
      0x11,
      AROUND,
      [
        wide(0n, 0n),
        wide(1n, 2n),
        wide(BLS_FIELD - 1n, BLS_FIELD - 1n),
        wide(BLS_FIELD, 0n),
        wide(0n, BLS_FIELD),
        wide(1n),
      ],
      "field elements to points of the second group",
    ),
    {
      name: "gas",
      about: "every price to the unit, with the discount for many products",
      forks: PRAGUE,
      code: repeat(BLS_PRICES.length, (i) => {
        const [to, size, gas] = BLS_PRICES[i] as readonly [number, number, number];
        return `${store(i * 2, call("STATICCALL", to, { gas, input: [0, size] }))}
          ${store(i * 2 + 1, call("STATICCALL", to, { gas: gas - 1, input: [0, size] }))}`;
      }),
      gas: [6_000_000],
    },
  ],
};

const floor: Theme = {
  directory: "Prague/eip7623_increase_calldata_cost",
  cases: [
    {
      name: "floorOrExecution",
      about: "40 gas a byte (10 a zero byte) unless the run costs more",
      forks: AROUND,
      code: "0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI 1 SWAP1 SUB @loop JUMP end: STOP",
      data: [
        words(0),
        concat(words(0), new Uint8Array(300)),
        concat(words(0), new Uint8Array(300).fill(1)),
        concat(words(100), new Uint8Array(300).fill(1)),
        concat(words(2000), new Uint8Array(300).fill(1)),
      ],
    },
    {
      name: "limitBelowFloor",
      about: "a limit below the floor is refused though it covers the intrinsic gas",
      forks: AROUND,
      to: OTHER,
      data: [new Uint8Array(100).fill(1), new Uint8Array(100)],
      gas: [25_000, 24_999, 22_000, 21_999, 22_600],
    },
    {
      name: "creation",
      about: "the floor of a creation begins at 21,000 as well",
      forks: AROUND,
      to: null,
      data: [concat(hex("00"), new Uint8Array(2000).fill(1)), "STOP"],
      gas: [101_010, 101_011, 90_000, 150_000],
    },
    {
      name: "failureAndFloor",
      about: "a transaction that reverts early pays the floor",
      forks: AROUND,
      code: returnMemory(0, 0, "REVERT"),
      data: [new Uint8Array(500).fill(9)],
      gas: [100_000],
    },
    {
      name: "listsStandBeside",
      about: "access lists are not part of the floor",
      forks: AROUND,
      to: OTHER,
      data: [new Uint8Array(300).fill(1), new Uint8Array(10).fill(1)],
      accessLists: [[[OTHER, [1, 2, 3]]]],
      gas: [33_000, 32_999, 60_000],
    },
  ],
};

/** The history contract's code. @see EIP-2935 */
const HISTORY = hex(
  "3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81" +
    "430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500",
);

const HISTORY_AT = hex("0000f90827f1c53a10cb7a02335b175320002935");

const history: Theme = {
  directory: "Prague/eip2935_historical_block_hashes_from_state",
  cases: [
    {
      name: "queries",
      about: "the contract answers for the last 8,191 blocks and reverts for all others",
      forks: PRAGUE,
      code: `CALLDATASIZE 0 0 CALLDATACOPY GAS ${call("CALL", HISTORY_AT, { input: [0, "CALLDATASIZE"], output: [64, 32] })}
        0 SSTORE GAS SWAP1 SUB 1 SSTORE 64 MLOAD 2 SSTORE RETURNDATASIZE 3 SSTORE`,
      accounts: new Map<AddressSource, CaseAccount>([
        [
          HISTORY_AT,
          { nonce: 1n, code: HISTORY, storage: { 300: 0xaaan, 299: 0xbbbn, 0: 0xcccn, 8190: 0xdddn } },
        ],
      ]),
      data: [
        words(300),
        words(299),
        words(301),
        words(302),
        words(0),
        words(2n ** 256n - 1n),
        hex("01"),
        new Uint8Array(33),
      ],
    },
    {
      name: "laterBlocks",
      about: "the ring turns: block 20,000 overwrites what lies 8,191 before it",
      forks: PRAGUE,
      code: `CALLDATASIZE 0 0 CALLDATACOPY ${call("STATICCALL", HISTORY_AT, { input: [0, 32], output: [64, 32] })} 0 SSTORE 64 MLOAD 2 SSTORE`,
      env: { currentNumber: "0x4e20" },
      accounts: new Map<AddressSource, CaseAccount>([
        [
          HISTORY_AT,
          {
            nonce: 1n,
            code: HISTORY,
            storage: { [19_999 % 8191]: 0xaaan, [(20_000 - 8191) % 8191]: 0xbbbn },
          },
        ],
      ]),
      data: [words(19_999), words(20_000 - 8191), words(20_000 - 8192), words(20_000)],
    },
    {
      name: "writesByOthers",
      about: "only the system account writes; others are asked for a block number",
      forks: PRAGUE,
      to: HISTORY_AT,
      accounts: new Map<AddressSource, CaseAccount>([[HISTORY_AT, { nonce: 1n, code: HISTORY }]]),
      data: [words(5), words(300), ""],
      value: [0n, 1n],
    },
  ],
};

/** Prague's other changes. */
export const PRAGUE_THEMES: readonly Theme[] = [bls, floor, history];
