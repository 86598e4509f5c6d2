import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { EvmTimeout, type StepInfo, type Tracer } from "../../evm.ts";
import { address, CONTRACT, call, SENDER, stateOf } from "../../testing/run-code.ts";
import { ScriptEngine } from "./script-engine.ts";
import { scriptTracer } from "./script-tracer.ts";

const TRANSACTION = {
  from: address(1),
  to: address(2),
  isCreation: false,
  value: 5n,
  input: Uint8Array.of(1, 2, 3, 4),
  gas: 100_000n,
  gasPrice: 25n * 10n ** 9n,
  blockNumber: 7n,
};

const bare = (bytes: Uint8Array) => bytesToHex(bytes).slice(2);

/** Number of checks after which a script is stopped. */
const MAX_CHECKS = 2;

let engine = await ScriptEngine.load();

/** What a script shows of a transaction without steps. */
function show(code: string): unknown {
  let checks = 0;
  const shouldStop = () => ++checks > MAX_CHECKS;
  const script = scriptTracer({ engine, code, shouldStop }, TRANSACTION, stateOf({ 1: { balance: 9n } }));
  return JSON.parse(script.resultText({ gasUsed: 21_000n, output: Uint8Array.of() }));
}

/** A tracer whose result is that of a function body. */
function resulting(body: string): string {
  return `{ step: function() {}, fault: function() {}, result: function(ctx, db) { ${body} } }`;
}

beforeEach(async () => {
  if (engine.isUnusable) engine = await ScriptEngine.load();
});

