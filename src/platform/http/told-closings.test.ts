import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { CLOSING, ok, open, REQUEST, serve } from "./testing/server.ts";

const CLOSE = "\r\nConnection: close\r\n";

it("a response that waits when the listener is closed says that it is the last of its connection", async () => {
  let answer = (_text: string): void => {};
  const asked = new Promise<void>((resolve) => {
    void serve({
      admit: () =>
        ok(() => {
          resolve();
          return new Promise((done) => {
            answer = done;
          });
        }),
    }).then((listener) => {
      const socket = open();
      got = textOf(socket);
      socket.write(REQUEST);
      void asked.then(() => {
        void listener.close();
        setImmediate(() => answer("late"));
      });
    });
  });
  let got: Promise<string> = Promise.resolve("");
  await asked;
  expect(await got).toContain(CLOSE);
  expect(await got).toContain("late");
});

it("a service without a limit for a route refuses bodies beyond its own limit", async () => {
  await serve({ maxBody: 10, admit: () => ok(() => "fine") });
  const socket = open();
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
  const text = await textOf(socket);
  expect(text).toMatch(/^HTTP\/1.1 413 /);
  expect(text).toContain(CLOSE);
});

it("a connection that stays open does not say that it will be closed", async () => {
  await serve({});
  const socket = open();
  socket.write(REQUEST + CLOSING);
  const [first, second] = (await textOf(socket)).split("fine");
  expect(first).not.toContain(CLOSE);
  expect(second).toContain(CLOSE);
});

/** Everything until the server closes the connection. */
async function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}
