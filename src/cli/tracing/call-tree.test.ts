import { describe, expect, it } from "vitest";
import { type Names, NO_NAMES } from "../../api/artifacts/names.ts";
import { readTrace, type TraceFrame } from "../../api/artifacts/trace-frame.ts";
import type { TracedContracts } from "../../api/artifacts/traced-contracts.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { callTree } from "./call-tree.ts";
import { traceJson } from "./trace-json.ts";

const same = (text: string) => text;
const paint = { bold: same, dim: same, red: (text: string) => `!${text}`, green: same };
const address = (digit: string) => `0x${digit.repeat(40)}`;
const frame = (more: object): TraceFrame =>
  readTrace({
    type: "CALL",
    from: address("1"),
    to: address("2"),
    value: "0x0",
    gas: "0x64",
    gasUsed: "0x9",
    ...more,
  });

/** Contracts of which nothing is known, except the given names. */
function known(names: Partial<Names> = {}, name?: string): TracedContracts {
  const contract = name === undefined ? undefined : { name };
  return {
    ...{
      contracts: { withCode: () => undefined, withInitCode: () => undefined, function: () => undefined },
      of: () => contract,
    },
    names: { ...NO_NAMES, ...names },
  } as unknown as TracedContracts;
}
const tree = (more: object, names?: Partial<Names>) => callTree(frame(more), { paint, known: known(names) });
/** `Error("no")`. */
const NO = `0x08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`;
const CONSOLE = "0x000000000000000000636f6e736f6c652e6c6f67";

describe("a call tree", () => {
  it("shows a transfer with its amount", () => {
    expect(tree({ value: "0xde0b6b3a7640000", gasUsed: "0x5208" })).toEqual([
      `  [21,000] ${address("2")}.() {1 KAIA}`,
      "    └─ ✔",
    ]);
    expect(tree({ value: "0x1" })[0]).toContain("{1 kei}");
  });

  it("draws nested calls, their events and console output in order, and storage changes", () => {
    const log = (position: string, data: string) => ({
      address: address("2"),
      topics: [`0x${"aa".repeat(32)}`],
      data,
      position,
    });
    const lines = tree({
      input: "0x01020304",
      output: "0x2a",
      calls: [
        {
          type: "STATICCALL",
          to: address("3"),
          gasUsed: "0x1",
          calls: [{ type: "DELEGATECALL", to: address("4"), value: "0x5" }],
        },
        {
          type: "STATICCALL",
          to: CONSOLE,
          input: `0x41304fac${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6869".padEnd(64, "0")}`,
        },
      ],
      logs: [log("0x0", "0x"), log("0x1", "0x11"), log("0x9", "0x22")],
      storage: [{ slot: "0x0", from: "0x1", to: "0x2" }],
    });
    const topics = `[0x${"aa".repeat(32)}]`;
    expect(lines).toEqual([
      `  [9] ${address("2")}.0x01020304`,
      `    ├─ emit ${topics} 0x`,
      `    │ [1] ${address("3")}.() [staticcall]`,
      `    │   │ [0] ${address("4")}.() [delegatecall]`,
      "    │   │   └─ ✔",
      "    │   └─ ✔",
      `    ├─ emit ${topics} 0x11`,
      "    ├─ console.log hi",
      `    ├─ emit ${topics} 0x22`,
      "    ├─ storage 0x0: 0x1 → 0x2",
      "    └─ ✔ 0x2a",
    ]);
  });

  it("shows known names of contracts, functions, events and errors", () => {
    const names = { call: () => "transfer(1)", log: () => "Transfer(2)", error: () => "Poor(3)" };
    const failed = {
      input: "0x01",
      output: "0x02",
      error: "execution reverted",
      logs: [{ address: address("2"), topics: [], data: "0x" }],
    };
    expect(tree(failed, names)).toEqual([
      `  [9] !${address("2")}.transfer(1)`,
      "    ├─ emit Transfer(2)",
      "    └─ !✘ execution reverted: Poor(3)",
    ]);
    expect(tree(failed, { ...names, contract: () => "Token" })[0]).toBe("  [9] !transfer(1)");
    expect(tree({ input: "0x01" }, { contract: () => "Token" })[0]).toBe("  [9] Token.0x01");
  });

  it("shows why a call failed as far as known", () => {
    const end = (output: string) => tree({ error: "execution reverted", output }).at(-1);
    expect(end(NO)).toBe('    └─ !✘ execution reverted: "no"');
    expect(end("0x0102")).toBe("    └─ !✘ execution reverted: 0x0102");
    expect(end("0x")).toBe("    └─ !✘ execution reverted");
    expect(end(`0x${"01".repeat(68)}`)).toMatch(/: 0x(01){68}$/);
    expect(end(`0x${"01".repeat(69)}`)).toMatch(/: 0x(01){68}… \(69 bytes\)$/);
  });

  it("shows created contracts with the size of their code, and failed creations", () => {
    expect(tree({ type: "CREATE2", input: "0x6000", output: `0x${"00".repeat(1234)}` })).toEqual([
      `  [9] new contract @ ${address("2")}`,
      "    └─ ✔ 1,234 bytes of code",
    ]);
    expect(
      tree({ type: "CREATE", to: undefined, error: "out of gas" }, { creation: () => "new Token(1)" }),
    ).toEqual(["  [9] !new Token(1)", "    └─ !✘ out of gas"]);
    expect(tree({ to: undefined })[0]).toBe("  [9] nobody.()");
  });

  it("indents 64 levels, and ends after 20,000 lines", () => {
    let deep: object = {};
    for (let level = 0; level < 70; level++) deep = { type: "CALL", to: address("2"), calls: [deep] };
    const depths = tree(deep).map((line) => line.match(/│/g)?.length ?? 0);
    expect(Math.max(...depths)).toBe(64);
    const wide = (count: number) =>
      tree({ calls: Array.from({ length: count }, () => ({ to: address("3") })) });
    expect(wide(9_999)).toHaveLength(20_000);
    expect(wide(9_999).at(-1)).toBe("    └─ ✔");
    expect(wide(20_000)).toHaveLength(20_001);
    expect(wide(20_000).at(-1)).toBe("  …");
  });
});

