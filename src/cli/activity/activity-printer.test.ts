import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_NAMES } from "../../api/artifacts/names.ts";
import type { CallEvent, NodeEvent, TransactionEvent } from "../../node/index.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { TRANSACTION_TYPES } from "../../protocol/transaction/type-table.ts";
import { ActivityPrinter, type ActivityPrinterOptions } from "./activity-printer.ts";

const GAS_PRICE = 25n * 10n ** 9n;

function transaction(name: string, more: Partial<TransactionEvent["transaction"]> = {}): TransactionEvent {
  const type = TRANSACTION_TYPES.find((row) => row.name === `TxType${name}`);
  if (type === undefined) throw new Error(name);
  const fee = 21_000n * GAS_PRICE;
  return {
    kind: "transaction",
    hash: new Uint8Array(32).fill(0xab),
    blockNumber: 12n,
    index: 0,
    transaction: {
      ...{ type, nonce: 0n, gas: 50_000n, gasPrice: GAS_PRICE, value: 0n },
      ...{ input: new Uint8Array(), signatures: [], to: new Uint8Array(20).fill(0x22) },
      ...more,
    },
    sender: new Uint8Array(20).fill(0x11),
    receipt: { status: 1, gasUsed: 21_000n, bloom: new Uint8Array(256), logs: [] },
    ...{ price: GAS_PRICE, fee, shares: { sender: fee, feePayer: 0n }, console: [] },
  };
}

function called(method: string, more: Partial<CallEvent> = {}): CallEvent {
  return { kind: "call", method, durationMs: 1, console: [], ...more };
}

function block(number: bigint, transactions = 0): NodeEvent {
  return { kind: "block", number, hash: new Uint8Array(32), time: 1n, transactions, gasUsed: 0n };
}

/** A terminal, pipe or file that drains when the test says so. */
class Reader {
  text = "";
  writableLength = 0;
  isHeld = false;
  columns = 80;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.text += text;
    if (this.isHeld) this.writableLength += text.length;
    return true;
  }
}

