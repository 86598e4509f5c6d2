import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemRuntime } from "../platform/runtime/system.ts";
import { createNode } from "./create-node.ts";

it("ends on a full disk, gives the folder back and goes on there with what was reported as included", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-full-"));
  let isFull = false;
  const openAppend: typeof systemRuntime.files.openAppend = (path) => {
    const file = systemRuntime.files.openAppend(path);
    const append = (bytes: Uint8Array) =>
      isFull ? Promise.reject(new Error("ENOSPC: no space left on device")) : file.append(bytes);
    return { append, close: () => file.close() };
  };
  const runtime = { ...systemRuntime, files: { ...systemRuntime.files, openAppend } };
  const start = () => createNode({ dev: true, dataDir, ipc: false, runtime });
  try {
    const node = await start();
    const mine = () => node.provider.request({ method: "evm_mine" });
    await mine();
    isFull = true;
    await expect(mine()).rejects.toThrow();
    await expect(node.stop()).rejects.toThrow("the database failed");

    isFull = false;
    await using again = await start();
    expect(again.chain.head.header.number).toBe(1n);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
