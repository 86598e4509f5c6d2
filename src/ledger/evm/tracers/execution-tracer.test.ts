import { describe, expect, it } from "vitest";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { address, CONTRACT, call, SENDER, stateOf } from "../testing/run-code.ts";
import { executionTracer } from "./execution-tracer.ts";

const CALLEE = CONTRACT + 1;
const at = (number: number) => bytesToHex(address(number)).slice(2);

const TRANSACTION = {
  ...{ from: address(SENDER), to: address(CONTRACT), isCreation: false, value: 0n, input: EMPTY_BYTES },
  ...{ gas: 1_000_000n, gasPrice: 0n, blockNumber: 300n },
};

interface Shown {
  readonly type: string;
  readonly input: string;
  readonly error?: string;
  readonly at?: readonly number[];
  readonly jumps?: readonly number[];
  readonly calls?: readonly Shown[];
  readonly logs?: readonly object[];
  readonly storage?: readonly object[];
}

/** Traces a call of code that may call other code. */
function traced(code: string, callee = "", gas = 1_000_000n): Shown {
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n },
    [CONTRACT]: { code: hexToBytes(`0x${code}`), storage: { 1: 7n } },
    [CALLEE]: { code: hexToBytes(`0x${callee}`) },
  });
  const tracer = executionTracer({ ...TRANSACTION, gas }, state);
  const { error, output, gasLeft } = call(state, { gas, ...(tracer.hooks && { tracer: tracer.hooks }) });
  return tracer.result?.({ error, output, gasUsed: gas - gasLeft }) as unknown as Shown;
}

