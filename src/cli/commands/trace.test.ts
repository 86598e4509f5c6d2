import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { runCommandLine } from "../run.ts";

const HASH = `0x${"11".repeat(32)}`;
const TO = `0x${"22".repeat(20)}`;
/** Colours, the clipboard, C1 controls, and a bidirectional override. */
const HOSTILE = "\u001b[31m\u001b]52;c;eA==\u0007\u009b2J\u202eexe";

/** A node that puts terminal control sequences into every text. */
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const { id, method } = JSON.parse(body);
    const frame = { type: "CALL", from: TO, to: TO, value: "0x0", gas: "0x9", gasUsed: "0x9", input: "0x" };
    const results: Readonly<Record<string, unknown>> = {
      eth_getTransactionByHash: { blockNumber: "0x1" },
      debug_traceTransaction: { ...frame, output: "0x", error: HOSTILE, revertReason: HOSTILE },
      eth_getCode: "0x",
    };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? null }));
  });
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
afterAll(() => void server.close());

it.each([[[]], [["0x12"]], [[HASH, HASH]]])("needs exactly one hash: %j", async (args) => {
  let shown = "";
  const stderr = { write: (text: string) => (shown += text) } as unknown as NodeJS.WritableStream;
  expect(await runCommandLine(["trace", ...args], { env: {}, stdout: stderr, stderr })).toBe(2);
  expect(shown).toBe("kairn: usage: kairn trace HASH [--rpc URL|PATH] [--artifacts FOLDER]\n");
});

it.each([[[]], [["--json"]]])("shows no terminal control sequences of a node %j", async (flags) => {
  const { port } = server.address() as AddressInfo;
  let shown = "";
  const stdout = { write: (text: string) => (shown += text) } as unknown as NodeJS.WritableStream;
  const args = ["trace", HASH, "--rpc", `http://127.0.0.1:${port}`, ...flags];
  expect(await runCommandLine(args, { env: {}, stdout, stderr: stdout })).toBe(0);
  expect(shown).toContain("\\u001b");
  expect(shown).toContain("\\u009b");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
