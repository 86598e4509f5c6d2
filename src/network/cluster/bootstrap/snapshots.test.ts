import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SnapshotPart } from "../change-log.ts";
import { MemoryChangeLog } from "../testing/memory-change-log.ts";
import { downloadSnapshot, uploadSnapshot } from "./snapshots.ts";

const PLACE = { height: 5n, hash: new Uint8Array(32), parts: 2 };

function partOf(part: number, file: string, bytes = Uint8Array.of(1)): SnapshotPart {
  return { part, parts: 2, file, bytes, sha256: createHash("sha256").update(bytes).digest() };
}

describe("snapshots", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kairn-snapshots-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const download = (parts: readonly SnapshotPart[], sha256?: Uint8Array) =>
    downloadSnapshot({ snapshotPart: async (_, number) => parts[number] as SnapshotPart }, PLACE, {
      folder: join(folder, "chaindata"),
      sha256,
    });

  it("round-trip", async () => {
    const log = new MemoryChangeLog(() => 0);
    const [from, into] = [mkdtempSync(join(folder, "from-")), join(folder, "chaindata")];
    const large = new Uint8Array((4 << 20) + 1).fill(7);
    writeFileSync(join(from, "store.mdb"), large);
    writeFileSync(join(from, "empty.log"), "");
    await log.acquire({ holder: "a", url: "", ttlMs: 1_000 });
    const { bytes, sha256 } = await uploadSnapshot(log, 1n, PLACE, { folder: from });
    expect(bytes).toBe(large.length);
    const place = await log.snapshot();
    expect(place?.parts).toBe(3);
    await downloadSnapshot(log, { ...PLACE, parts: 3 }, { folder: into, sha256 });
    expect(Buffer.compare(readFileSync(join(into, "store.mdb")), large)).toBe(0);
    expect(readFileSync(join(into, "empty.log")).length).toBe(0);
  });

  for (const [name, second] of Object.entries<SnapshotPart>({
    "a name that leaves the folder": partOf(1, "../../chaindata"),
    "an absolute name": partOf(1, "/tmp/x"),
    "a name with a zero byte": partOf(1, "a\0b"),
    "another SHA-256": { ...partOf(1, "b"), sha256: new Uint8Array(32) },
    "a SHA-256 that is none": { ...partOf(1, "b"), sha256: new Uint8Array() },
    "another number of parts": { ...partOf(1, "b"), parts: 3 },
    "too large a part": partOf(1, "b", new Uint8Array((4 << 20) + 1)),
  }))
    it(`are refused with ${name}, and leave nothing behind`, async () => {
      await expect(download([partOf(0, "a"), second])).rejects.toMatchObject({ code: "LOG_INCONSISTENT" });
      expect(existsSync(join(folder, "chaindata"))).toBe(false);
      expect(existsSync(join(folder, "chaindata.part"))).toBe(false);
    });

  it("are rejected if the overall SHA-256 differs, even if that of each part matches", async () => {
    const parts = [partOf(0, "a"), partOf(1, "b")];
    await expect(download(parts, new Uint8Array(32))).rejects.toMatchObject({ code: "LOG_INCONSISTENT" });
    expect(existsSync(join(folder, "chaindata"))).toBe(false);
  });

  it("are rejected before the download if the disk may not have room for them", async () => {
    const snapshotPart = () => Promise.reject(new Error("fetched"));
    const download = downloadSnapshot({ snapshotPart }, PLACE, {
      folder: join(folder, "chaindata"),
      room: (8 << 20) - 1,
    });
    await expect(download).rejects.toThrow("the disk has room for 8388607");
  });

  it("are rejected with more files than a database has", async () => {
    const parts = Array.from({ length: 4_097 }, (_, i) => ({ ...partOf(i, `f${i}`), parts: 4_097 }));
    const log = { snapshotPart: async (_: bigint, number: number) => parts[number] as SnapshotPart };
    const place = { ...PLACE, parts: 4_097 };
    const download = downloadSnapshot(log, place, { folder: join(folder, "chaindata"), room: 2 ** 40 });
    await expect(download).rejects.toThrow("more than 4096 files");
  });

  it("stop between two parts when the node stops", async () => {
    const log = new MemoryChangeLog(() => 0);
    await log.acquire({ holder: "a", url: "", ttlMs: 1_000 });
    writeFileSync(join(folder, "store.mdb"), "x");
    const uploading = uploadSnapshot(log, 1n, PLACE, { folder, signal: AbortSignal.abort() });
    await expect(uploading).rejects.toThrow();
    expect(await log.snapshot()).toBeUndefined();
  });
});
