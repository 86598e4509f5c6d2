import { describe, expect, it } from "vitest";
import { contractAddress, saltedContractAddress } from "../../../protocol/account/address.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { address, CONTRACT, call, SENDER, stateOf, word } from "../testing/run-code.ts";
import { callTracer } from "./call-tracer.ts";
import { fourByteTracer } from "./four-byte-tracer.ts";
import { bigramTracer, opcodeCountTracer, trigramTracer, unigramTracer } from "./opcode-counters.ts";
import { prestateTracer } from "./prestate-tracer.ts";
import type { TracedTransaction, TracerFactory } from "./tracer.ts";

const CALLEE = 0x2001;
const REVERTING = 0x2002;
const OTHER = 0x3000;
const GAS = 1_000_000n;

const code = (...parts: string[]) => hexToBytes(`0x${parts.join("")}`);
const byte = (value: number) => value.toString(16).padStart(2, "0");
const hexWord = (value: bigint) => bytesToHex(word(value)).slice(2);
/** MSTORE of a word at an offset below 256. */
const store = (offset: number, value: string) => `7f${value}60${byte(offset)}52`;
/** CALL (or CALLCODE) with input from memory offset 0, its result dropped. */
const callTo = (target: number, inputSize: number, { value = 0, op = "f1" } = {}) =>
  `6000600060${byte(inputSize)}600060${byte(value)}61${target.toString(16).padStart(4, "0")}61ffff${op}50`;
/** DELEGATECALL or STATICCALL: a call without a value. */
const valuelessCall = (target: number, inputSize: number, op: "f4" | "fa") =>
  `6000600060${byte(inputSize)}600061${target.toString(16).padStart(4, "0")}61ffff${op}50`;
const STOP = "00";

const SELECTOR = "aabbccdd".padEnd(64, "0");
const RETURN_WORD = "60aa60005260206000f3";
/** `revert("no")`. */
const REVERT_NO = [
  store(0, "08c379a0".padEnd(64, "0")),
  store(4, hexWord(0x20n)),
  store(0x24, hexWord(2n)),
  store(0x44, "6e6f".padEnd(64, "0")),
  "60646000fd",
].join("");

interface Traced {
  readonly tracer: TracerFactory;
  readonly state: StateJournal;
  readonly value?: bigint;
  readonly input?: Uint8Array;
  readonly gasPrice?: bigint;
  readonly gasUsed?: bigint;
}

function trace({ tracer, state, value = 0n, input = EMPTY_BYTES, gasPrice = 0n, gasUsed }: Traced): unknown {
  const transaction: TracedTransaction = {
    ...{ from: address(SENDER), to: address(CONTRACT), isCreation: false },
    ...{ value, input, gas: GAS, gasPrice, blockNumber: 300n },
  };
  const made = tracer(transaction, state);
  const result = call(state, { gas: GAS, value, input, ...(made.hooks && { tracer: made.hooks }) });
  const { output, error } = result;
  return made.result?.({ gasUsed: gasUsed ?? GAS - result.gasLeft, output, error });
}

const stateWith = (main: Uint8Array) =>
  stateOf({
    [SENDER]: { balance: 10n ** 18n, nonce: 4n },
    [CONTRACT]: { code: main, balance: 100n, nonce: 1n, storage: { 1: 7n } },
    [CALLEE]: { code: code(RETURN_WORD) },
    [REVERTING]: { code: code(REVERT_NO) },
    [OTHER]: { balance: 55n },
  });

