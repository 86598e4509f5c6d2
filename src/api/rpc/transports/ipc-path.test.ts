import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listenForOwner } from "./ipc-path.ts";

describe.skipIf(process.platform === "win32")("the socket path", () => {
  let dir: string;
  const open: Server[] = [];
  const listen = async (path: string) => {
    const listener = createServer();
    open.push(listener);
    await listenForOwner(listener, path);
    return listener;
  };
  const mode = (path: string) => statSync(path).mode & 0o777;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "kairn-socket-"));
  });
  afterEach(async () => {
    for (const listener of open.splice(0)) await new Promise((resolve) => listener.close(resolve));
    rmSync(dir, { recursive: true });
  });

  it("is only accessible to the owner, and so is a folder created for it", async () => {
    const path = join(dir, "new", "node.ipc");
    await listen(path);
    expect([mode(path), mode(join(dir, "new"))]).toEqual([0o600, 0o700]);
  });

  it("leaves an existing folder unchanged", async () => {
    chmodSync(dir, 0o755);
    await listen(join(dir, "node.ipc"));
    expect(mode(dir)).toBe(0o755);
  });

  it("does not replace a file", async () => {
    const path = join(dir, "notes");
    writeFileSync(path, "keep");
    await expect(listen(path)).rejects.toMatchObject({ code: "IPC_PATH" });
    expect(readFileSync(path, "utf8")).toBe("keep");
  });

  it("does not replace the socket of a running node", async () => {
    const path = join(dir, "node.ipc");
    await listen(path);
    await expect(listen(path)).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(existsSync(path)).toBe(true);
  });
});
