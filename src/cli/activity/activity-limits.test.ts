import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ActivityPrinter } from "./activity-printer.ts";
import { block, called, printing, Reader, transaction } from "./testing/printed-activity.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const { start, printed, reader } = printing();

describe("printed activity, within its limits,", () => {
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

  it("bounds what it buffers for a slow reader, and reports what it left out", async () => {
    const printer = start();
    reader().isHeld = true;
    const many = (count: number) => Array.from({ length: count }, () => transaction("LegacyTransaction"));
    while (reader().writableLength < 256 * 1024) await printed(printer, ...many(100));
    const written = reader().text.length;
    expect(await printed(printer, ...many(2500))).toBe("");
    expect(written).toBeLessThan(512 * 1024);
    reader().isHeld = false;
    reader().writableLength = 0;
    await vi.advanceTimersByTimeAsync(5000);
    const rest = reader().text.slice(written);
    expect(rest).toMatch(/^ {2}… 500 events left out\n/);
    expect(rest.match(/✔/g)).toHaveLength(2000);
  });

  it("drops large events sooner than small ones", async () => {
    const printer = start();
    reader().writableLength = 2 ** 30;
    const input = new Uint8Array(100_000);
    await printed(printer, ...Array(200).fill(transaction("LegacyTransaction", { input })));
    reader().writableLength = 0;
    await vi.advanceTimersByTimeAsync(5000);
    expect(reader().text).toMatch(/^ {2}… 117 events left out\n/);
  });

  it("prints what is left when it is closed, and nothing more", async () => {
    const printer = start();
    printer.print(called("a"));
    printer.close();
    expect(reader().text).toBe("  a\n");
    expect(await printed(printer, called("b"))).toBe("");
  });

  it("delays repeated events by a second, and no more", async () => {
    const printer = start();
    const failed = called("eth_foo", { error: { code: -32601, message: "no" } });
    await printed(printer, failed, failed);
    await vi.advanceTimersByTimeAsync(1100);
    expect(reader().text.endsWith("      the same again ×1\n")).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(reader().text.match(/the same/g)).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wraps lines in a terminal only, and never below 40 columns", async () => {
    const hash = `0x${"ab".repeat(32)}`;
    expect(await printed(start({}, true), transaction("LegacyTransaction"))).toContain(hash);
    const narrow = start({ env: {} }, true);
    reader().columns = 60;
    const text = await printed(narrow, transaction("LegacyTransaction"));
    expect(text.split("\n")[1]).toBe(`    ${hash}`);
    const narrowest = start({ env: {} }, true);
    reader().columns = 39;
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
