import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { createNode } from "../../create-node.ts";

describe("a node on a full disk", () => {
  let dataDir: string;
  let isFull: boolean;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "kairn-full-"));
    isFull = false;
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const openAppend: typeof systemRuntime.files.openAppend = (path) => {
    const file = systemRuntime.files.openAppend(path);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    return {
      append: (bytes) => (isFull ? Promise.reject(full) : file.append(bytes)),
      close: () => file.close(),
    };
  };
  /** Whether only the journal of the pool is refused. */
  let isJournalRefused = false;
  const openRewritable: typeof systemRuntime.files.openRewritable = (path) => {
    const file = systemRuntime.files.openRewritable(path);
    const write = (bytes: Uint8Array): void => {
      const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      if (isJournalRefused) throw full;
      file.write(bytes);
    };
    const close = () => file.close();
    return { write, close, clear: () => file.clear(), replace: (bytes) => file.replace(bytes) };
  };
  const runtime = { ...systemRuntime, files: { ...systemRuntime.files, openAppend, openRewritable } };
  const start = () =>
    createNode({
      ...{ dev: true, dataDir, ipc: false, runtime, http: { port: 0 } },
      metrics: { port: 0, names: "kairn" },
    });

  it("responds to reads, rejects writes with the reason, and recovers by itself when there is space again", async () => {
    await using node = await start();
    const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
    const [from] = (await call("eth_accounts")) as string[];
    const send = () => call("eth_sendTransaction", { from, to: from, value: "0x1" });
    await send();
    isFull = true;
    for (const refused of [() => send(), () => call("evm_mine"), () => send()])
      await expect(refused()).rejects.toThrow("ENOSPC: no space left on device");
    await expect(call("anvil_setBalance", from, "0x1")).rejects.toThrow("ENOSPC");
    expect(node.health()).toMatchObject({ isReady: false, code: "ENOSPC" });
    const ready = await fetch(`${node.endpoints.http}/ready`);
    const { reason, ...probe } = (await ready.json()) as Record<string, unknown>;
    expect([ready.status, probe]).toEqual([503, { ready: false, cause: "disk", code: "ENOSPC" }]);
    expect(reason).toBe("the disk takes no writes");
    expect(await call("eth_blockNumber")).toBe("0x1");
    expect(await call("eth_getBalance", from, "latest")).not.toBe("0x1");

    isFull = false;
    await expect.poll(() => node.health(), { timeout: 20_000 }).toEqual({ isReady: true });
    await send();
    // The block that the disk refused at first, and the one after it.
    expect(Number(await call("eth_blockNumber"))).toBeGreaterThanOrEqual(3);
  });

  it("is not ready while only the journal of the pool is refused, and is again without a further transaction", async () => {
    await using node = await start();
    const [from] = (await node.provider.request({ method: "eth_accounts" })) as string[];
    const params = [{ from, to: from, value: "0x1" }];
    const send = () => node.provider.request({ method: "eth_sendTransaction", params });
    isJournalRefused = true;
    await expect(send()).rejects.toThrow("ENOSPC");
    const probe = async () => {
      const response = await fetch(`${node.endpoints.http}/ready`);
      return [response.status, await response.json()];
    };
    const metrics = async () => (await fetch(node.endpoints.metrics as string)).text();
    expect(await metrics()).toContain("\nkairn_db_failing 1\n");
    const [status, told] = await probe();
    expect([status, told]).toEqual([
      503,
      { ready: false, cause: "disk", code: "ENOSPC", reason: "the disk takes no writes" },
    ]);
    expect(node.health()).toMatchObject({
      reason: expect.stringContaining("the journal of local transactions"),
    });
    isJournalRefused = false;
    await expect.poll(probe, { timeout: 20_000 }).toEqual([200, { ready: true }]);
    await expect.poll(metrics).toContain("\nkairn_db_failing 0\n"); // rendered once for some time
    await send();
  });

  it("releases the folder when it stops, and continues there with everything reported as included", async () => {
    const node = await start();
    const mine = () => node.provider.request({ method: "evm_mine" });
    await mine();
    isFull = true;
    await expect(mine()).rejects.toThrow();
    await expect(node.stop()).rejects.toThrow("the database failed");

    isFull = false;
    await using again = await start();
    expect(again.chain.head.header.number).toBe(1n);
  });
});
