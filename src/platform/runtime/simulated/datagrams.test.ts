import { expect, it } from "vitest";
import type { StreamAddress } from "../network.ts";
import { createSimulatedRuntime } from "../simulated.ts";
import { SimulatedDatagrams } from "./datagrams.ts";

it("packets of simulated machines take their time, or are lost", async () => {
  const { timers, advance } = createSimulatedRuntime();
  const delays: (number | undefined)[] = [5, undefined, 1];
  const links: [string, string][] = [];
  const network = new SimulatedDatagrams({
    timers,
    delay(from, to) {
      links.push([from.host, to.host]);
      return delays.shift();
    },
  });
  const received: [string, StreamAddress][] = [];
  const listener = (bytes: Uint8Array, from: StreamAddress) => {
    received.push([Buffer.from(bytes).toString(), from]);
  };
  const one = await network.machine("10.0.0.1").open({ host: "::", port: 7 }, () => {});
  const other = await network.machine("10.0.0.2").open({ host: "::", port: 7 }, listener);
  await expect(network.machine("10.0.0.2").open({ host: "::", port: 7 }, listener)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
  for (const text of ["slow", "lost", "quick"]) {
    const bytes = new TextEncoder().encode(text);
    one.send(bytes, { host: "10.0.0.2", port: other.port });
    bytes.fill(0);
  }
  expect(links).toEqual(new Array(3).fill(["10.0.0.1", "10.0.0.2"]));
  await advance(4);
  const from = { host: "10.0.0.1", port: 7 };
  expect(received).toEqual([["quick", from]]);
  await advance(1);
  expect(received).toEqual([
    ["quick", from],
    ["slow", from],
  ]);
  await other.close();
  delays.push(1);
  one.send(new Uint8Array(1), { host: "10.0.0.2", port: 7 });
  await advance(9);
  expect(received).toHaveLength(2);
});
