import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { keccak256 } from "../../../../../src/protocol/crypto/keccak.ts";
import { sign } from "../../../../../src/protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat } from "../../../../../src/protocol/primitives/bytes.ts";
import { type StateCase, since, type Theme } from "../case.ts";
import { SENDER_KEY } from "../keys.ts";
import { call, hex, repeat, store, words } from "../program.ts";

/** A contract that passes its input to a precompile and stores success, gas, size and up to eight words of the output. */
export function forward(to: number, gas: number | string = 300_000): string {
  return `CALLDATASIZE 0 0 CALLDATACOPY GAS ${call("CALL", to, { gas, input: [0, "CALLDATASIZE"], output: [4096, 256] })} 0 SSTORE
    GAS SWAP1 SUB 1 SSTORE
    ${repeat(8, (i) => store(2 + i, `${4096 + i * 32} MLOAD`))}`;
}

/** A file of inputs for a precompile. */
export function inputs(
  name: string,
  to: number,
  on: readonly EthereumFork[],
  data: readonly Uint8Array[],
  about: string,
): StateCase {
  return { name, about, forks: on, code: forward(to), data, gas: [900_000] };
}

const MAX = 2n ** 256n - 1n;

const SECP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const hash = keccak256(Uint8Array.of(1, 2, 3));

const { r, s, parity } = sign(hash, SENDER_KEY);

const v = 27 + parity;

const signed = (head: Uint8Array, ...rest: (number | bigint)[]) => concat(head, words(...rest));

const RECOVERIES = [
  signed(hash, v, r, s),
  signed(hash, 55 - v, r, s),
  signed(hash, 55 - v, r, SECP_ORDER - s),
  signed(hash, v, 0, s),
  signed(hash, v, r, 0),
  signed(hash, v, r, SECP_ORDER),
  signed(hash, v, SECP_ORDER, s),
  signed(hash, 29, r, s),
  signed(hash, 2n ** 200n + BigInt(v), r, s),
  signed(hash, v, r, s).subarray(0, 100),
  concat(signed(hash, v, r, s), words(1)),
];

const LENGTHS = [0, 1, 31, 32, 33, 55, 56, 64, 100, 119, 120, 200].map((size) =>
  new Uint8Array(size).fill(0xa5),
);

/** Input of the modular power: three sizes and three numbers. @see EIP-198 */
export function power(base: string, exponent: string, modulus: string): Uint8Array {
  const parts = [base, exponent, modulus].map(hex);
  return concat(words(...parts.map((part) => part.length)), ...parts);
}

const P256 = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";

