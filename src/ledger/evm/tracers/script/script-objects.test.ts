import { beforeEach, describe, expect, it } from "vitest";
import { contractAddress, saltedContractAddress } from "../../../../protocol/account/address.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { address, CONTRACT, call, SENDER, stateOf, word } from "../../testing/run-code.ts";
import { ScriptEngine } from "./script-engine.ts";
import { scriptTracer } from "./script-tracer.ts";

const [CALLEE, INNER] = [CONTRACT + 1, CONTRACT + 2];
const GAS = 100_000n;
const INTRINSIC = 21_000n;
const INPUT = Uint8Array.of(1, 2, 3, 4);
/** 2^255 + 2^129 + 7: wider than what a script's numbers hold. */
const WIDE = 2n ** 255n + 2n ** 129n + 7n;

let engine = await ScriptEngine.load();
beforeEach(async () => {
  if (engine.isUnusable) engine = await ScriptEngine.load();
});

const hex = (number: number) => bytesToHex(address(number));
const bare = (number: number) => hex(number).slice(2);

interface Scene {
  readonly code?: string;
  readonly callee?: string;
  readonly inner?: string;
  readonly gas?: bigint;
  readonly isCreation?: boolean;
}

/** What a script shows of a transaction that runs code. */
function trace(
  script: string,
  { code = "00", callee = "00", inner = "00", gas = GAS, isCreation = false }: Scene = {},
) {
  const init = hexToBytes(`0x${code}`);
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n, nonce: 3n },
    [CONTRACT]: { code: init, balance: WIDE, storage: { 1: WIDE } },
    [CALLEE]: { code: hexToBytes(`0x${callee}`) },
    [INNER]: { code: hexToBytes(`0x${inner}`) },
  });
  const input = isCreation ? init : INPUT;
  const transaction = {
    ...{ from: address(SENDER), to: address(CONTRACT), isCreation, value: 5n, input, gas: gas + INTRINSIC },
    ...{ gasPrice: 25n * 10n ** 9n, blockNumber: 300n },
  };
  const tracer = scriptTracer({ engine, code: script, shouldStop: () => false }, transaction, state);
  const run = call(state, { gas, value: 5n, input, tracer: tracer.hooks }, isCreation ? null : CONTRACT);
  const { gasLeft, output, error } = run;
  return JSON.parse(tracer.resultText({ gasUsed: gas + INTRINSIC - gasLeft, output, error }));
}

const tracerOf = (body: string, result = "return this.seen") =>
  `{ seen: [], ${body}, fault: function(log) { this.seen.push("fault " + log.getError()); }, result: function(ctx, db) { ${result} } }`;
/** A tracer whose result is that of a function body. */
const resulting = (body: string) => tracerOf("step: function() {}", body);
/** A tracer that collects an expression of each opcode's step. */
const atSteps = (op: string, expression: string) =>
  tracerOf(`step: function(log, db) { if (log.op.toString() == "${op}") this.seen.push(${expression}); }`);
const FRAMES = tracerOf(
  `enter: function(f) { var v = f.getValue();
    this.seen.push([f.getType(), toHex(f.getFrom()), toHex(f.getTo()), toHex(f.getInput()), f.getGas(), v === undefined ? null : v.toString(10)]); },
   exit: function(r) { this.seen.push([r.getGasUsed(), toHex(r.getOutput()), r.getError() || null]); }`,
);

/** A call with 3 bytes of memory as input; `value` only for CALL and CALLCODE. */
const callTo = (target: number, op: string, value?: number) =>
  `5f5f60035f${value === undefined ? "" : `60${value.toString(16).padStart(2, "0")}`}73${bare(target)}61ffff${op}50`;
/** MSTORE of 0x010203… at 0. */
const FILL = `7f${"010203".padEnd(64, "0")}5f52`;

describe("the state that a script reads", () => {
  it.each([
    ["the balance of an account", "db.getBalance(ctx.to).toString(10)", String(WIDE + 5n)],
    ["a nonce", "[db.getNonce(ctx.from), db.getNonce(toAddress('0x9999'))]", [3, 0]],
    ["code", "[toHex(db.getCode(ctx.to)), toHex(db.getCode(ctx.from))]", ["0x00", "0x"]],
    ["whether an account exists", "[db.exists(ctx.to), db.exists(toAddress('0x9999'))]", [true, false]],
    [
      "slots",
      "[1, 2].map(function(n) { return toHex(db.getState(ctx.to, toWord('0x0' + n))); })",
      [bytesToHex(word(WIDE)), bytesToHex(word(0))],
    ],
  ])("has %s", (_, expression, expected) => {
    expect(trace(resulting(`return ${expression}`))).toEqual(expected);
  });

  it("has the addresses of new contracts", () => {
    const salt = `0x${"0102".padStart(64, "0")}`;
    const body = `return [toHex(toContract(ctx.from, 3)), toHex(toContract(ctx.from, -1)),
      toHex(toContract2(ctx.from, "${salt}", "0x6001"))]`;
    expect(trace(resulting(body))).toEqual(
      [
        contractAddress(address(SENDER), 3n),
        contractAddress(address(SENDER), 2n ** 64n - 1n),
        saltedContractAddress(address(SENDER), hexToBytes(salt), keccak256(hexToBytes("0x6001"))),
      ].map(bytesToHex),
    );
  });
});

