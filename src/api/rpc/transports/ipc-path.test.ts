import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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

  it("is only accessible to the owner where the mode of new files cannot be set, as in a worker thread", async () => {
    vi.spyOn(process, "umask").mockReturnValue(0o022);
    const path = join(dir, "node.ipc");
    await listen(path);
    expect(mode(path)).toBe(0o600);
  });

  it("is listened on in a worker thread, where Node refuses to set the mode of new files, and nowhere else", async () => {
    const refuse = (code: string) =>
      vi.spyOn(process, "umask").mockImplementation(() => {
        throw Object.assign(new Error(code), { code });
      });
    refuse("ERR_WORKER_UNSUPPORTED_OPERATION");
    await listen(join(dir, "worker.ipc"));
    expect(mode(join(dir, "worker.ipc"))).toBe(0o600);
    refuse("ERR_OTHER");
    await expect(listen(join(dir, "other.ipc"))).rejects.toThrow("ERR_OTHER");
  });

  it("may be as long as the system allows, and no longer", async () => {
    const most = process.platform === "linux" ? 107 : 103;
    const path = (bytes: number) => join(dir, "é".repeat(5)).padEnd(bytes - 5, "x");
    await listen(path(most));
    expect(existsSync(path(most))).toBe(true);
    await expect(listen(path(most + 1))).rejects.toMatchObject({
      ...{ code: "IPC_PATH", message: expect.stringContaining(`has ${most + 1} bytes`) },
    });
    // instead of a shorter name
    expect(readdirSync(dir)).toEqual([basename(path(most))]);
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