describe("the execution tracer", () => {
  it("shows logs and changed slots of each call, even if reverted", () => {
    const callCallee = `600060006000600060007f${at(CALLEE).padStart(64, "0")}5af150`;
    // MSTORE8 0x2a at 0; LOG1 of one byte with topic 5; call; SSTORE 1 := 9; SSTORE 2 := 0; LOG0
    const shown = traced(
      `602a600053600560016000a1${callCallee}60096001556000600255600060 00a0`.replace(" ", ""),
      "60016003556000600060006000a25f5ffd",
    );
    expect(shown.error).toBeUndefined();
    expect(shown.storage).toEqual([{ slot: `0x${"1".padStart(64, "0")}`, from: "0x7", to: "0x9" }]);
    expect(shown.logs).toEqual([
      { address: `0x${at(CONTRACT)}`, topics: [`0x${"5".padStart(64, "0")}`], data: "0x2a", position: "0x0" },
      { address: `0x${at(CONTRACT)}`, topics: [], data: "0x", position: "0x1" },
    ]);
    expect(shown.calls).toMatchObject([
      {
        ...{ type: "CALL", from: `0x${at(CONTRACT)}`, to: `0x${at(CALLEE)}`, error: "execution reverted" },
        storage: [{ from: "0x0", to: "0x1" }],
        logs: [{ position: "0x0" }],
        at: [16],
      },
    ]);
  });

  it("follows internal function calls to the location of the failure", () => {
    // 0: PUSH 5 (return), PUSH 8 (function), JUMP at 4; 5: JUMPDEST STOP; 8: JUMPDEST, PUSH 14, PUSH 16, JUMP at 13; 16: JUMPDEST REVERT
    const code = "60056008565b00005b600e6010565b005b5f5ffd";
    expect(traced(code)).toMatchObject({ error: "execution reverted", at: [4, 13, 19], jumps: [4, 13] });
  });

  it("drops functions that have returned", () => {
    // 0: PUSH 5, PUSH 10, JUMP at 4; 5: JUMPDEST, REVERT at 8; 10: JUMPDEST, JUMP back
    expect(traced("6005600a565b5f5ffd005b56")).toMatchObject({ at: [8], jumps: [4, 11] });
  });

  it("recognizes a call by its return address below at most 16 arguments, and never a conditional jump", () => {
    // PUSH the return address, arguments, PUSH the function, JUMP; STOP; JUMPDEST, REVERT
    const withArguments = (count: number) => {
      const jump = 4 + count;
      const [back, function_] = [jump + 1, jump + 2].map((place) => place.toString(16).padStart(2, "0"));
      return { jump, ...traced(`60${back}${"5f".repeat(count)}60${function_}56005b5f5ffd`) };
    };
    for (const count of [0, 1, 16]) {
      const { jump, at } = withArguments(count);
      expect(at).toEqual([jump, jump + 5]);
    }
    expect(withArguments(17)).toMatchObject({ at: [26], jumps: [21] });
    // the same with JUMPI
    expect(traced("60076001600857005b5f5ffd")).toMatchObject({ at: [11], jumps: [6] });
  });

  it("remembers the last 16 jumps, and follows 256 nested functions", () => {
    expect(traced("5b600056").jumps).toEqual(Array(16).fill(3));
    // JUMPDEST, PUSH 6, PUSH 0, JUMP: calls itself, and never returns
    expect(traced("5b6006600056").at).toHaveLength(257);
  });

  it("shows any number of topics, and zeros for unallocated memory", () => {
    const topics = [5, 6, 7, 8];
    const log = (count: number, from: string, size: string) =>
      `${topics
        .slice(0, count)
        .reverse()
        .map((topic) => `600${topic}`)
        .join("")}60${size}60${from}a${count}`;
    const first = `${log(1, "00", "02")}602a601f53`;
    const rest = [2, 3, 4].map((count) => log(count, "1f", "03")).join("");
    const { logs } = traced(`${first}${rest}${log(0, "40", "01")}00`);
    const shown = (count: number, data: string) => ({
      ...{ topics: topics.slice(0, count).map((topic) => `0x${String(topic).padStart(64, "0")}`), data },
    });
    expect(logs).toMatchObject([
      shown(1, "0x0000"),
      ...[2, 3, 4].map((count) => shown(count, "0x2a0000")),
      shown(0, "0x00"),
    ]);
  });

  it("shows no locations of successful calls, and a limited number of calls", () => {
    expect(Object.keys(traced("00"))).toEqual(["type", "from", "to", "gas", "gasUsed", "input", "value"]);
    // A loop that calls for ever: JUMPDEST, CALL with 0 gas to 4, POP, PUSH 0, JUMP
    const shown = traced("5b5f5f5f5f5f60045ff150600056", "", 10_000_000n);
    expect(shown.error).toBe("out of gas");
    expect(shown.calls).toHaveLength(10_000);
  });

  it("shows 10,000 logs and slots, and of a slot written again only its last value", () => {
    // JUMPDEST, LOG0 of nothing, PUSH 0, JUMP
    expect(traced("5b5f5fa05f56", "", 10_000_000n).logs).toHaveLength(10_000);
    // 300 times SSTORE of one slot; JUMPDEST, LOG0 of nothing, PUSH back, JUMP
    const store = Array.from({ length: 300 }, (_, i) => `61${(i + 8).toString(16).padStart(4, "0")}600155`);
    const place = (300 * 6).toString(16).padStart(4, "0");
    const { storage, logs } = traced(`${store.join("")}5b5f5fa061${place}56`, "", 10_000_000n);
    expect(storage).toEqual([{ slot: `0x${"1".padStart(64, "0")}`, from: "0x7", to: "0x133" }]);
    expect(logs).toHaveLength(9_999);
  });

  it("shows data of 4 MiB in full, then only the first four bytes of each", () => {
    const MIB = 2 ** 20;
    const tracer = executionTracer(TRANSACTION, stateOf({}));
    const parties = { from: address(1), to: address(CALLEE), value: 0n, gas: 9n };
    for (const bytes of [4 * MIB - 10, 11, 10, 1, 5]) {
      const input = new Uint8Array(bytes).fill(0xab);
      tracer.hooks?.enter?.({ kind: "CALL", ...parties, input, depth: 1 });
      tracer.hooks?.exit?.({ depth: 1, gasUsed: 1n, output: EMPTY_BYTES, outcome: "success" });
    }
    const shown = tracer.result?.({ gasUsed: 1n, output: EMPTY_BYTES }) as unknown as Shown;
    expect(shown.calls?.map(({ input }) => input.length / 2 - 1)).toEqual([4 * MIB - 10, 4, 10, 1, 4]);
  });

  it("shows no writes that fail: too few operands, too little gas, or a static call", () => {
    const failing = ["5f5fa1", "5f55", "6001600255", "63010000005fa0"];
    for (const code of failing) {
      const shown = traced(code, "", 10_000n);
      expect(shown.error).toBeDefined();
      expect([shown.logs, shown.storage]).toEqual([undefined, undefined]);
    }
    // STATICCALL; the callee writes, or calls itself with one byte of input and then writes
    const callAgain = `36602257 5f5f60015f5f73${at(CALLEE)}5af100 5b6001600255`.replaceAll(" ", "");
    for (const callee of ["6001600255", "5f5fa0", callAgain]) {
      const { calls } = traced(`5f5f5f5f73${at(CALLEE)}5afa00`, callee);
      expect(calls?.[0]).toMatchObject({ type: "STATICCALL" });
      const innermost = calls?.[0]?.calls?.[0] ?? calls?.[0];
      expect(innermost?.error).toBe("evm: write protection");
      expect([innermost?.logs, innermost?.storage]).toEqual([undefined, undefined]);
    }
  });
});
