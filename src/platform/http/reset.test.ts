import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { listenHttp } from "./listener.ts";

const REQUEST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
/** Sends a request on each of some connections, resets them, and reports it. */
const RESETTING = `
  const { connect } = require("node:net");
  const { workerData: { port, request, done } } = require("node:worker_threads");
  let left = 10;
  for (let i = left; i > 0; i--) {
    const client = connect(port, "127.0.0.1", () => {
      client.write(request);
      client.resetAndDestroy();
    });
    client.on("close", () => {
      if (--left === 0) Atomics.notify(done, 0, Atomics.add(done, 0, 1) + 1);
    });
  }`;

it("serves nobody whose address is unknown, since the connection was reset before it was accepted", async () => {
  const addresses: string[] = [];
  const handle = async (_: unknown, { address }: { readonly address: string }) => {
    addresses.push(address);
    return "";
  };
  const connections = new Allowance(100);
  const { port, close } = await listenHttp(
    { maxBody: 1e6, admit: () => ({ status: 200, headers: "", text: "", close: false, handle }) },
    {
      ...{ host: "127.0.0.1", port: 0 },
      budget: {
        connections,
        bodies: new Allowance(1e6),
        unsent: new UnsentBytes(1e8),
        times: DEFAULT_TIMES,
        slice: new TimeSlice(),
      },
    },
  );
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(RESETTING, { eval: true, workerData: { port, request: REQUEST, done } });
  await once(worker, "online");
  expect(Atomics.wait(done, 0, 0, 20_000)).not.toBe("timed-out"); // this thread accepts nothing meanwhile
  const honest = connect(port, "127.0.0.1");
  honest.write(REQUEST);
  await once(honest, "data");
  honest.destroy();
  await expect.poll(() => connections.used).toBe(0);
  expect(addresses).toEqual(["127.0.0.1"]);
  await worker.terminate();
  await close();
});