describe("a script", () => {
  it("sees the transaction and reads the state", () => {
    const body = "return [toHex(ctx.from), ctx.value, ctx.gasUsed, ctx.block, db.getBalance(ctx.from)]";
    expect(show(resulting(body))).toEqual(
      [`0x${"00".repeat(19)}01`, "5", 21_000, undefined, "9"].map((v) => v ?? null),
    );
  });

  it.each([
    ["process", "typeof process"],
    ["require", "typeof require"],
    ["modules", "typeof module + typeof exports"],
    ["timers", "typeof setTimeout"],
    ["threads", "typeof Worker + typeof Atomics"],
    ["WebAssembly", "typeof WebAssembly"],
    ["process via a constructor", "(function() {}).constructor('return typeof process')()"],
    [
      "process via a function of the node",
      "db.getBalance.constructor.constructor('return typeof process')()",
    ],
    ["process via the global object", "typeof globalThis.process"],
  ])("finds no %s", (_, expression) => {
    expect(show(resulting(`return ${expression}`))).toMatch(/^(undefined)+$/);
  });

  it.each([
    ["in its result", resulting("for (;;) {}")],
    ["while it is created", "(function() { for (;;) {} })()"],
    [
      "after an error that it catches",
      resulting("for (;;) { try { throw 1 } catch (e) {} finally { for (;;) {} } }"),
    ],
    ["in a regular expression", resulting("return /^(a+)+$/.test('a'.repeat(40) + 'b')")],
  ])("is stopped %s", (_, code) => {
    expect(() => show(code)).toThrow(EvmTimeout);
  });

  it.each([
    ["memory", resulting("var a = []; for (;;) a.push(new Uint8Array(2e7))"), "out of memory"],
    ["string length", resulting("return 'x'.repeat(2 ** 30)"), "RangeError"],
    ["buffer size", resulting("return new ArrayBuffer(4e9)"), "RangeError"],
    ["call depth", resulting("function f() { return f() + 1 } return f()"), "stack overflow"],
    ["nesting depth of its source", "(".repeat(50_000) + ")".repeat(50_000), "stack overflow"],
  ])("is limited in %s", (_, code, text) => {
    expect(() => show(code)).toThrow(text);
  });

  it("has a cost of 32 bits, and its result is escaped, as in the reference", () => {
    const code = `{ cost: 0, step: function(log) { this.cost = log.getCost(); }, fault: function() {},
      result: function() { return [this.cost, "0 <=> 2"]; } }`;
    const script = scriptTracer({ engine, code, shouldStop: () => false }, TRANSACTION, stateOf({}));
    // SHA3 of 0x1fffffffe0 bytes
    const state = stateOf({ [CONTRACT]: { code: hexToBytes("0x641fffffffe0600020") } });
    call(state, { gas: 100_000n, tracer: script.hooks });
    const text = script.resultText({ gasUsed: 21_000n, output: Uint8Array.of() });
    expect(text).toBe('[4278190101,"0 \\u003c=\\u003e 2"]');
  });

  it("sees each step like a native step tracer, with stack, memory and contract", () => {
    const code = `{ lines: [], step: function(log, db) {
      var n = log.stack.length();
      this.lines.push([log.getPC(), log.op.toString(), log.op.toNumber(), log.getGas(), log.getCost(), log.getDepth(),
        log.getRefund(), n, n > 0 ? log.stack.peek(0).toString(10) : "", n > 1 ? log.stack.peek(1).toString(10) : "",
        toHex(log.memory.slice(0, 32)), log.memory.getUint(0).toString(10),
        toHex(log.contract.getAddress()), toHex(log.contract.getCaller()), log.contract.getValue().toString(10),
        toHex(log.contract.getInput()), log.getError() === undefined]);
    }, fault: function(log, db) { this.lines.push(["fault", log.getPC(), log.getError()]); },
    result: function(ctx, db) { return [this.lines, ctx.block]; } }`;
    const callee = CONTRACT + 1;
    // stores 5, calls the callee with 3 bytes of memory and a value of 2, then reverts; the callee stores its input and jumps badly
    const accounts = {
      [SENDER]: { balance: 10n ** 18n },
      [CONTRACT]: {
        code: hexToBytes(`0x60055f525f5f6003601d600273${bare(address(callee))}5af15f5ffd`),
        balance: 9n,
      },
      [callee]: { code: hexToBytes("0x5f355f52600156") },
    };
    const script = scriptTracer({ engine, code, shouldStop: () => false }, TRANSACTION, stateOf(accounts));
    const expected: unknown[] = [];
    const callers: { address: Uint8Array; caller: Uint8Array; value: bigint; input: Uint8Array }[] = [];
    const step = (info: StepInfo): void => {
      const { stack, memory, depth } = info;
      const first = memory.length < 32 ? "" : bare(memory.subarray(0, 32));
      const { address: own, caller, value, input } = callers[depth - 1] as (typeof callers)[0];
      expected.push([
        ...[
          info.pc,
          info.opName,
          info.op,
          Number(info.gas),
          Number(info.gasCost),
          depth,
          Number(info.refund),
        ],
        ...[stack.length, String(stack.at(-1) ?? ""), stack.length > 1 ? String(stack.at(-2)) : ""],
        ...[`0x${first}`, String(BigInt(`0x${first || "0"}`))],
        ...[bytesToHex(own), bytesToHex(caller), String(value), bytesToHex(input), info.error === undefined],
      ]);
    };
    const { hooks } = script;
    const tracer: Tracer = {
      ...hooks,
      enter: (entered) => {
        callers[entered.depth] = { address: entered.to, caller: entered.from, ...entered } as never;
        hooks.enter?.(entered);
      },
      step: (info) => {
        step(info);
        hooks.step?.(info);
      },
      fault: (info) => {
        expected.push(["fault", info.pc, info.error]);
        hooks.fault?.(info);
      },
    };
    call(stateOf(accounts), { gas: 100_000n, tracer });
    const [lines] = JSON.parse(script.resultText({ gasUsed: 21_000n, output: Uint8Array.of() }));
    expect(lines).toEqual(expected);
    expect(lines.length).toBeGreaterThan(20);
  });

  it("leaves nothing behind for the next script", () => {
    show(
      resulting(
        "Object.prototype.left = 1; globalThis.toHex = bigInt = null; JSON.stringify = null; return 1",
      ),
    );
    expect(show(resulting("return [typeof ({}).left, toHex(ctx.input), bigInt(3)]"))).toEqual([
      "undefined",
      "0x01020304",
      "3",
    ]);
  });

  it("cannot corrupt the node's view of the shared memory", async () => {
    const body = `var seen; Uint8Array.prototype.fill = function() { seen = this.buffer; return this };
      db.exists(ctx.from); new Uint8Array(seen).set(new Uint8Array(seen.byteLength).map(() => 255)); return db.exists(ctx.to)`;
    expect(show(resulting(body))).toBe(false);
    expect(show(resulting("return db.exists(ctx.from)"))).toBe(true);
  });

  it("returns a result or fails with a TracerError or timeout, whatever its source", () => {
    const word = fc.constantFrom(
      ...[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        "step",
        "fault",
        "result",
        "function",
        "return",
        "ctx",
        "db",
      ],
      ...[
        "log",
        "toHex",
        "bigInt",
        "this",
        "throw",
        "new",
        "1",
        "-1",
        "1e9",
        "'x'",
        "null",
        ".",
        "=",
        "=>",
        "+",
        ":",
      ],
      ...[
        "Object",
        "Array",
        "Proxy",
        "arguments",
        "eval",
        "while",
        "for",
        "var",
        "let",
        "class",
        "yield",
        "async",
      ],
    );
    const piece = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(piece, fc.boolean(), (words, whole) => {
        try {
          show(whole ? words : resulting(words));
        } catch (error) {
          expect(["TracerError", "EvmTimeout"]).toContain((error as Error).name);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it("refuses an empty script", () => {
  for (const code of ["", " \n"])
    expect(() => show(code)).toThrow(
      expect.objectContaining({ code: "SCRIPT", message: expect.stringContaining("empty expression") }),
    );
});

describe("a script that exceeds its memory", () => {
  /** What a script shows that may run for long. */
  const run = (body: string, code = Uint8Array.of()) =>
    scriptTracer(
      { engine, code: resulting(body), shouldStop: () => false },
      TRANSACTION,
      stateOf({ 2: { code } }),
    ).resultText({ gasUsed: 21_000n, output: Uint8Array.of() });

  it("runs out of it for arrays allocated by the node", () => {
    const body =
      "var kept = []; for (var i = 0; i < 4000; i++) kept.push(db.getCode(ctx.to)); return kept.length";
    expect(() => run(body, new Uint8Array(100_000).fill(1))).toThrow("out of memory");
    expect(engine.isUnusable).toBe(true);
  });

  it("leaves none of it to the next one", () => {
    const body =
      "var kept = []; for (var i = 0; i < 300; i++) kept.push(db.getCode(ctx.to)); return kept.length";
    expect(run(body, new Uint8Array(100_000).fill(1))).toBe("300");
    expect(engine.isUnusable).toBe(true);
  });

  it("runs out of it for an array that it hands over, but not for many of them one after the other", () => {
    const handOver = (bytes: number, times: number) =>
      `var code = new Uint8Array(${bytes}); for (var i = 0; i < ${times}; i++) toContract2(ctx.from, "0x01", code); return i`;
    expect(run(handOver(2 << 20, 40))).toBe("40");
    expect(() => run(handOver(30 << 20, 1))).toThrow("out of memory");
  });
});
