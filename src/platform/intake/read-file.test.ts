import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openPieces, readTextAgain, readTextWithin } from "./read-file.ts";

async function textOf(path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of openPieces(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.skipIf(process.platform === "win32")("a file read in pieces", () => {
  let folder: string;
  const pipe = () => join(folder, "pipe");
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kairn-pieces-"));
    execFileSync("mkfifo", [pipe()]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is read to its end", async () => {
    writeFileSync(join(folder, "file"), "content");
    expect(await textOf(join(folder, "file"))).toBe("content");
    expect(() => openPieces(folder)).toThrow("is a folder");
  });

  it("is read to its end if it is a pipe whose writer is slow", async () => {
    const writer = spawn("sh", [
      "-c",
      `sleep 0.2; exec > ${pipe()}; sleep 1.3; echo one; sleep 0.1; echo two`,
    ]);
    expect(await textOf(pipe())).toBe("one\ntwo\n");
    writer.kill();
  });

  it("is read to its end if it is a pipe and the turn that opens it takes long", async () => {
    const text = textOf(pipe());
    const writer = openSync(pipe(), "w");
    writeSync(writer, "content");
    closeSync(writer);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
    expect(await text).toBe("content");
  });

  it("of a pipe that was given up, or cannot be read, lets no error escape when it looks for a writer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    openPieces(pipe()).destroy();
    const unreadable = openPieces(pipe());
    const failed = once(unreadable, "error");
    closeSync((unreadable as unknown as { readonly _handle: { readonly fd: number } })._handle.fd);
    vi.advanceTimersByTime(1_000);
    expect(await failed).toMatchObject([{ code: "EBADF" }]);
  });

  it("is read again while a node runs, which no silent pipe holds up for long", async () => {
    expect(readTextAgain(join(folder, "file"))).toBe("content");
    const silent = openSync(pipe(), "r+");
    expect(() => readTextAgain(pipe())).toThrow(expect.objectContaining({ code: "FILE_SILENT" }));
    closeSync(silent);
  });

  it("is refused if it is a pipe that nobody opens, and holds no thread meanwhile", async () => {
    const reads = Array.from({ length: 8 }, () => textOf(pipe()));
    // with a thread for each, this would need one more than there are
    expect(await textOf(join(folder, "file"))).toBe("content");
    for (const read of await Promise.allSettled(reads))
      expect(read).toMatchObject({ status: "rejected", reason: { code: "FILE_SILENT" } });
  });
});

it("a text is read without the byte order mark that some editors put before it, and must be UTF-8", () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-text-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "text");
  writeFileSync(file, "\ufeff{}");
  expect(readTextWithin(file)).toBe("{}");
  writeFileSync(file, Uint8Array.of(0x61, 0xff));
  expect(() => readTextWithin(file)).toThrow("is not a text in UTF-8");
  expect(() => readTextAgain(file)).toThrow("is not a text in UTF-8");
});
