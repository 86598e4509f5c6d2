import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { concat } from "../../../../../src/protocol/primitives/bytes.ts";
import type { Theme } from "../case.ts";
import { BN_FIELD, BN_ORDER, bnG1, bnG2 } from "../curves.ts";
import { call, repeat, store, words } from "../program.ts";
import { inputs } from "./precompiles.ts";

const MAX = 2n ** 256n - 1n;

const BN: readonly EthereumFork[] = ["Byzantium", "Istanbul", "Osaka"];

const ONE = bnG1(1n);

const MINUS = bnG1(-1n);

const zero: Theme = {
  directory: "stZeroKnowledge",
  cases: [
    inputs(
      "addition",
      6,
      BN,
      [
        concat(ONE, bnG1(2n)),
        concat(ONE, ONE),
        concat(ONE, MINUS),
        concat(ONE, bnG1(0n)),
        concat(bnG1(0n), bnG1(0n)),
        new Uint8Array(0),
        ONE,
        ONE.subarray(0, 33),
        concat(ONE, bnG1(5n), words(9)),
        concat(words(1, 3), ONE),
        concat(words(BN_FIELD + 1n, 2), ONE),
        concat(words(0, BN_FIELD), ONE),
        concat(words(0, 1), ONE),
      ],
      "sums: doubling, inverses, infinity, short inputs, points off the curve, coordinates too large",
    ),
    inputs(
      "multiplication",
      7,
      BN,
      [0n, 1n, 2n, BN_ORDER - 1n, BN_ORDER, BN_ORDER + 1n, MAX].map((k) => concat(bnG1(9n), words(k))),
      "products with factors around the order of the group",
    ),
    inputs(
      "multiplicationEdges",
      7,
      BN,
      [
        new Uint8Array(0),
        concat(bnG1(0n), words(5)),
        ONE,
        concat(ONE, words(3)).subarray(0, 80),
        concat(words(1, 1), words(3)),
        concat(words(1, BN_FIELD + 2n), words(3)),
        concat(ONE, words(2, 3)),
      ],
      "products of infinity, of points off the curve, from short and long inputs",
    ),
    inputs(
      "pairing",
      8,
      BN,
      [
        new Uint8Array(0),
        concat(ONE, bnG2(1n)),
        concat(ONE, bnG2(1n), MINUS, bnG2(1n)),
        concat(bnG1(6n), bnG2(5n), bnG1(-10n), bnG2(3n)),
        concat(bnG1(6n), bnG2(5n), bnG1(-10n), bnG2(2n)),
        concat(bnG1(0n), bnG2(1n)),
        concat(ONE, bnG2(0n)),
      ],
      "products of pairings that are one and not one, with infinity on either side",
    ),
  ],
};

const swapped = (point: Uint8Array) =>
  concat(point.subarray(32, 64), point.subarray(0, 32), point.subarray(64));

const zero2: Theme = {
  directory: "stZeroKnowledge2",
  cases: [
    inputs(
      "pairingRefusals",
      8,
      BN,
      [
        new Uint8Array(191),
        new Uint8Array(193),
        concat(words(1, 1), bnG2(1n)),
        concat(ONE, swapped(bnG2(1n))),
        concat(ONE, words(BN_FIELD, 0, 0, 0)),
        concat(ONE, words(0, 1, 0, 2)),
        concat(words(0, BN_FIELD), bnG2(1n)),
      ],
      "pairs of wrong size, off the curve, with coordinates too large",
    ),
    {
      name: "pairingGas",
      about: "a constant and a price for each pair: 100,000 and 80,000, then 45,000 and 34,000",
      forks: BN,
      code: `${store(0, call("CALL", 8, { gas: 100_000 }))} ${store(1, call("CALL", 8, { gas: 44_999 }))}
        ${store(2, call("CALL", 8, { gas: 45_000 }))} ${store(3, call("CALL", 8, { gas: 79_000, input: [0, 192] }))}
        ${store(4, call("CALL", 8, { gas: 78_999, input: [0, 192] }))}
        ${store(5, call("CALL", 8, { gas: 180_000, input: [0, 192] }))}`,
      gas: [900_000],
    },
    {
      name: "curveGas",
      about: "500 and 40,000, then 150 and 6,000",
      forks: BN,
      code: repeat(
        4,
        (i) =>
          `${store(i * 2, call("CALL", 6 + (i >> 1), { gas: [500, 150, 40_000, 6000][i] ?? 0, input: [0, 128] }))}
            ${store(i * 2 + 1, call("CALL", 6 + (i >> 1), { gas: [499, 149, 39_999, 5999][i] ?? 0, input: [0, 128] }))}`,
      ),
      gas: [600_000],
    },
    {
      name: "sumOfProducts",
      about: "a contract adds products: 2(3P) + 5P = 11P",
      forks: BN,
      code: `CALLDATASIZE 0 0 CALLDATACOPY 3 64 MSTORE ${call("CALL", 7, { input: [0, 96], output: [128, 64] })} 0 SSTORE
        2 192 MSTORE ${call("CALL", 7, { input: [128, 96], output: [256, 64] })} 1 SSTORE
        5 64 MSTORE ${call("CALL", 7, { input: [0, 96], output: [320, 64] })} 2 SSTORE
        ${call("CALL", 6, { input: [256, 128], output: [384, 64] })} 3 SSTORE 384 MLOAD 4 SSTORE 416 MLOAD 5 SSTORE`,
      data: [ONE, bnG1(77n), words(1, 1)],
      gas: [600_000],
    },
    inputs(
      "beforeByzantium",
      8,
      ["EIP158", "Byzantium"],
      [concat(ONE, bnG2(1n))],
      "no curves before Byzantium",
    ),
  ],
};

/** Precompiles of the curve bn254. */
export const BN254: readonly Theme[] = [zero, zero2];