describe("a trace as JSON", () => {
  const json = (more: object, names?: Partial<Names>, stack: readonly string[] = [], name?: string) =>
    traceJson({ root: frame(more), known: known(names, name), stack, blockNumber: 5n });

  it("omits what is absent", () => {
    expect(json({ value: "0x7", input: "0x01", output: "0x02" })).toEqual({
      ...{ blockNumber: 5, type: "CALL", from: address("1"), to: address("2"), value: "7" },
      ...{ gas: 100, gasUsed: 9, input: "0x01", output: "0x02" },
    });
  });

  it("has names, reasons, logs, storage, calls and the location of a failure", () => {
    const names = { call: () => "f()", creation: () => "new C()", log: () => "E()" };
    const log = { address: address("2"), topics: [`0x${"aa".repeat(32)}`], data: "0x03", position: "0x1" };
    const storage = [{ slot: "0x0", from: "0x1", to: "0x2" }];
    const root = {
      error: "execution reverted",
      output: NO,
      logs: [log],
      storage,
      calls: [{ type: "CREATE", to: address("3") }],
    };
    expect(json(root, names, ["at C.f"], "C")).toMatchObject({
      ...{
        contract: "C",
        call: "f()",
        error: "execution reverted",
        reason: '"no"',
        storage,
        stack: ["at C.f"],
      },
      logs: [{ ...log, position: 1, event: "E()" }],
      calls: [{ type: "CREATE", call: "new C()" }],
    });
    const bare = json({ ...root, output: "0x" }) as { readonly logs: readonly object[] };
    expect(bare).not.toHaveProperty("reason");
    expect(bare.logs[0]).not.toHaveProperty("event");
    expect(json(root, { error: () => "Poor()" })).toMatchObject({ reason: "Poor()" });
  });

  it("looks up names by callee, input and revert output", () => {
    const asked = (to: Uint8Array | undefined, data: Uint8Array) =>
      `${to && bytesToHex(to)} ${bytesToHex(data)}`;
    const names: Partial<Names> = { call: asked, error: (output, to) => asked(to, output) };
    const failed = { input: "0x01", output: "0x02", error: "execution reverted" };
    const [call, reason] = [`${address("2")} 0x01`, `${address("2")} 0x02`];
    expect(json(failed, names)).toMatchObject({ call, reason });
    expect(tree(failed, names)).toEqual([
      `  [9] !${address("2")}.${call}`,
      `    └─ !✘ execution reverted: ${reason}`,
    ]);
  });
});
