import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import { COIN, devCalls, hex, STRANGER } from "../testing/dev-calls.ts";
import { openOrigin, put, stored, word } from "./testing/origin.ts";

let origin: Node;
let url = "";
let point = 0;
beforeAll(async () => {
  origin = await openOrigin();
  url = origin.endpoints.http as string;
  point = await devCalls(() => origin).number();
});
afterAll(() => origin.stop());

const forking = (block?: number) => ({
  forking: { jsonRpcUrl: url, ...(block !== undefined && { blockNumber: block }) },
});

it("switches a chain to a fork, to another block, and back", async () => {
  await using node = await createNode();
  const { call, number, balance, sent, own } = devCalls(() => node);
  await call("anvil_mine", "0x5");
  const id = await call("evm_snapshot");
  await call("hardhat_reset", forking());
  expect(await number()).toBe(point);
  expect(await balance(STRANGER)).toBe(5n * COIN);
  expect(
    await stored(
      devCalls(() => node),
      3,
    ),
  ).toBe(`0x${word(33)}`);
  expect(await call("evm_revert", id)).toBe(false);
  expect(await call("hardhat_metadata")).toMatchObject({ forkedNetwork: { forkBlockNumber: point } });

  await sent("eth_sendTransaction", { from: own(0), ...put(3, 4) });
  await call("anvil_reset", { forking: { blockNumber: 2 } });
  expect(await number()).toBe(2);
  expect(
    await stored(
      devCalls(() => node),
      3,
    ),
  ).toBe(`0x${word(0)}`);
  expect(await call("eth_getBlockByNumber", "0x1", false)).toEqual(
    await devCalls(() => origin).call("eth_getBlockByNumber", "0x1", false),
  );
  await sent("eth_sendTransaction", { from: own(0), ...put(3, 5) });
  expect(
    await stored(
      devCalls(() => node),
      3,
    ),
  ).toBe(`0x${word(5)}`);
  expect(await call("anvil_nodeInfo")).toMatchObject({ forkConfig: { forkBlockNumber: 2 } });

  await call("hardhat_reset");
  expect([await number(), await balance(STRANGER)]).toEqual([0, 0n]);
  expect(await sent("eth_sendTransaction", { from: own(0), to: STRANGER, value: "0x1" })).toMatchObject({
    blockNumber: "0x1",
  });
  node.chain.store.verify();
});

it("returns to the fork the node was started with", async () => {
  await using node = await createNode({ fork: { url, block: 3n } });
  const { call, number } = devCalls(() => node);
  await call("anvil_reset", { forking: { jsonRpcUrl: url, blockNumber: hex(point) } });
  expect([await number(), node.fork?.blockNumber]).toEqual([point, BigInt(point)]);
  await call("anvil_reset", {});
  expect([await number(), node.fork?.blockNumber]).toEqual([3, 3n]);
});

it("leaves the chain unchanged if the target cannot be reached", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-reset-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await using node = await createNode({ dev: true, dataDir, ipc: false });
  const { call, number } = devCalls(() => node);
  await call("anvil_mine", "0x2");
  await expect(call("hardhat_reset", forking())).rejects.toThrow(/data folder keeps its fork point/);
  await expect(call("hardhat_reset", forking(1_000_000))).rejects.toThrow(/has no block 1000000/);
  await expect(call("hardhat_reset", { forking: { blockNumber: 1 } })).rejects.toThrow(/names no jsonRpcUrl/);
  expect(await call("anvil_setRpcUrl", url)).toBeNull();
  await expect(call("anvil_setRpcUrl", "ftp://example.org")).rejects.toThrow(/begins with http/);
  expect(await number()).toBe(2);
});
