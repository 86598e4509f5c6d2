import { describe, expect, it } from "vitest";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { address, CONTRACT, call, SENDER, stateOf } from "../testing/run-code.ts";
import { executionTracer } from "./execution-tracer.ts";

const CALLEE = CONTRACT + 1;
const at = (number: number) => bytesToHex(address(number)).slice(2);

interface Shown {
  readonly type: string;
  readonly error?: string;
  readonly at?: readonly number[];
  readonly jumps?: readonly number[];
  readonly calls?: readonly Shown[];
  readonly logs?: readonly object[];
  readonly storage?: readonly object[];
}

/** Traces a call of code that may call other code. */
function traced(code: string, callee = ""): Shown {
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n },
    [CONTRACT]: { code: hexToBytes(`0x${code}`), storage: { 1: 7n } },
    [CALLEE]: { code: hexToBytes(`0x${callee}`) },
  });
  const message = { from: address(SENDER), to: address(CONTRACT), value: 0n, input: EMPTY_BYTES };
  const block = { isCreation: false, gas: 1_000_000n, gasPrice: 0n, blockNumber: 300n };
  const tracer = executionTracer({ ...message, ...block }, state);
  const { error, output, gasLeft } = call(state, { ...(tracer.hooks && { tracer: tracer.hooks }) });
  return tracer.result?.({ error, output, gasUsed: 1_000_000n - gasLeft }) as unknown as Shown;
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
    const shown = traced("5b5f5f5f5f5f60045ff150600056");
    expect(shown.error).toBe("out of gas");
    expect(shown.calls?.length).toBeLessThanOrEqual(10_000);
  });
});
