import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { readNodeFile } from "./node-files.ts";

const NAME = "static-nodes.json";
const URL = `kni://${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"}@127.0.0.1:32323`;

let folder: string;
const warn = vi.fn();
const read = () => readNodeFile(folder, NAME, { warn } as unknown as Logger);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kairn-nodes-"));
  warn.mockReset();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a file of nodes", () => {
  it("is a list of URLs, in the data folder or its klay/, and may begin with a byte order mark", () => {
    expect(read()).toEqual([]);
    mkdirSync(join(folder, "klay"));
    writeFileSync(join(folder, "klay", NAME), `\ufeff["${URL}"]`);
    expect(read()).toHaveLength(1);
    expect(warn).not.toHaveBeenCalled();
  });

  it("may have entries that are no URLs, whatever they are: each is reported, and the others are used", () => {
    const nested = `${"[".repeat(60)}${"]".repeat(60)}`;
    writeFileSync(join(folder, NAME), `[{"toString":1},${nested},null,1e400,{"__proto__":1},"","${URL}"]`);
    expect(read()).toHaveLength(1);
    expect(warn.mock.calls.map(([, { entry, url }]) => [entry, url])).toEqual([
      ...[
        [0, "(object)"],
        [1, "(object)"],
        [2, "(null)"],
        [3, "(number)"],
        [4, "(object)"],
        [5, ""],
      ],
    ]);
  });

  it.each<[string, (path: string) => void, string]>([
    ["a folder", (path) => mkdirSync(path), "is a folder"],
    ["a link that leads nowhere", (path) => symlinkSync(`${path}-none`, path), "ENOENT"],
    ["a link to itself", (path) => symlinkSync(path, path), "ELOOP"],
    ["no text", (path) => writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0x5b, 0)), "is not a text in UTF-8"],
    ["not JSON", (path) => writeFileSync(path, "secret"), "Unexpected token 's'"],
    ["too deep", (path) => writeFileSync(path, "[".repeat(1000)), "more than 64 levels"],
    ["no list", (path) => writeFileSync(path, "{}"), "is not a list"],
  ])("is refused with its path if it is %s", (_, make, reason) => {
    const path = join(folder, NAME);
    make(path);
    expect(read).toThrow(expect.objectContaining({ code: "NODE_FILE" }));
    expect(read).toThrow(path);
    expect(read).toThrow(reason);
    expect(read).not.toThrow("secret");
  });
});