describe("callTracer", () => {
  it("shows the call tree: values, outputs, revert reasons", () => {
    const main = code(
      store(0, SELECTOR),
      callTo(CALLEE, 4, { value: 3 }),
      callTo(REVERTING, 0),
      valuelessCall(CALLEE, 0, "fa"),
      STOP,
    );
    const tree = trace({ tracer: callTracer, state: stateWith(main), value: 9n, input: hexToBytes("0x01") });
    const from = bytesToHex(address(CONTRACT));
    expect(tree).toMatchObject({
      ...{ type: "CALL", from: bytesToHex(address(SENDER)), to: from, value: "0x9", input: "0x01" },
      gas: `0x${GAS.toString(16)}`,
      calls: [
        {
          ...{ type: "CALL", from, to: bytesToHex(address(CALLEE)), value: "0x3", input: "0xaabbccdd" },
          output: bytesToHex(word(0xaa)),
        },
        {
          ...{ type: "CALL", to: bytesToHex(address(REVERTING)), value: "0x0", input: "0x" },
          ...{ error: "execution reverted", revertReason: "no" },
          reverted: { contract: bytesToHex(address(REVERTING)), message: "no" },
        },
        { type: "STATICCALL", to: bytesToHex(address(CALLEE)) },
      ],
    });
    const { calls, ...root } = tree as { readonly calls: readonly Record<string, unknown>[] };
    expect(calls).toHaveLength(3);
    expect(calls[2]).not.toHaveProperty("value");
    expect(calls[0]).not.toHaveProperty("calls");
    expect(calls[0]).not.toHaveProperty("revertReason");
    for (const member of ["error", "revertReason", "reverted", "output"])
      expect(root).not.toHaveProperty(member);
  });

  it("omits the message of a revert without a reason", () => {
    const tree = trace({ tracer: callTracer, state: stateWith(code("60006000fd")) });
    expect(tree).toMatchObject({
      error: "execution reverted",
      reverted: { contract: bytesToHex(address(CONTRACT)) },
    });
    expect(tree).not.toHaveProperty("revertReason");
    expect((tree as { reverted: object }).reverted).not.toHaveProperty("message");
  });
});

describe("4byteTracer", () => {
  it("counts selectors by the size of their arguments, including the transaction's own", () => {
    const main = code(
      store(0, SELECTOR),
      callTo(CALLEE, 36),
      callTo(CALLEE, 36),
      callTo(CALLEE, 4, { op: "f2" }),
      valuelessCall(CALLEE, 5, "f4"),
      callTo(CALLEE, 3),
      STOP,
    );
    const counts = trace({
      tracer: fourByteTracer,
      state: stateWith(main),
      input: hexToBytes("0x0102030405"),
    });
    expect(counts).toEqual({ "0xaabbccdd-32": 2, "0xaabbccdd-0": 1, "0xaabbccdd-1": 1, "0x01020304-1": 1 });
  });

  it("reads the selector at the start of the input, in expanded memory", () => {
    const from = (offset: number) => `60006000600460${byte(offset)}600061200161fffff150`;
    const main = code(from(0), store(0, SELECTOR), from(2), from(29), STOP);
    expect(trace({ tracer: fourByteTracer, state: stateWith(main) })).toEqual({
      "0x00000000-0": 2,
      "0xccdd0000-0": 1,
    });
  });

  it("omits only the precompiled contracts 1 to 11", () => {
    const main = code(store(0, SELECTOR), ...[1, 0x0b].map((target) => callTo(target, 4)), STOP);
    expect(trace({ tracer: fourByteTracer, state: stateWith(main) })).toEqual({});
    const around = code(store(0, SELECTOR), ...[0, 0x0c].map((target) => callTo(target, 4)), STOP);
    expect(trace({ tracer: fourByteTracer, state: stateWith(around) })).toEqual({ "0xaabbccdd-0": 2 });
  });
});

