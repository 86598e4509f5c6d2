import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

/** Longer than every listener's longest body. */
const HUGE = 10 * 1024 * 1024;
const METHODS = ["GET", "POST", "PUT", "OPTIONS"];
const PATHS = ["/", "/health", "/metrics", "/nowhere"];
const HEADERS = [
  "",
  "Host: foreign.example\r\n",
  "Host: a b\r\n",
  "Origin: http://foreign.example\r\n",
  "Content-Type: text/plain\r\n",
  "Content-Type: application/json\r\n",
];
const BODIES = [
  { name: "no body", fields: "", body: "" },
  { name: "a short body", fields: "Content-Length: 2\r\n", body: "{}" },
  { name: "a body in chunks", fields: "Transfer-Encoding: chunked\r\n", body: "2\r\n{}\r\n0\r\n\r\n" },
  { name: "a body that is too long", fields: `Content-Length: ${HUGE}\r\n`, body: "{}" },
];
const LISTENERS = ["http", "metrics", "feePayer", "dashboard"] as const;

let node: Node;
beforeAll(async () => {
  node = await createNode({
    http: { port: 0 },
    metrics: { port: 0 },
    feePayer: { port: 0 },
    dashboard: { port: 0 },
  });
});
afterAll(() => node.stop());

describe.each(LISTENERS)("the listener of %s", (name) => {
  it.each(BODIES)(
    "closes a connection only after a response that says so: $name",
    async ({ fields, body }) => {
      const { port, host } = new URL(node.endpoints[name] as string);
      for (const method of METHODS)
        for (const path of PATHS)
          for (const header of HEADERS) {
            const own = header.startsWith("Host") ? "" : `Host: ${host}\r\n`;
            const head = `${method} ${path} HTTP/1.1\r\n${own}${header}${fields}\r\n`;
            const seen = await outcomeOf(Number(port), head + body, fields.includes(String(HUGE)));
            expect({ head, ...seen }).toEqual({ head, ...seen, isTold: seen.isClosed });
          }
    },
  );
});

interface Outcome {
  readonly status: number;
  readonly isTold: boolean;
  readonly isClosed: boolean;
}

/** Sends a request and then another one, which is answered if the connection stays open. */
async function outcomeOf(port: number, request: string, isCutOff: boolean): Promise<Outcome> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = once(socket, "close");
  let text = "";
  let isClosed = false;
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.once("end", () => {
    isClosed = true;
  });
  socket.write(request);
  await untilAnswered(socket, () => text);
  const first = text;
  if (!isCutOff) {
    text = "";
    socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    await untilAnswered(socket, () => text);
    isClosed = text === "";
  } else await once(socket, "end");
  socket.destroy();
  await closed;
  return {
    status: Number(first.slice(9, 12)),
    isTold: /\r\nconnection: close\r\n/i.test(first),
    isClosed: isCutOff || isClosed,
  };
}

/** Resolves with the end of a response's head, or of the connection. */
function untilAnswered(socket: Socket, text: () => string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (text().includes("\r\n\r\n")) resolve();
    };
    socket
      .on("data", look)
      .once("end", resolve)
      .once("close", () => resolve());
    look();
  });
}
