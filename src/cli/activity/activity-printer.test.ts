import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_NAMES } from "../../api/artifacts/names.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { TRANSACTION_TYPES } from "../../protocol/transaction/type-table.ts";
import { block, called, printing, transaction } from "./testing/printed-activity.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const { start, printed, reader } = printing();

describe("printed activity", () => {
  it("names every type, the payers of the fee, and the recipient", async () => {
    const printer = start();
    for (const type of TRANSACTION_TYPES) {
      const name = type.name.slice("TxType".length);
      expect(await printed(printer, transaction(name))).toContain(`✔ ${name}  0xabab`);
    }
    const feePayer = new Uint8Array(20).fill(0x33);
    const shares = { sender: 367_500_000_000_000n, feePayer: 157_500_000_000_000n };
    const shared = transaction("FeeDelegatedValueTransferWithRatio", { feePayer, feeRatio: 30, value: 1n });
    expect(await printed(printer, { ...shared, shares })).toBe(
      [
        `  ✔ FeeDelegatedValueTransferWithRatio  0x${"ab".repeat(32)}`,
        `      0x${"1".repeat(40)} → 0x${"2".repeat(40)}   1 kei`,
        `      gas 21,000 of 50,000 · fee 0.000525 KAIA: 30 % (0.0001575 KAIA) paid by 0x${"3".repeat(40)} · block 12`,
        "",
      ].join("\n"),
    );
    const all = await printed(printer, transaction("FeeDelegatedCancel", { feePayer, to: undefined }));
    expect(all).toContain(`0x${"1".repeat(40)}\n`);
    expect(all).toContain(`fee 0.000525 KAIA paid by 0x${"3".repeat(40)}`);
  });

  it("names a created contract, if there is one", async () => {
    const printer = start();
    const contractAddress = new Uint8Array(20).fill(0x44);
    for (const [name, isNamed] of [
      ["SmartContractDeploy", true],
      ["LegacyTransaction", true],
      ["Cancel", false],
      ["AccountUpdate", false],
    ] as const) {
      const event = transaction(name, { to: undefined });
      const text = await printed(printer, { ...event, receipt: { ...event.receipt, contractAddress } });
      expect(text.includes(`→ new contract 0x${"4".repeat(40)}`)).toBe(isNamed);
    }
  });

  it("shows why a transaction failed, and its console output", async () => {
    const printer = start();
    const event = transaction("LegacyTransaction");
    const failed = { ...event, receipt: { ...event.receipt, status: 9 }, error: "evm: execution reverted" };
    const bare = { ...failed, output: new Uint8Array() };
    expect(await printed(printer, bare)).toContain("      evm: execution reverted\n");
    const output = Uint8Array.of(1, 2, 3, 4);
    expect(await printed(printer, { ...failed, output })).toContain("      reverted: 0x01020304\n");
    const panic = hexToBytes(`0x4e487b71${"12".padStart(64, "0")}`);
    expect(await printed(printer, { ...failed, output: panic })).toContain(
      "      reverted: panic: division or modulo by zero (0x12)\n",
    );
    const text = await printed(printer, { ...failed, output, reason: 'a "b"', console: ["x 1", "y"] });
    expect(text).toContain('      reverted: "a \\"b\\""\n');
    expect(text).toContain("✘ LegacyTransaction");
    expect(text.endsWith("      console.log x 1\n      console.log y\n")).toBe(true);
  });

  it("shows failed calls like transactions, with the recipient of a send", async () => {
    const to = `0x${"2".repeat(40)}`;
    const refused = (data: string) =>
      called("eth_sendTransaction", {
        ...{ message: { to, input: "0x" }, error: { code: 3, message: "execution reverted: …", data } },
      });
    const said = `0x08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`;
    expect(await printed(start(), refused(said))).toBe(
      `  ✘ eth_sendTransaction → ${to}\n      reverted: "no"\n`,
    );
    expect(await printed(start(), refused(`0x4e487b71${"77".padStart(64, "0")}`))).toContain(
      "      reverted: panic: unknown code (0x77)\n",
    );
    expect(await printed(start(), refused("0x"))).toContain("      execution reverted: … (3)\n");
  });

  it("folds repeated calls and empty blocks into one line", async () => {
    const printer = start();
    expect(await printed(printer, called("a"), ...Array(240).fill(called("b")))).toBe("");
    expect(await printed(printer, block(7n), block(8n), called("c"), block(9n, 2))).toMatch(
      /^ {2}a, b ×240, c, empty blocks 7 to 8\n {2}block 9 0x0+: 2 transactions, gas 0\n$/,
    );
    await printed(printer, called("d"));
    await vi.advanceTimersByTimeAsync(1100);
    expect(reader().text.endsWith("  d\n")).toBe(true);
  });

  it("redraws that line in a terminal, unless something was written below it", async () => {
    const printer = start({}, true);
    expect(await printed(printer, called("a"))).toBe("\u001b[2m  a\u001b[0m\n");
    expect(await printed(printer, called("a"))).toBe("\u001b[1A\r\u001b[2K\u001b[2m  a ×2\u001b[0m\n");
    printer.interrupt();
    expect(await printed(printer, called("a"))).toBe("\u001b[2m  a\u001b[0m\n");
    const wide = await printed(printer, ...["x", "y"].map((letter) => called(letter.repeat(50))));
    expect(wide.split("m  ")[1]?.replace("\u001b[0m\n", "").length).toBeLessThan(reader().columns);
  });

  it("counts repeated failures", async () => {
    const printer = start();
    const failed = called("eth_foo", { error: { code: -32601, message: "no such method" } });
    const lines = "  ✘ eth_foo\n      no such method (-32601)\n";
    expect(await printed(printer, failed, failed, failed)).toBe(lines);
    expect(await printed(printer, block(1n, 2))).toMatch(/^ {6}the same again ×2\n {2}block 1/);
  });

  it("has colours in a terminal only, and not with NO_COLOR or a dumb terminal", async () => {
    const event = transaction("LegacyTransaction");
    const hasColours = async (env: Record<string, string>, isTTY: boolean) =>
      (await printed(start({ env }, isTTY), event)).includes("\u001b[");
    expect(await hasColours({}, true)).toBe(true);
    expect(await hasColours({ NO_COLOR: "" }, true)).toBe(true);
    for (const [env, isTTY] of [
      [{ NO_COLOR: "1" }, true],
      [{ TERM: "dumb" }, true],
      [{}, false],
    ] as const)
      expect(await hasColours(env, isTTY)).toBe(false);
    const dumb = start({ env: { TERM: "dumb" } }, true);
    expect(await printed(dumb, called("a"))).toBe("");
  });

  it("follows the verbosity", async () => {
    expect(await printed(start({ verbosity: 1 }), called("a"), block(1n, 2))).toMatch(/^ {2}block/);
    expect(await printed(start({ verbosity: 4 }), called("a"), called("b"))).toBe("  · a\n  · b\n");
  });

  it("shows known names, and where something failed", async () => {
    const names = {
      ...NO_NAMES,
      contract: () => "Token",
      call: () => "transfer(1)",
      creation: () => "new Token(2)",
      log: ({ data }: { data: Uint8Array }) => (data.length === 0 ? undefined : `Transfer(${data[0]})`),
      error: () => "Poor(3)",
    };
    const prepare = vi.fn(async () => undefined);
    const trace = vi.fn(async () => ["at Token.transfer (token.sol:3)"]);
    const printer = start({ names, prepare, trace });
    const [sender, to] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
    const logs = Array.from({ length: 12 }, (_, i) => ({
      ...{ address: new Uint8Array(20), topics: [], data: i === 3 ? new Uint8Array() : Uint8Array.of(i) },
    }));
    const event = transaction("LegacyTransaction", { input: Uint8Array.of(1) });
    const text = await printed(printer, { ...event, receipt: { ...event.receipt, logs } });
    expect(text.split("\n").slice(1, 3)).toEqual([`      ${sender} → ${to} (Token)`, "      transfer(1)"]);
    expect(text.match(/^ {6}event Transfer\(\d+\)$/gm)).toHaveLength(9);
    expect(text.endsWith("      and 3 more\n")).toBe(true);
    expect(trace).not.toHaveBeenCalled();
    expect(prepare).toHaveBeenCalled();
    const failed = { ...event, receipt: { ...event.receipt, status: 9 }, output: Uint8Array.of(1) };
    expect(await printed(printer, failed)).toContain(
      "      reverted: Poor(3)\n        at Token.transfer (token.sol:3)\n",
    );
    const call = called("eth_call", {
      message: { to: to as string, input: "0x01" },
      error: { code: 3, message: "m", data: "0x01" },
    });
    expect(await printed(printer, call)).toBe(
      "  ✘ eth_call → transfer(1)\n      reverted: Poor(3)\n        at Token.transfer (token.sol:3)\n",
    );
    expect(
      await printed(printer, called("eth_call", { message: { to: to as string }, console: ["x"] })),
    ).toBe(`  · eth_call → ${to} (Token)\n      console.log x\n`);
    expect(trace).toHaveBeenCalledTimes(2);
    const contractAddress = new Uint8Array(20).fill(0x44);
    const deploy = transaction("SmartContractDeploy", { to: undefined, input: Uint8Array.of(1) });
    expect(await printed(printer, { ...deploy, receipt: { ...deploy.receipt, contractAddress } })).toContain(
      `→ new contract 0x${"4".repeat(40)} (Token)\n      new Token(2)\n`,
    );
    const few = transaction("LegacyTransaction");
    expect(await printed(printer, { ...few, receipt: { ...few.receipt, logs: logs.slice(0, 2) } })).toMatch(
      /event Transfer\(0\)\n {6}event Transfer\(1\)\n$/,
    );
    expect(await printed(printer, few)).not.toContain("transfer(1)");
  });

  it("names removed blocks", async () => {
    const removal = { kind: "removal", first: 1n, last: 3n, transactions: 1 } as const;
    expect(await printed(start(), removal)).toBe("  ↩ blocks 1 to 3 removed, with 1 transaction\n");
    expect(await printed(start(), { ...removal, last: 1n, transactions: 2 })).toBe(
      "  ↩ block 1 removed, with 2 transactions\n",
    );
  });
});
