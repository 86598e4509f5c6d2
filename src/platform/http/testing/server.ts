import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { TimeSlice } from "../../runtime/turns/time-slice.ts";
import { Allowance, type ConnectionBudget, DEFAULT_TIMES, UnsentBytes } from "../budget.ts";
import { type Listener, type ListenOptions, listenHttp } from "../listener.ts";
import type { HttpResult, HttpService, Verdict } from "../service.ts";

export const MIB = 1024 * 1024;

/** Connections and memory for more than any test needs. */
export const budget = (): ConnectionBudget => ({
  ...{ connections: new Allowance(100), bodies: new Allowance(MIB), unsent: new UnsentBytes(256 * MIB) },
  ...{ times: DEFAULT_TIMES, slice: new TimeSlice() },
});

/** A request whose connection stays open, and the same as the last one of its connection. */
export const REQUEST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
export const CLOSING: string = REQUEST.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");

let listener: Listener;
/** Errors that the listener of this test reported. */
export const faults: unknown[] = [];

/** Listens until the test ends; without a service of its own, it responds `fine`. */
export async function serve(
  service: Partial<HttpService>,
  options: Partial<ListenOptions> = {},
): Promise<Listener> {
  faults.length = 0;
  listener = await listenHttp(
    { maxBody: MIB, admit: () => ok(() => "fine"), ...service },
    {
      ...{ host: "127.0.0.1", port: 0, budget: budget(), maxConnections: 100 },
      onFault: (error) => faults.push(error),
      ...options,
    },
  );
  onTestFinished(listener.close);
  return listener;
}

/** Admits a request. */
export function ok(handle: (body: Buffer) => HttpResult): Verdict {
  return { status: 200, headers: "", text: "", close: false, handle };
}

/** A connection to the listener of this test. */
export function open(): Socket {
  const socket = connect(listener.port, "127.0.0.1");
  socket.on("error", () => {});
  return socket;
}

/** Sends this and reads until the server closes the connection. */
export async function ask(text: string): Promise<string> {
  const socket = open();
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return got;
}
