import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { IoProcesses } from "../sockets/io-processes.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { listenHttp } from "./listener.ts";

const script = new URL("../sockets/io-process.ts", import.meta.url);
const REQUEST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";

/** A listener with one I/O process, two clients that have sent a request, and the functions that send their responses. */
async function busyListener() {
  const faults: Error[] = [];
  const onFault = (error: Error) => faults.push(error);
  const processes = new IoProcesses({ script, count: 1, execArgv: ["--import", "tsx"], onFault });
  onTestFinished(async () => {
    await processes.close();
    expect(faults).toEqual([]);
  });
  await processes.ready();
  const answers: ((text: string) => void)[] = [];
  const handle = () => new Promise<string>((resolve) => answers.push(resolve));
  const budget = {
    ...{ connections: new Allowance(10), bodies: new Allowance(1e6), unsent: new UnsentBytes(1e8) },
    times: DEFAULT_TIMES,
    slice: new TimeSlice(),
  };
  const listener = await listenHttp(
    { maxBody: 1e6, admit: () => ({ status: 200, headers: "", text: "", close: false, handle }) },
    { host: "127.0.0.1", port: 0, budget, takeSocket: processes.take },
  );
  const clients = [0, 1].map(() => connect(listener.port, "127.0.0.1").on("error", () => {}));
  for (const client of clients) client.write(REQUEST);
  await expect.poll(() => answers.length).toBe(2);
  return { listener, processes, clients, answers, budget };
}

async function everything(client: Socket): Promise<string> {
  let text = "";
  for await (const chunk of client) text += chunk;
  return text;
}

describe.skipIf(process.platform !== "linux")("a listener whose sockets are in an I/O process", () => {
  it("closes once the responses in progress have been sent", async () => {
    const { listener, clients, answers, budget } = await busyListener();
    const read = clients.map(everything);
    const order: string[] = [];
    const closed = listener.close().then(() => order.push("closed"));
    await new Promise(setImmediate);
    order.push("answered");
    const long = "y".repeat(200_000);
    for (const answer of answers) answer(long);
    for (const text of await Promise.all(read)) expect(text.endsWith(long)).toBe(true);
    await closed;
    expect(order).toEqual(["answered", "closed"]);
    expect(budget.connections.used).toBe(0);
  });

  it("closes even if the process has ended", async () => {
    const { listener, processes, clients, budget } = await busyListener();
    const gone = clients.map((client) => once(client.resume(), "close"));
    await processes.close();
    await Promise.all(gone);
    await listener.close();
    expect(budget.connections.used).toBe(0);
  });
});
