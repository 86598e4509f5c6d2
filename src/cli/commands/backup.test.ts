import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemFiles } from "../../platform/runtime/system/files.ts";
import { kairn, newFolder } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./backup.ts";

it.skipIf(process.platform === "win32")("a backup is made by the node that is using the folder", async () => {
  const folder = newFolder();
  const [data, copy, ipc] = [join(folder, "data"), join(folder, "copy"), join(folder, "node.ipc")];
  mkdirSync(join(data, "chaindata"), { recursive: true });
  writeFileSync(join(data, "transactions.rlp"), "c0");
  const lock = await systemFiles.lock(join(data, "chaindata", "LOCK"));
  onTestFinished(() => lock.release());
  const asked: unknown[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      const { id, method, params } = JSON.parse(String(bytes));
      asked.push([method, params]);
      mkdirSync(params[0]);
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: true })}\n`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(ipc, resolve));
  onTestFinished(() => void server.close());
  expect(await kairn(["backup", "--datadir", data, "--ipcpath", ipc, copy])).toMatchObject({
    ...{ code: 0, stdout: `backup of ${data} in ${copy}\n` },
  });
  expect(asked).toEqual([["admin_backup", [copy]]]);
  expect(readdirSync(copy)).toEqual(["transactions.rlp"]);
});