describe("the transaction that a script is told of", () => {
  const context = resulting(
    "return [ctx.type, ctx.gas, ctx.intrinsicGas, ctx.gasUsed, ctx.gasPrice, ctx.value, toHex(ctx.input), toHex(ctx.output), ctx.block, ctx.error || null]",
  );
  // MSTORE8 0xaa at 0, RETURN or REVERT of one byte
  const ending = (op: string) => `60aa5f5360015f${op}`;

  it("has its gas apart from the intrinsic gas, its output, and the block it runs in", () => {
    expect(trace(context, { code: ending("f3") })).toEqual([
      ...["CALL", Number(GAS), Number(INTRINSIC), Number(INTRINSIC) + 16, "25000000000", "5"],
      ...["0x01020304", "0xaa", 300, null],
    ]);
    expect(trace(context, { code: ending("fd") }).slice(-3)).toEqual([
      "0xaa",
      300,
      "evm: execution reverted",
    ]);
  });

  it("is a creation where it is one", () => {
    const [type, , , , , , input, output] = trace(context, { code: ending("f3"), isCreation: true });
    expect([type, input, output]).toEqual(["CREATE", `0x${ending("f3")}`, "0xaa"]);
  });
});

describe("the calls that a script is told of", () => {
  it("have their parties, input and value, and what came of them", () => {
    const code = `${FILL}${callTo(CALLEE, "f1", 2)}${callTo(CALLEE, "fa")}00`;
    // the callee returns 0xaa if it may write, and reverts with 0xbb otherwise
    const seen = trace(FRAMES, {
      code,
      callee: "3460105760bb5f5360015ffd000000005b60aa5f5360015ff3",
    });
    const frame = (kind: string, gas: number, value: string | null) => [
      ...[kind, hex(CONTRACT), hex(CALLEE), "0x010203", gas, value],
    ];
    expect(seen).toEqual([
      frame("CALL", 0xffff + 2300, "2"),
      [32, "0xaa", null],
      frame("STATICCALL", 0xffff, null),
      "fault evm: execution reverted",
      [31, "0xbb", "evm: execution reverted"],
    ]);
  });

  it("include those within others, creations and destructions", () => {
    const code = `${FILL}${callTo(CALLEE, "f4")}60015f5ff0505f00`;
    const seen = trace(FRAMES, { code, callee: `${callTo(INNER, "f2", 0)}00`, inner: `73${bare(0x9999)}ff` });
    const kinds = (seen as unknown[][]).map(([kind, from, to]) =>
      typeof kind === "string" ? [kind, from, to] : "end",
    );
    expect(kinds).toEqual([
      ["DELEGATECALL", hex(CONTRACT), hex(CALLEE)],
      ["CALLCODE", hex(CONTRACT), hex(INNER)],
      ["SELFDESTRUCT", hex(CONTRACT), hex(0x9999)],
      ...["end", "end", "end"],
      ["CREATE", hex(CONTRACT), bytesToHex(contractAddress(address(CONTRACT), 1n))],
      "end",
    ]);
    expect((seen as unknown[][])[0]?.[5]).toBe("5");
  });
});

describe("the contract of a step", () => {
  const contract = `[toHex(log.contract.getAddress()), toHex(log.contract.getCaller()), log.contract.getValue().toString(10),
    toHex(log.contract.getInput())]`;

  it.each([
    ["f1", 2, [hex(CALLEE), hex(CONTRACT), "2", "0x010203"]],
    ["f2", 2, [hex(CONTRACT), hex(CONTRACT), "2", "0x010203"]],
    ["f4", undefined, [hex(CONTRACT), hex(SENDER), "5", "0x010203"]],
    ["fa", undefined, [hex(CALLEE), hex(CONTRACT), "0", "0x010203"]],
  ])("reached by %s has its address, caller, value and input", (op, value, expected) => {
    const seen = trace(atSteps("PC", contract), {
      code: `58${FILL}${callTo(CALLEE, op, value)}5800`,
      callee: "5800",
    });
    const own = [hex(CONTRACT), hex(SENDER), "5", "0x01020304"];
    expect(seen).toEqual([own, expected, own]);
  });

  it("in a creation has no input", () => {
    const seen = trace(atSteps("PC", contract), { code: "5800", isCreation: true });
    expect(seen).toEqual([[bytesToHex(contractAddress(address(SENDER), 3n)), hex(SENDER), "5", "0x"]]);
  });
});