describe("prestateTracer", () => {
  const sload = "60015450";
  const balanceOfOther = `7f${"ff".repeat(12)}${bytesToHex(address(OTHER)).slice(2)}3150`;

  it("keeps accounts and slots as first accessed, with value and fee added back", () => {
    const main = code(sload, "6009600155", sload, balanceOfOther, STOP);
    const state = stateWith(main);
    const input = { tracer: prestateTracer, state, value: 5n, gasPrice: 25n, gasUsed: 1_000n };
    expect(trace(input)).toEqual({
      [bytesToHex(address(SENDER))]: {
        ...{ balance: `0x${(10n ** 18n + 25_000n).toString(16)}`, nonce: 3, code: "0x", storage: {} },
      },
      [bytesToHex(address(CONTRACT))]: {
        ...{ balance: "0x64", nonce: 1, code: bytesToHex(main) },
        storage: { [bytesToHex(word(1))]: bytesToHex(word(7)) },
      },
      [bytesToHex(address(OTHER))]: { balance: "0x37", nonce: 0, code: "0x", storage: {} },
    });
  });

  it("computes the fee in doubles, like the reference node's script", () => {
    const state = stateWith(code(STOP));
    const fee = { gasPrice: 250_000_000_001n, gasUsed: 123_456_789n };
    const shown = trace({ tracer: prestateTracer, state, ...fee }) as Record<string, { balance: string }>;
    const product = BigInt(shown[bytesToHex(address(SENDER))]?.balance ?? 0) - 10n ** 18n;
    // 30864197250123456789 in full
    expect(product).toBe(30_864_197_250_123_457_000n);
  });

  it("reads zeros below the bottom of the stack, before an opcode that fails for it", () => {
    const shownOf = (main: string) =>
      trace({ tracer: prestateTracer, state: stateWith(code(main)) }) as Record<string, object>;
    const zero = bytesToHex(address(0));
    // BALANCE, CALL, SLOAD
    for (const main of ["31", "f1"]) expect(shownOf(main)).toHaveProperty(zero);
    const { [bytesToHex(address(CONTRACT))]: own, ...others } = shownOf("54");
    expect(own).toMatchObject({ storage: { [bytesToHex(word(0))]: bytesToHex(word(0)) } });
    expect(others).not.toHaveProperty(zero);
  });

  it("includes the contract that CREATE is about to deploy", () => {
    const state = stateWith(code("600060006000f050", STOP));
    const made = bytesToHex(contractAddress(address(CONTRACT), 1n));
    expect(Object.keys(trace({ tracer: prestateTracer, state }) as object)).toContain(made);
  });

  it("includes the contract that CREATE2 is about to deploy, by salt and init code", () => {
    // salt 9, the two bytes 0x6000 in memory from 5 on
    const state = stateWith(code(store(5, "6000ff".padEnd(64, "0")), "6009600260056000f550", STOP));
    const made = saltedContractAddress(address(CONTRACT), word(9), keccak256(hexToBytes("0x6000")));
    expect(Object.keys(trace({ tracer: prestateTracer, state }) as object)).toContain(bytesToHex(made));
  });
});

describe("opcode counters", () => {
  const state = () => stateWith(code("600160020150", STOP));

  it("count opcodes, and sequences of one, two and three", () => {
    expect(trace({ tracer: opcodeCountTracer, state: state() })).toBe(5);
    expect(trace({ tracer: unigramTracer, state: state() })).toEqual({ PUSH1: 2, ADD: 1, POP: 1, STOP: 1 });
    expect(trace({ tracer: bigramTracer, state: state() })).toEqual({
      ...{ "PUSH1-PUSH1": 1, "PUSH1-ADD": 1, "ADD-POP": 1, "POP-STOP": 1 },
    });
    // The reference node's script starts a sequence with empty names.
    expect(trace({ tracer: trigramTracer, state: state() })).toEqual({
      ...{ "--PUSH1": 1, "-PUSH1-ADD": 1, "PUSH1-ADD-POP": 1, "ADD-POP-STOP": 1 },
    });
  });

  it("start a new sequence when the call frame changes", () => {
    // PUSH1 five times, PUSH2, PUSH2, CALL; PUSH1, PUSH1, MSTORE, PUSH1, PUSH1, RETURN; POP, STOP
    const calling = () => stateWith(code(callTo(CALLEE, 0), STOP));
    expect(trace({ tracer: bigramTracer, state: calling() })).toEqual({
      ...{ "PUSH1-PUSH1": 6, "PUSH1-PUSH2": 1, "PUSH2-PUSH2": 1, "PUSH2-CALL": 1 },
      ...{ "PUSH1-MSTORE": 1, "MSTORE-PUSH1": 1, "PUSH1-RETURN": 1, "POP-STOP": 1 },
    });
    expect(trace({ tracer: trigramTracer, state: calling() })).toEqual({
      ...{ "--PUSH1": 2, "-PUSH1-PUSH1": 1, "PUSH1-PUSH1-PUSH1": 2, "PUSH1-PUSH1-PUSH2": 1 },
      ...{ "PUSH1-PUSH2-PUSH2": 1, "PUSH2-PUSH2-CALL": 1, "-PUSH1-MSTORE": 1, "PUSH1-MSTORE-PUSH1": 1 },
      ...{ "MSTORE-PUSH1-PUSH1": 1, "PUSH1-PUSH1-RETURN": 1, "--STOP": 1 },
    });
    expect(trace({ tracer: opcodeCountTracer, state: calling() })).toBe(16);
  });

  it("have no result or an empty one if no opcode ran", () => {
    const empty = stateOf({ [SENDER]: { balance: 1n } });
    expect(() => trace({ tracer: unigramTracer, state: empty })).toThrow("invalid character 'u'");
    expect(trace({ tracer: bigramTracer, state: empty })).toEqual({});
  });
});
