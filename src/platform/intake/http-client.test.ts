import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { systemRuntime } from "../runtime/system.ts";
import { createHttpClient } from "./http-client.ts";

it.each(["http://%zz@127.0.0.1:1/", "http://a:%ff@127.0.0.1:1/"])(
  "credentials of %s that nobody can decode are refused, and not repeated",
  async (text) => {
    const { timers } = systemRuntime;
    const client = createHttpClient({ timers, connections: 1, keepAlive: false });
    const posted = client.post({ url: new URL(text), body: "", timeoutMs: 1000, most: 1000 });
    await expect(posted).rejects.toMatchObject({ code: "FORBIDDEN_TARGET" });
    await expect(posted).rejects.not.toThrow(/%/);
    client.close();
  },
);

/** What a server sends: a beginning, and then the same again and again. */
it.each([
  [
    "bytes one by one",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "1\r\nx\r\n",
    /in more than 65536 pieces/,
  ],
  ["interim responses", "", "HTTP/1.1 103 Early Hints\r\n\r\n", /endless interim responses/],
  ["lines of a head", "HTTP/1.1 200 OK\r\n", "A: b\r\n", /HPE_HEADER_OVERFLOW/],
])("%s without end are abandoned", async (_, first, again, says) => {
  const piece = again.repeat(10_000);
  const server = createServer((socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("error", () => {});
    socket.on("drain", more);
    socket.write(first);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { timers } = systemRuntime;
  const client = createHttpClient({ timers, connections: 1, keepAlive: false });
  const url = new URL(`http://127.0.0.1:${port}/`);
  await expect(client.post({ url, body: "", timeoutMs: 60_000, most: 1 << 30 })).rejects.toThrow(says);
  client.close();
  await new Promise((resolve) => server.close(resolve));
});
