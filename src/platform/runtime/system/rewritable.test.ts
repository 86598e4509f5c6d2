import fs, { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { recordDiskSteps } from "../testing/disk-steps.ts";
import { openRewritable } from "./rewritable.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kairn-rewritable-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const bytes = (text: string) => new TextEncoder().encode(text);

/** Puts other functions in place of those of the file system until the test ends. */
function stub(functions: Partial<Record<"writeSync" | "fdatasync", unknown>>): () => void {
  const own = { writeSync: fs.writeSync, fdatasync: fs.fdatasync };
  const restore = () => {
    Object.assign(fs, own);
    syncBuiltinESMExports();
  };
  Object.assign(fs, functions);
  syncBuiltinESMExports();
  onTestFinished(restore);
  return restore;
}
const full = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

describe("a file that is appended to and rewritten", () => {
  it("keeps its content when it is opened again, and can be emptied", () => {
    const path = join(folder(), "journal");
    for (const part of ["one ", "two"]) {
      const file = openRewritable(path);
      file.write(bytes(part));
      file.close();
    }
    expect(readFileSync(path, "utf8")).toBe("one two");
    const file = openRewritable(path);
    file.clear();
    file.write(bytes("three"));
    file.close();
    expect(readFileSync(path, "utf8")).toBe("three");
  });

  it("has what was written while it was replaced after its new content, and no draft beside it", async () => {
    const here = folder();
    const path = join(here, "journal");
    const file = openRewritable(path);
    file.write(bytes("old"));
    const replaced = file.replace(bytes("new "));
    file.write(bytes("later "));
    await replaced;
    file.write(bytes("last"));
    file.close();
    expect([readFileSync(path, "utf8"), readdirSync(here)]).toEqual(["new later last", ["journal"]]);
  });

  it.skipIf(process.platform === "win32")(
    "is synced before its new content gets its name, and its folder after it",
    async () => {
      const here = folder();
      const file = openRewritable(join(here, "journal"));
      const steps = recordDiskSteps();
      await file.replace(bytes("new"));
      file.close();
      const written = ["write journal.new", "sync journal.new", "rename journal"];
      expect(steps).toEqual([...written, `sync ${basename(here)}`]);
    },
  );

  it("loses the part of a record that a full disk took", () => {
    const path = join(folder(), "journal");
    const file = openRewritable(path);
    file.write(bytes("one "));
    const { writeSync } = fs;
    const restore = stub({
      writeSync: (descriptor: number, data: Uint8Array, at = 0) => {
        if (at > 0) throw full();
        return writeSync(descriptor, data.subarray(0, 2));
      },
    });
    expect(() => file.write(bytes("two"))).toThrow("ENOSPC");
    expect(readFileSync(path, "utf8")).toBe("one ");
    restore();
    file.write(bytes("three"));
    file.close();
    expect(readFileSync(path, "utf8")).toBe("one three");
  });

  it("loses nothing but such a part after it was replaced", async () => {
    const path = join(folder(), "journal");
    const file = openRewritable(path);
    file.write(bytes("a long record"));
    await file.replace(bytes("new "));
    const { writeSync } = fs;
    const restore = stub({
      writeSync: (descriptor: number, data: Uint8Array, at = 0) => {
        if (at > 0) throw full();
        return writeSync(descriptor, data.subarray(0, 2));
      },
    });
    expect(() => file.write(bytes("two"))).toThrow("ENOSPC");
    restore();
    file.write(bytes("three"));
    file.close();
    expect(readFileSync(path, "utf8")).toBe("new three");
  });

  it("keeps its old content if the new one cannot be written", async () => {
    const here = folder();
    const path = join(here, "journal");
    const file = openRewritable(path);
    file.write(bytes("old "));
    const restore = stub({ fdatasync: (_: number, done: (error: Error) => void) => done(full()) });
    await expect(file.replace(bytes("new"))).rejects.toThrow("ENOSPC");
    restore();
    file.write(bytes("later"));
    file.close();
    expect([readFileSync(path, "utf8"), readdirSync(here)]).toEqual(["old later", ["journal"]]);
  });
});
