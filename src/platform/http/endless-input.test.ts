import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, UnsentBytes } from "./budget.ts";
import { listenHttp } from "./listener.ts";

const MIB = 1024 * 1024;
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

async function serve(): Promise<number> {
  const budget = {
    ...{ connections: new Allowance(10), bodies: new Allowance(MIB), unsent: new UnsentBytes(MIB) },
    slice: new TimeSlice(),
  };
  const verdict = { status: 200, headers: "", text: "fine", close: false };
  const listener = await listenHttp(
    { maxBody: MIB, admit: () => verdict },
    { host: "127.0.0.1", port: 0, budget },
  );
  onTestFinished(() => listener.close());
  return listener.port;
}

/** Sends bytes and reads until the connection is closed. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // a reset while it is still sending
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

it("a connection may send some empty lines before each request, but not nothing else", async () => {
  const port = await serve();
  const last = REQUEST.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  const few = "\r\n".repeat(400);
  expect(
    (await exchange(port, `${few}${REQUEST}${few}${REQUEST}${few}${last}`)).match(/200 OK/g),
  ).toHaveLength(3);
  expect(await exchange(port, "\r\n".repeat(600))).toMatch(/^HTTP\/1\.1 400 /);
});