describe("what a script reads of a step", () => {
  it("is zero or empty beyond stack and memory", () => {
    const reads = `[log.stack.peek(0).toString(16), log.stack.peek(1).toString(16), log.stack.peek(2).toString(10), log.stack.peek(-1).toString(10),
      toHex(log.memory.slice(0, 3)), toHex(log.memory.slice(31, 32)), toHex(log.memory.slice(32, 32)), toHex(log.memory.slice(31, 33)),
      toHex(log.memory.slice(2, 1)), toHex(log.memory.slice(-1, 1)), log.memory.getUint(0).toString(16), log.memory.getUint(1).toString(10)]`;
    // PUSH32 2^255 + 2^129 + 7, PUSH1 9, PC
    const wide = WIDE.toString(16);
    expect(trace(atSteps("PC", reads), { code: `${FILL}7f${wide}60095800` })).toEqual([
      ...[["9", wide, "0", "0", "0x010203", "0x00", "0x", "0x", "0x", "0x", `10203${"0".repeat(58)}`, "0"]],
    ]);
  });

  it("includes the words up to the greatest that its numbers hold, and those beyond", () => {
    const words = [2n ** 53n - 1n, 2n ** 53n, 2n ** 64n, 2n ** 128n + 1n, 2n ** 192n - 1n, 2n ** 256n - 1n];
    const pushes = words.map((each) => `7f${each.toString(16).padStart(64, "0")}58`).join("");
    expect(trace(atSteps("PC", "log.stack.peek(0).toString(16)"), { code: `${pushes}00` })).toEqual(
      words.map((each) => each.toString(16)),
    );
  });

  it("has the error of a step that fails before it runs, and of a fault while it runs", () => {
    expect(trace(atSteps("ADD", "log.getError()"), { code: "01" })).toEqual([
      expect.stringMatching(/^stack underflow/),
    ]);
    const fault = "fault evm: invalid jump destination";
    const atJump = atSteps("JUMP", "log.getError() === undefined");
    expect(trace(atJump, { code: "5f56" })).toEqual([true, fault]);
    // without `step`
    expect(trace(FRAMES, { code: "5f56" })).toEqual([fault]);
    expect(trace(FRAMES, { code: `${callTo(CALLEE, "fa")}00`, callee: "5f56" })).toEqual([
      expect.arrayContaining(["STATICCALL"]),
      fault,
      [0xffff, "0x", "evm: invalid jump destination"],
    ]);
  });
});

describe("a script with an error", () => {
  it.each([
    ["{ step: function() {}, result: function() {} }", "Trace object must expose a function fault()"],
    ["{ step: function() {}, fault: function() {} }", "Trace object must expose a function result()"],
    [
      "{ enter: function() {}, fault: function() {}, result: function() {} }",
      "trace object must expose either both or none of enter() and exit()",
    ],
    [
      "{ fault: function() {}, result: function() {} }",
      "trace object must expose either step() or both enter() and exit()",
    ],
    ["null", "cannot read property 'step' of null"],
  ])("is refused: %s", (script, text) => {
    expect(() => trace(script)).toThrow(
      expect.objectContaining({ code: "SCRIPT", message: expect.stringContaining(text) }),
    );
  });

  it.each([
    ["step", "step: function() { throw 'no ' + ++this.n; }"],
    ["fault", "step: function() {}, fault: function() { throw 'no ' + ++this.n; }"],
    ["enter", "enter: function() { throw 'no ' + ++this.n; }, exit: function() { throw 'later'; }"],
    ["exit", "enter: function() {}, exit: function() { throw 'no ' + ++this.n; }"],
    ["result", "step: function() {}, result: function() { throw 'no ' + ++this.n; }"],
  ])("in %s ends with the first", (name, body) => {
    const script = `{ n: 0, fault: function() {}, result: function() { return 1; }, ${body} }`;
    const code = `${callTo(CALLEE, "fa")}${callTo(CALLEE, "fa")}5f56`;
    expect(() => trace(script, { code, callee: "5f56" })).toThrow(
      expect.objectContaining({
        code: "SCRIPT",
        message: `no 1    in server-side tracer function '${name}'`,
      }),
    );
  });

  it("has no result where that is no JSON", () => {
    expect(() => trace(resulting("return undefined"))).toThrow("invalid character 'u'");
  });
});
