import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { httpRequest } from "./http.ts";

/** A server with any behaviour. @returns its URL */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A body in chunks of one byte, behind its head. */
const inBytes = (text: string): string => [...text].map((byte) => `1\r\n${byte}\r\n`).join("");

it("reads a response that arrives byte by byte, up to its limit", async () => {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 0, result: "x".repeat(200_000) });
  const url = await serve((_, response) => {
    response.flushHeaders();
    response.socket?.write(`${inBytes(text)}0\r\n\r\n`);
  });
  expect(await httpRequest(url, { maxBytes: text.length })("eth_any", [])).toBe("x".repeat(200_000));
  await expect(httpRequest(url, { maxBytes: text.length - 1 })("eth_any", [])).rejects.toThrow(
    `a response of more than ${text.length - 1} bytes`,
  );
});

it("takes little memory for stalled responses", async () => {
  const CALLS = 200;
  const body = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Uint8Array.of(0x7b)) });
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(body()));
  onTestFinished(() => fetched.mockRestore());
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < CALLS; i++) void httpRequest("http://127.0.0.1", { maxBytes: 1 << 20 })("eth_any", []);
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(CALLS), 15_000);
  await new Promise(setImmediate);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(CALLS * 4096);
});

it("follows no redirect, whatever the node responds", async () => {
  let asked = 0;
  const other = await serve((_, response) => {
    asked++;
    response.end("{}");
  });
  const url = await serve((_, response) => {
    response.writeHead(307, { location: other }).end();
  });
  await expect(httpRequest(url)("personal_unlockAccount", ["0x00", "secret"])).rejects.toThrow();
  expect(asked).toBe(0);
});

/** What a node sends again and again, without ever completing its response. */
it.each([
  ["interim responses", "", "HTTP/1.1 102 Processing\r\n\r\n"],
  ["chunks of one byte", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"],
  ["nothing", "", ""],
])("times out as a whole: endless %s", async (_, first, again) => {
  const url = await serve(({ socket }) => {
    const text = again.repeat(1 << 10);
    const more = (): void => {
      while (text !== "" && socket.writable && socket.write(text));
    };
    socket.write(first);
    socket.on("drain", more).on("error", () => {});
    more();
  });
  await expect(httpRequest(url, { timeoutMs: 300 })("eth_any", [])).rejects.toThrow(
    "no complete response within 300 ms",
  );
});