describe("printed activity", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  let reader: Reader;
  function start(options: Partial<ActivityPrinterOptions> = {}, isTTY = false): ActivityPrinter {
    reader = new Reader(isTTY);
    return new ActivityPrinter({ stream: reader as never, env: {}, isJson: false, verbosity: 2, ...options });
  }
  /** Prints events at once. @returns what is written */
  async function printed(printer: ActivityPrinter, ...events: readonly NodeEvent[]): Promise<string> {
    const before = reader.text.length;
    for (const event of events) printer.print(event);
    await vi.advanceTimersByTimeAsync(50);
    return reader.text.slice(before);
  }

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

  it("escapes terminal control sequences, and cuts long text", async () => {
    const evil = "\u001b[2J\u202e\r\n\u0007";
    const event = transaction("LegacyTransaction");
    const failed = { ...event, receipt: { ...event.receipt, status: 9 } };
    const texts = [
      await printed(start(), {
        ...failed,
        error: evil,
        reason: evil,
        output: Uint8Array.of(1),
        console: [evil],
      }),
      await printed(start(), called(evil), block(1n, 2)),
      await printed(start(), called(evil, { error: { code: -1, message: evil + "x".repeat(10_000) } })),
    ];
    for (const text of texts) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
      expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThan(1000);
    }
    expect(texts[1]).toContain("\\u001b[2J");
  });

  it("folds repeated calls and empty blocks into one line", async () => {
    const printer = start();
    expect(await printed(printer, called("a"), ...Array(240).fill(called("b")))).toBe("");
    expect(await printed(printer, block(7n), block(8n), called("c"), block(9n, 2))).toMatch(
      /^ {2}a, b ×240, c, empty blocks 7 to 8\n {2}block 9 0x0+: 2 transactions, gas 0\n$/,
    );
    await printed(printer, called("d"));
    await vi.advanceTimersByTimeAsync(1100);
    expect(reader.text.endsWith("  d\n")).toBe(true);
  });

  it("redraws that line in a terminal, unless something was written below it", async () => {
    const printer = start({}, true);
    expect(await printed(printer, called("a"))).toBe("\u001b[2m  a\u001b[0m\n");
    expect(await printed(printer, called("a"))).toBe("\u001b[1A\r\u001b[2K\u001b[2m  a ×2\u001b[0m\n");
    printer.interrupt();
    expect(await printed(printer, called("a"))).toBe("\u001b[2m  a\u001b[0m\n");
    const wide = await printed(printer, ...["x", "y"].map((letter) => called(letter.repeat(50))));
    expect(wide.split("m  ")[1]?.replace("\u001b[0m\n", "").length).toBeLessThan(reader.columns);
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

  it("is one JSON object per line with --json", async () => {
    const feePayer = new Uint8Array(20).fill(0x33);
    const event = transaction("FeeDelegatedValueTransferWithRatio", { feePayer, feeRatio: 30 });
    const failed = called("eth_call", {
      message: { to: "0x12" },
      error: { code: 3, message: "execution reverted: \n", data: "0x1234" },
    });
    const removal = { kind: "removal", first: 1n, last: 2n, transactions: 3 } as const;
    const text = await printed(start({ isJson: true }), event, failed, block(5n), removal);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        ...{ event: "transaction", type: "TxTypeFeeDelegatedValueTransferWithRatio", block: 12 },
        ...{ fee: "525000000000000", feePayer: `0x${"33".repeat(20)}`, feeRatio: 30, status: "success" },
      },
      { event: "call", method: "eth_call", to: "0x12", error: { code: 3, data: "0x1234" } },
      { event: "block", number: 5, transactions: 0 },
      { event: "removal", first: 1, last: 2, transactions: 3 },
    ]);
  });

  it("bounds what it buffers for a slow reader, and reports what it left out", async () => {
    const printer = start();
    reader.isHeld = true;
    const many = (count: number) => Array.from({ length: count }, () => transaction("LegacyTransaction"));
    while (reader.writableLength < 256 * 1024) await printed(printer, ...many(100));
    const written = reader.text.length;
    expect(await printed(printer, ...many(2500))).toBe("");
    expect(written).toBeLessThan(512 * 1024);
    reader.isHeld = false;
    reader.writableLength = 0;
    await vi.advanceTimersByTimeAsync(5000);
    const rest = reader.text.slice(written);
    expect(rest).toMatch(/^ {2}… 500 events left out\n/);
    expect(rest.match(/✔/g)).toHaveLength(2000);
  });

  it("drops large events sooner than small ones", async () => {
    const printer = start();
    reader.writableLength = 2 ** 30;
    const input = new Uint8Array(100_000);
    await printed(printer, ...Array(200).fill(transaction("LegacyTransaction", { input })));
    reader.writableLength = 0;
    await vi.advanceTimersByTimeAsync(5000);
    expect(reader.text).toMatch(/^ {2}… 117 events left out\n/);
  });

  it("prints what is left when it is closed, and nothing more", async () => {
    const printer = start();
    printer.print(called("a"));
    printer.close();
    expect(reader.text).toBe("  a\n");
    expect(await printed(printer, called("b"))).toBe("");
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

  it("has names, reasons, console output and traces in JSON, cut if long", async () => {
    const names = {
      ...NO_NAMES,
      contract: () => "Token",
      call: () => "c".repeat(5000),
      creation: () => "new Token(2)",
      error: () => "Poor(3)",
    };
    const printer = start({ isJson: true, names, trace: async () => ["at x"] });
    const json = async (event: NodeEvent) => JSON.parse(await printed(printer, event));
    const event = transaction("LegacyTransaction", { input: Uint8Array.of(1), value: 7n });
    const failed = { ...event.receipt, status: 9, logs: [] };
    expect(
      await json({
        ...event,
        receipt: failed,
        error: "reverted",
        output: Uint8Array.of(1, 2),
        console: ["x"],
      }),
    ).toEqual({
      ...{
        event: "transaction",
        hash: `0x${"ab".repeat(32)}`,
        type: "TxTypeLegacyTransaction",
        block: 12,
        index: 0,
      },
      ...{
        from: `0x${"11".repeat(20)}`,
        to: `0x${"22".repeat(20)}`,
        contract: "Token",
        call: `${"c".repeat(4096)}…`,
      },
      ...{ value: "7", gasLimit: "50000", gasUsed: 21_000, gasPrice: "25000000000", fee: "525000000000000" },
      ...{
        status: "failed",
        error: "reverted",
        reason: "Poor(3)",
        output: "0x0102",
        logs: 0,
        console: ["x"],
      },
      trace: ["at x"],
    });
    const plain = await json(transaction("LegacyTransaction"));
    for (const name of ["call", "error", "reason", "output", "console", "trace", "created", "feePayer"])
      expect(plain).not.toHaveProperty(name);
    const contractAddress = new Uint8Array(20).fill(0x44);
    const deploy = transaction("SmartContractDeploy", { to: undefined });
    expect(await json({ ...deploy, receipt: { ...deploy.receipt, contractAddress } })).toMatchObject({
      ...{ created: `0x${"44".repeat(20)}`, call: "new Token(2)" },
    });
    const call = called("eth_call", {
      ...{ durationMs: 1.23456, message: { to: `0x${"22".repeat(20)}`, input: "0x" }, console: ["y"] },
      error: { code: 3, message: "m", data: "0x01" },
    });
    expect(await json(call)).toEqual({
      ...{ event: "call", method: "eth_call", ms: 1.235, to: `0x${"22".repeat(20)}`, input: "0x" },
      ...{
        error: { code: 3, message: "m", data: "0x01" },
        reason: "Poor(3)",
        console: ["y"],
        trace: ["at x"],
      },
    });
    expect(await json(called("a"))).toEqual({ event: "call", method: "a", ms: 1 });
    reader.isHeld = true;
    reader.writableLength = 2 ** 30;
    for (let i = 0; i < 2001; i++) printer.print(called("a"));
    reader.writableLength = 0;
    await vi.advanceTimersByTimeAsync(50);
    expect(reader.text).toContain('{"event":"leftOut","events":1}\n');
  });

  it("delays repeated events by a second, and no more", async () => {
    const printer = start();
    const failed = called("eth_foo", { error: { code: -32601, message: "no" } });
    await printed(printer, failed, failed);
    await vi.advanceTimersByTimeAsync(1100);
    expect(reader.text.endsWith("      the same again ×1\n")).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(reader.text.match(/the same/g)).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wraps lines in a terminal only, and never below 40 columns", async () => {
    const hash = `0x${"ab".repeat(32)}`;
    expect(await printed(start({}, true), transaction("LegacyTransaction"))).toContain(hash);
    const narrow = start({ env: {} }, true);
    reader.columns = 60;
    const text = await printed(narrow, transaction("LegacyTransaction"));
    expect(text.split("\n")[1]).toBe(`    ${hash}`);
    const narrowest = start({ env: {} }, true);
    reader.columns = 39;
    expect((await printed(narrowest, transaction("LegacyTransaction"))).split("\n")[0]).toContain(hash);
  });

  it("never lets a terminal block the process, if the handle supports it", () => {
    const setBlocking = vi.fn();
    for (const _handle of [{ setBlocking }, { setBlocking: 1 }, {}, null, undefined])
      new ActivityPrinter({
        stream: Object.assign(new Reader(true), { _handle }) as never,
        env: {},
        isJson: false,
        verbosity: 2,
      });
    expect(setBlocking.mock.calls).toEqual([[false]]);
  });
});
