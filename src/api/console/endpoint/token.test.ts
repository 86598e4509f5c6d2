import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../node/create-node.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { openEndpoint } from "./endpoint.ts";

const { timers } = systemRuntime;

describe("an endpoint that requires a token", () => {
  const jwtSecret = new Uint8Array(32).fill(5);
  let node: Node;
  beforeAll(async () => {
    node = await createNode({ dev: true, http: { port: 0 }, ws: { port: 0 }, jwtSecret });
  });
  afterAll(() => node.stop());

  it.each(["http", "ws"] as const)("opens with its secret over %s, and not without", async (kind) => {
    const address = node.endpoints[kind] as string;
    const { request, close } = await openEndpoint(address, { timers, secret: jwtSecret });
    expect(await request("eth_blockNumber", [])).toBe("0x0");
    close();
    await expect(openEndpoint(address, { timers })).rejects.toThrow("401");
    await expect(openEndpoint(address, { timers, secret: new Uint8Array(32) })).rejects.toThrow("401");
  });
});
