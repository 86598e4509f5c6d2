import { expect, it, onTestFinished, vi } from "vitest";
import { type NatsOperation, NatsReader } from "./nats-reader.ts";

/** The operations that a reader finds in chunks. */
function read(chunks: readonly Buffer[]): NatsOperation[] {
  const reader = new NatsReader();
  const operations: NatsOperation[] = [];
  for (const chunk of chunks) reader.take(chunk, (operation) => operations.push(operation) > 0);
  return operations;
}

const bytesOf = (text: string) => Array.from(Buffer.from(text), (byte) => Buffer.of(byte));

it("splits what arrives into operations, in whatever pieces it arrives", () => {
  const head = "NATS/1.0 503\r\n\r\n";
  const text = `info {"a": 1}\r\n+OK\r\nMSG i.1 1 4\r\nM\r\nS\r\nHMSG i.2 1 reply ${head.length} ${head.length + 2}\r\n${head}ab\r\nPING\r\n`;
  const operations = [
    { name: "INFO", rest: '{"a": 1}' },
    { name: "+OK", rest: "" },
    { name: "MSG", rest: "i.1 1 4", message: { subject: "i.1", head: "", body: "M\r\nS" } },
    {
      name: "HMSG",
      rest: `i.2 1 reply ${head.length} ${head.length + 2}`,
      message: { subject: "i.2", head, body: "ab" },
    },
    { name: "PING", rest: "" },
  ];
  expect(read([Buffer.from(text)])).toEqual(operations);
  expect(read(bytesOf(text))).toEqual(operations);
  for (const at of Array.from({ length: text.length }, (_, i) => i))
    expect(read([Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))])).toEqual(operations);
});

it("copies a response that arrives byte by byte a few times at most", () => {
  const pieces = bytesOf(`MSG i.1 1 20000\r\n${"x".repeat(20_000)}\r\n`);
  let copied = 0;
  for (const name of ["concat", "allocUnsafeSlow", "alloc", "from"] as const) {
    const make = Buffer[name] as (...values: unknown[]) => Buffer;
    const spy = vi.spyOn(Buffer as unknown as Record<string, typeof make>, name);
    spy.mockImplementation((...values) => {
      const made = make(...values);
      copied += made.length;
      return made;
    });
    onTestFinished(() => spy.mockRestore());
  }
  const reader = new NatsReader();
  const handle = vi.fn(() => true);
  for (const piece of pieces) reader.take(piece, handle);
  expect(handle).toHaveBeenCalledTimes(1);
  expect(copied).toBeLessThan(5 * pieces.length);
});

it.each([
  ["a line without an end", ["x".repeat(65_000), "x".repeat(600)], "a line of more than 65536 bytes"],
  ["an oversized response", ["MSG i.1 1 262145\r\n"], "a response of 262145 bytes is rejected"],
  ["a head longer than its response", ["HMSG i.1 1 9 8\r\n"], "a response of 8 bytes is rejected"],
  ["words without end", [`MSG ${"1 ".repeat(30_000)}x\r\n`], "bytes is rejected"],
  ["operations without end", ["+OK\r\n".repeat(65)], "too much at once"],
])("rejects %s", (_, texts, complaint) => {
  expect(() => read(texts.map((text) => Buffer.from(text)))).toThrowError(complaint);
});
