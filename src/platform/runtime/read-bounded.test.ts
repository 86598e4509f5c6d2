import { execFileSync, spawn } from "node:child_process";
import fs, { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readBounded, readBoundedText } from "./read-bounded.ts";

describe.skipIf(process.platform === "win32")("an untrusted file", () => {
  let dir: string;
  const at = (name: string) => join(dir, name);
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "kairn-read-"));
    writeFileSync(at("small"), "small");
    writeFileSync(at("large"), "");
    truncateSync(at("large"), 2 ** 30);
    symlinkSync("/dev/zero", at("zero"));
    symlinkSync(at("small"), at("link"));
    execFileSync("mkfifo", [at("pipe")]);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it("is read to its end", () => {
    expect(String(readBounded(at("small"), { maxBytes: 5, regularOnly: true }))).toBe("small");
    expect(String(readBounded(at("link"), { maxBytes: 5 }))).toBe("small");
    expect(String(readBounded("/proc/self/comm", { maxBytes: 64, regularOnly: true }))).not.toBe("");
  });

  it("is a text only in UTF-8: other encodings are refused, and not read as one character for all that are unknown", () => {
    writeFileSync(at("text"), "p\u00e4ss");
    expect(readBoundedText(at("text"), { maxBytes: 5 })).toBe("p\u00e4ss");
    for (const bytes of [Buffer.from("p\u00e4ss", "latin1"), Buffer.from("\ufeffpass", "utf16le")]) {
      writeFileSync(at("text"), bytes);
      const read = () => readBoundedText(at("text"), { maxBytes: 20 });
      expect(read).toThrow(`${at("text")} is not a text in UTF-8`);
      expect(read).toThrow(expect.objectContaining({ code: "FILE_TEXT" }));
    }
  });

  it.each(["large", "zero", "/dev/zero"])("is rejected if it is %s", (name) => {
    const path = name.startsWith("/") ? name : at(name);
    expect(() => readBounded(path, { maxBytes: 2 ** 16 })).toThrow("larger than 65536 bytes");
  });

  it("is rejected by its size before any of it is read, and otherwise read at once", () => {
    const { readSync } = fs;
    onTestFinished(() => {
      fs.readSync = readSync;
      syncBuiltinESMExports();
    });
    let reads = 0;
    fs.readSync = ((...given: Parameters<typeof readSync>) => {
      reads++;
      return readSync(...given);
    }) as typeof readSync;
    syncBuiltinESMExports();
    expect(() => readBounded(at("large"), { maxBytes: 2 ** 16 })).toThrow("larger than");
    expect(reads).toBe(0);
    expect(readBounded(at("small"), { maxBytes: 2 ** 16 })).toHaveLength(5);
    // the second one finds the end
    expect(reads).toBe(2);
  });

  it("is named if it is a folder", () => {
    expect(() => readBounded(dir, { maxBytes: 99 })).toThrow(`EISDIR: ${dir} is a folder`);
    expect(() => readBounded(dir, { maxBytes: 99 })).toThrow(expect.objectContaining({ code: "EISDIR" }));
  });

  it.each(["zero", "link", "pipe", "/dev/zero", "."])("is rejected as a key file if it is %s", (name) => {
    expect(() =>
      readBounded(name.startsWith("/") ? name : at(name), { maxBytes: 99, regularOnly: true }),
    ).toThrow(/not a regular file|ELOOP/);
  });

  it("times out if it is a pipe without a writer", () => {
    const read = () => readBounded(at("pipe"), { maxBytes: 99, waitMs: 20 });
    expect(read).toThrow(expect.objectContaining({ code: "FILE_SILENT" }));
  });

  it("times out within a second or so if nobody ever opens the other end of a pipe, and later if somebody has", () => {
    const writer = spawn("sh", ["-c", `exec > ${at("pipe")}; sleep 1.5; echo late`]);
    expect(String(readBounded(at("pipe"), { maxBytes: 99 }))).toBe("late\n");
    writer.kill();
    expect(() => readBounded(at("pipe"), { maxBytes: 99 })).toThrow("a pipe that nobody writes to");
  });

  it("is read to its end if it is a slow pipe", () => {
    const writer = spawn("sh", ["-c", `exec > ${at("pipe")}; sleep 0.2; echo one; sleep 0.2; echo two`]);
    expect(String(readBounded(at("pipe"), { maxBytes: 99 }))).toBe("one\ntwo\n");
    writer.kill();
  });
});
