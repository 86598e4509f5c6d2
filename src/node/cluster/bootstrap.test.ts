import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { uploadSnapshot } from "../../network/cluster/bootstrap/snapshots.ts";
import { MemoryChangeLog } from "../../network/cluster/testing/memory-change-log.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { bootstrap, confirmSnapshot } from "./bootstrap.ts";
import type { SharedLog } from "./shared-log.ts";

it("refetches an unconfirmed snapshot, keeps a confirmed chain, and accepts only the requested one", async () => {
  const [from, dataDir] = ["from-", "into-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [
    string,
    string,
  ];
  try {
    const log = new MemoryChangeLog(() => 0);
    const start = { height: 5n, hash: new Uint8Array(32) };
    await log.prepare({ genesisHash: start.hash, chainId: 2019n }, start);
    await log.acquire({ holder: "a", url: "", ttlMs: 1_000 });
    writeFileSync(join(from, "store.mdb"), "good");
    await uploadSnapshot(log, 1n, start, { folder: from });
    const settings: { genesis?: string; snapshotSha256?: string } = {};
    const fill = () => bootstrap({ log, settings } as unknown as SharedLog, dataDir, silentLogger);
    settings.genesis = `0x${"11".repeat(32)}`;
    await expect(fill()).rejects.toMatchObject({ code: "LOG_OTHER_CHAIN" });
    settings.genesis = `0x${"00".repeat(32)}`;
    settings.snapshotSha256 = `0x${"22".repeat(32)}`;
    await expect(fill()).rejects.toMatchObject({ code: "LOG_INCONSISTENT" });
    expect(existsSync(join(dataDir, "chaindata"))).toBe(false);
    delete settings.snapshotSha256;
    expect(await fill()).toMatchObject({ height: 5n });
    const file = join(dataDir, "chaindata", "store.mdb");
    writeFileSync(file, "bad");
    expect(await fill()).toMatchObject({ height: 5n });
    expect(readFileSync(file, "utf8")).toBe("good");
    await confirmSnapshot(dataDir);
    expect(await fill()).toBeUndefined();
    expect(existsSync(file)).toBe(true);
  } finally {
    for (const folder of [from, dataDir]) rmSync(folder, { recursive: true, force: true });
  }
});
