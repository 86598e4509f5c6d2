import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startNode } from "../suites/golden/node-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kairn-golden-start-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("stops a node that gives invalid responses", async () => {
  const idFile = join(folder, "pid");
  const program = join(folder, "program.cjs");
  writeFileSync(
    program,
    `if (process.argv[2] === "node") {
      require("node:fs").writeFileSync(${JSON.stringify(idFile)}, String(process.pid));
      const server = require("node:http").createServer((_, answer) => answer.end('{"result":"no number"}'));
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address();
        console.log("http://127.0.0.1:" + port + ", ws://127.0.0.1:" + port);
      });
    }`,
  );
  vi.stubEnv("KAIRN_PROGRAM", program);
  const start = { folder, reference: "kaia", profile: "default", dataDir: folder };
  await expect(startNode(start)).rejects.toThrow("BigInt");
  expect(() => process.kill(Number(readFileSync(idFile, "utf8")), 0)).toThrow("ESRCH");
});
