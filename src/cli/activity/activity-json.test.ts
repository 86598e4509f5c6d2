import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_NAMES } from "../../api/artifacts/names.ts";
import type { NodeEvent } from "../../node/index.ts";
import { block, called, printing, transaction } from "./testing/printed-activity.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const { start, printed, reader } = printing();

describe("activity as JSON", () => {
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
    reader().isHeld = true;
    reader().writableLength = 2 ** 30;
    for (let i = 0; i < 2001; i++) printer.print(called("a"));
    reader().writableLength = 0;
    await vi.advanceTimersByTimeAsync(50);
    expect(reader().text).toContain('{"event":"leftOut","events":1}\n');
  });
});
