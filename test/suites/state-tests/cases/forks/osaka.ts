import { p256 } from "@noble/curves/nist.js";
import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { keccak256 } from "../../../../../src/protocol/crypto/keccak.ts";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../../../../src/protocol/primitives/bytes.ts";
import type { Theme } from "../case.ts";
import { inputs, POWERS, power } from "../machine/precompiles.ts";
import { call, hex, repeat, store, words } from "../program.ts";

const OSAKA: readonly EthereumFork[] = ["Prague", "Osaka"];

const OTHER = 0xb0b;

const MAX = 2n ** 256n - 1n;

const clz: Theme = {
  directory: "Osaka/eip7939_count_leading_zeros",
  cases: [
    {
      name: "everyBit",
      about: "leading zeros of words with one bit, with all below it, of zero and of all ones",
      forks: OSAKA,
      code: "GAS 0 CALLDATALOAD CLZ 1 ADD 0 SSTORE GAS SWAP1 SUB 1 SSTORE",
      data: [
        0n,
        1n,
        2n,
        3n,
        2n ** 31n,
        2n ** 32n,
        2n ** 63n,
        2n ** 64n - 1n,
        2n ** 64n,
        2n ** 127n,
        2n ** 128n,
        2n ** 192n - 1n,
        2n ** 254n,
        2n ** 255n,
        MAX,
      ].map((n) => words(n)),
      edges: true,
    },
    {
      name: "allPowers",
      about: "the sum over all 256 powers of two",
      forks: OSAKA,
      code: "0 1 loop: DUP1 CLZ DUP1 SWAP3 31 MUL ADD SWAP2 POP DUP1 ADD DUP1 @loop JUMPI POP 0 SSTORE",
    },
    {
      name: "stack",
      about: "it takes one word and fails without",
      forks: OSAKA,
      code: `${store(0, call("CALL", OTHER))} ${store(1, call("CALL", OTHER + 1))}`,
      accounts: { [OTHER]: { code: "CLZ" }, [OTHER + 1]: { code: `${repeat(1024, "7")} CLZ 0 SSTORE` } },
    },
  ],
};

/** A power of numbers of given sizes that is quick to compute. */
const sized = (base: number, exponent: number, modulus: number) =>
  power(
    base === 0 ? "" : `${"00".repeat(base - 1)}02`,
    exponent === 0 ? "" : `${"00".repeat(exponent - 1)}03`,
    modulus === 0 ? "" : `${"00".repeat(modulus - 1)}05`,
  );

const modexp: Theme = {
  directory: "Osaka/eip7883_modexp_gas_increase",
  cases: [
    inputs(
      "prices",
      5,
      OSAKA,
      POWERS,
      "powers at the edges of their sizes before and after the dearer prices",
    ),
    inputs(
      "sizes",
      5,
      OSAKA,
      [
        sized(32, 1, 32),
        sized(33, 1, 32),
        sized(1, 33, 1),
        sized(64, 64, 64),
        sized(100, 0, 3),
        sized(0, 3, 40),
      ],
      "multiplication costs twice as much beyond 32 bytes, exponents beyond 32 bytes 16 for a bit",
    ),
    {
      name: "minimum",
      about: "500 gas at least, 200 before",
      forks: ["Byzantium", "Berlin", "Prague", "Osaka"],
      code: repeat(5, (i) =>
        store(i, call("CALL", 5, { gas: [0, 199, 200, 499, 500][i] ?? 0, input: [0, 96] })),
      ),
    },
  ],
};

const bounds: Theme = {
  directory: "Osaka/eip7823_modexp_upper_bounds",
  cases: [
    inputs(
      "atTheBound",
      5,
      OSAKA,
      [
        words(1024, 0, 0),
        words(1025, 0, 0),
        words(0, 1024, 0),
        words(0, 1025, 0),
        words(0, 0, 1024),
        words(0, 0, 1025),
      ],
      "sizes of 1,024 bytes are the most",
    ),
    inputs(
      "farBeyond",
      5,
      OSAKA,
      [
        words(2n ** 64n, 0, 0),
        words(0, 2n ** 64n, 0),
        words(0, 0, 2n ** 64n),
        words(MAX, MAX, MAX),
        words(1n + 2n ** 64n, 1, 1),
      ],
      "sizes whose lower digits alone would do",
    ),
  ],
};

const KEY = bigintToFixedBytes(0x71517n, 32);

const hash = keccak256(Uint8Array.of(7));

const signature = p256.sign(hash, KEY, { prehash: false, lowS: false });

const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)];

const publicKey = p256.getPublicKey(KEY, false).subarray(1);

const P_ORDER = p256.Point.Fn.ORDER;

const P_FIELD = p256.Point.Fp.ORDER;

const query = concat(hash, r, s, publicKey);

const p256Verify: Theme = {
  directory: "Osaka/eip7951_p256verify_precompiles",
  cases: [
    inputs(
      "signatures",
      0x100,
      OSAKA,
      [
        query,
        concat(hash, r, words(P_ORDER - bytesToBigint(s)), publicKey),
        concat(keccak256(hash), r, s, publicKey),
        concat(hash, s, r, publicKey),
        query.subarray(0, 159),
        concat(query, Uint8Array.of(0)),
        new Uint8Array(0),
      ],
      "a signature, its other half, another message, wrong sizes: 6,900 gas, a word or nothing",
    ),
    inputs(
      "ranges",
      0x100,
      OSAKA,
      [
        concat(hash, words(0), s, publicKey),
        concat(hash, r, words(0), publicKey),
        concat(hash, words(P_ORDER), s, publicKey),
        concat(hash, r, words(P_ORDER), publicKey),
        concat(hash, r, words(bytesToBigint(s) + P_ORDER), publicKey),
        concat(hash, r, s, words(0, 0)),
        concat(hash, r, s, words(1, 1)),
        concat(hash, r, s, words(P_FIELD, 1)),
        concat(words(MAX), r, s, publicKey),
        concat(words(0), r, s, publicKey),
      ],
      "numbers out of range, keys off the curve and at infinity, hashes beyond the order",
    ),
    {
      name: "gasAndWarmth",
      about: "6,900 gas and not one less; the address is a warm precompile from Osaka on",
      forks: OSAKA,
      code: `${store(0, call("CALL", 256, { gas: 6900, input: [0, 160] }))}
        ${store(1, call("CALL", 256, { gas: 6899, input: [0, 160] }))} GAS 256 BALANCE POP GAS SWAP1 SUB 2 SSTORE
        ${store(3, call("CALL", 256, { gas: 6900, input: [0, 1], value: 1 }))}`,
      target: { balance: 5n },
    },
  ],
};

const cap: Theme = {
  directory: "Osaka/eip7825_transaction_gas_limit_cap",
  cases: [
    {
      name: "atTheCap",
      about: "16,777,216 gas are the most that a transaction may ask for",
      forks: OSAKA,
      code: store(0, "GAS"),
      gas: [16_777_216, 16_777_217, 30_000_000],
    },
    {
      name: "creation",
      about: "the same for creations",
      forks: OSAKA,
      to: null,
      data: [hex("5a60005500")],
      gas: [16_777_216, 16_777_217],
    },
    {
      name: "gasInside",
      about: "inside, calls may ask for more than the cap as ever",
      forks: OSAKA,
      code: `${store(0, call("CALL", OTHER, { gas: 100_000_000 }))}`,
      accounts: { [OTHER]: { code: store(0, "GAS") } },
      gas: [16_777_216],
    },
  ],
};

/** Osaka's changes. */
export const OSAKA_THEMES: readonly Theme[] = [clz, modexp, bounds, p256Verify, cap];