/** Powers at the edges of their sizes. */
export const POWERS: readonly Uint8Array[] = [
  power("03", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e", P256),
  power("02", "05", "07"),
  power("00", "00", "01"),
  power("00", "00", "02"),
  power("05", "02", "00"),
  power("", "05", "07"),
  power("05", "", "07"),
  power("05", "02", ""),
  power("", "", ""),
  power("ff".repeat(40), "ff".repeat(40), `${"ff".repeat(39)}fd`),
  power("01".repeat(64), "010001", "80".repeat(64)),
  power("03", `${"00".repeat(40)}07`, "0b"),
  power("0000000002", "0009", "000000ff"),
  words(0, 0, 0, 1),
  words(1, 0, 1).subarray(0, 70),
  words(0, 2n ** 64n, 0),
  words(2n ** 64n, 0, 2n ** 64n),
  words(0, MAX, 0),
  words(MAX, MAX, MAX),
  words(0, 1, 2n ** 32n),
  words(1, 33, 1, 0x03 * 2 ** 4),
];

/** Input of the compression function of BLAKE2b. @see EIP-152 */
function blake(rounds: number, final: number, text = "abc"): Uint8Array {
  const state = hex(
    "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b",
  );
  const message = new Uint8Array(128);
  message.set(new TextEncoder().encode(text));
  const count = new Uint8Array(16);
  count[0] = text.length;
  return concat(bigintToFixedBytes(BigInt(rounds), 4), state, message, count, Uint8Array.of(final));
}

const contracts: Theme = {
  directory: "stPreCompiledContracts",
  cases: [
    inputs(
      "ecrecover",
      1,
      ["Frontier", "Byzantium", "Berlin", "Osaka"],
      RECOVERIES,
      "recovery: both halves of s, values out of range, short and long inputs",
    ),
    inputs("sha256", 2, ["Frontier", "Byzantium", "Osaka"], LENGTHS, "SHA-256 around its blocks"),
    inputs("ripemd160", 3, ["Frontier", "Byzantium", "Osaka"], LENGTHS, "RIPEMD-160 around its blocks"),
    inputs("identity", 4, ["Frontier", "Byzantium", "Osaka"], LENGTHS, "identity of every length"),
    inputs(
      "modexp",
      5,
      ["EIP158", "Byzantium", "Istanbul", "Berlin", "Prague", "Osaka"],
      POWERS,
      "powers at the edges of their sizes, under three prices",
    ),
    inputs(
      "blake2f",
      9,
      ["ConstantinopleFix", "Istanbul", "Berlin", "Osaka"],
      [
        blake(12, 1),
        blake(0, 1),
        blake(1, 0),
        blake(12, 2),
        blake(300_001, 1),
        blake(9, 1, "").subarray(0, 212),
        concat(blake(3, 1), Uint8Array.of(0)),
        new Uint8Array(0),
        new Uint8Array(213),
      ],
      "the compression function: rounds, final flags, wrong sizes",
    ),
    {
      name: "gasEdges",
      about: "each precompile with the gas it takes and one less",
      forks: since("Frontier"),
      code: repeat(
        4,
        (i) =>
          `${store(i * 2, call("CALL", i + 1, { gas: [3000, 72, 720, 18][i] ?? 0, input: [0, 32] }))}
            ${store(i * 2 + 1, call("CALL", i + 1, { gas: [2999, 71, 719, 17][i] ?? 0, input: [0, 32] }))}`,
      ),
    },
    {
      name: "whichExist",
      about:
        "calls of addresses 0 to 0x13 and 0x100: those that are precompiles answer or fail, the others do nothing",
      forks: ["Frontier", "Byzantium", "Istanbul", "Cancun", "Prague", "Osaka"],
      code: repeat(21, (i) =>
        store(i, `${call("CALL", i < 20 ? i : 256, { gas: 20_000, output: [0, 32] })} 0 MLOAD ADD`),
      ),
      gas: [2_000_000],
    },
    {
      name: "warmAndUsed",
      about: "precompiles have no code and are warm",
      forks: ["Frontier", "Berlin", "Osaka"],
      code: repeat(4, (i) => store(i, `${i + 1} EXTCODESIZE ${i + 1} BALANCE ADD`)),
    },
  ],
};

const contracts2: Theme = {
  directory: "stPreCompiledContracts2",
  cases: (["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"] as const).flatMap((kind): StateCase[] => [
    {
      name: `${kind.toLowerCase()}_allFour`,
      about: "the first four precompiles by this kind of call, with value where it takes one",
      forks: since(kind === "STATICCALL" ? "Byzantium" : "Homestead"),
      code: `${repeat(
        4,
        (i) => `0x${"5a".repeat(32)} 0 MSTORE
        ${store(i, call(kind, i + 1, { value: 1, input: [0, 128], output: [128, 32] }))} ${store(i + 4, "128 MLOAD")}`,
      )}`,
      target: { balance: 10n },
    },
    {
      name: `${kind.toLowerCase()}_tooLittleGas`,
      about: "too little gas fails the call, takes what it was given and leaves memory alone",
      forks: ["EIP150", "Byzantium", "Berlin", "Osaka"].slice(
        kind === "STATICCALL" ? 1 : 0,
      ) as EthereumFork[],
      code: `7 128 MSTORE
        ${repeat(4, (i) => `GAS ${call(kind, i + 1, { gas: 17, input: [0, 128], output: [128, 32] })} ${i} SSTORE GAS SWAP1 SUB ${i + 4} SSTORE`)}
        128 MLOAD 9 SSTORE`,
    },
    {
      name: `${kind.toLowerCase()}_partOfOutput`,
      about: "output regions shorter and longer than the answer",
      forks: ["EIP158", "Byzantium", "Osaka"].slice(kind === "STATICCALL" ? 1 : 0) as EthereumFork[],
      code: `${MAX} 64 MSTORE ${MAX} 96 MSTORE ${store(0, call(kind, 2, { input: [0, 3], output: [64, 5] }))} 64 MLOAD 1
        SSTORE ${store(2, call(kind, 3, { input: [0, 3], output: [64, 64] }))} 64 MLOAD 3 SSTORE 96 MLOAD 4 SSTORE`,
    },
  ]),
};

/** Precompiles up to Istanbul, without curves. */
export const PRECOMPILES: readonly Theme[] = [contracts, contracts2];
