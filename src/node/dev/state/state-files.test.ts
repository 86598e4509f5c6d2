import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode } from "../../create-node.ts";
import { BOX, openOrigin, put, stored, word } from "../fork/testing/origin.ts";
import { devCalls, OTHER, STRANGER } from "../testing/dev-calls.ts";

function newPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

it("saves the state at shutdown and loads it at the next start", async () => {
  const path = newPath("deep/state");
  let root = "";
  {
    await using node = await createNode({ state: { dump: path } });
    const { call, sent, own } = devCalls(() => node);
    await sent("eth_sendTransaction", { from: own(0), to: STRANGER, value: "0x7" });
    await call("kairn_setAccountKey", STRANGER, { keyType: 3, key: {} });
    root = bytesToHex(node.chain.store.latest().root);
  }
  expect(statSync(path).size).toBeGreaterThan(100);
  await using node = await createNode({ state: { load: path } });
  const { balance, call, number } = devCalls(() => node);
  expect([bytesToHex(node.chain.store.latest().root), await number()]).toEqual([root, 0]);
  expect(await balance(STRANGER)).toBe(7n);
  expect(await call("kaia_getAccountKey", STRANGER, "latest")).toMatchObject({ keyType: 3 });
  expect(readFileSync(path).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
});

it("applies the changes saved on a fork to a new instance of that fork", async () => {
  await using origin = await openOrigin();
  const path = newPath("state");
  const fork = { url: origin.endpoints.http as string, block: origin.chain.head.header.number };
  {
    await using node = await createNode({ fork, state: { dump: path } });
    const { sent, own } = devCalls(() => node);
    await sent("eth_sendTransaction", { from: own(0), ...put(1, 0) });
    await sent("eth_sendTransaction", { from: own(0), ...put(8, 88) });
    await sent("eth_sendTransaction", { from: own(0), to: OTHER, value: "0x7" });
  }
  await using node = await createNode({ fork, state: { load: path } });
  const calls = devCalls(() => node);
  const values = await Promise.all([1, 2, 8].map((slot) => stored(calls, slot)));
  expect(values).toEqual([0, 22, 88].map((value) => `0x${word(value)}`));
  expect(await calls.balance(OTHER)).toBe(7n);
  expect(await calls.call("kaia_getAccount", BOX, "latest")).toMatchObject({ accType: 2 });
});

it("does not start with a missing or invalid state", async () => {
  const path = newPath("state");
  await expect(createNode({ state: { load: path } })).rejects.toMatchObject({ code: "STATE_FILE" });
  writeFileSync(path, "no state");
  await expect(createNode({ state: { load: path } })).rejects.toMatchObject({ code: "STATE_FORMAT" });
});

it("saves the state periodically, so that a kill loses at most one interval", async () => {
  const path = newPath("state");
  await using node = await createNode({ state: { dump: path, intervalMs: 20 } });
  const { sent, own } = devCalls(() => node);
  await sent("eth_sendTransaction", { from: own(0), to: STRANGER, value: "0x7" });
  const saved = async () => {
    if (!existsSync(path)) return undefined;
    await using other = await createNode({ state: { load: path } });
    return devCalls(() => other).balance(STRANGER);
  };
  await expect.poll(saved).toBe(7n);
});
