import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { createNode } from "../create-node.ts";
import { devCalls, hex, OTHER, STRANGER } from "./testing/dev-calls.ts";

it("starts at a given time, with free gas and automatic impersonation, and returns to those on reset", async () => {
  await using node = await createNode({
    dev: { baseFee: 0n, timestamp: 2_000_000_000n, autoImpersonate: true, accounts: 2, balance: 5n },
    sealing: { kind: "onDemand" },
  });
  const { call, balance, own, sent } = devCalls(() => node);
  const check = async (): Promise<void> => {
    expect(await call("eth_accounts")).toHaveLength(2);
    const tx = { from: own(0), to: STRANGER, value: "0x5", gasPrice: "0x0" };
    expect(await sent("eth_sendTransaction", tx)).toMatchObject({ status: "0x1", effectiveGasPrice: "0x0" });
    expect([await balance(own(0)), await balance(STRANGER)]).toEqual([0n, 5n]);
    await sent("eth_sendTransaction", { from: STRANGER, to: OTHER, value: "0x5", gasPrice: "0x0" });
    expect(await balance(OTHER)).toBe(5n);
    const { time, baseFee } = node.chain.head.header;
    expect([time >= 2_000_000_000n && time < 2_000_001_000n, baseFee]).toEqual([true, 0n]);
  };
  await check();
  await call("anvil_autoImpersonateAccount", false);
  await call("anvil_reset");
  await check();
});

it("fills in fees automatically, at a configured base fee", async () => {
  const first = bytesToHex((await createDefault()).address);
  await using node = await createNode({
    dev: { autoFeePayer: (await createDefault()).address, baseFee: 30_000_000_000n },
  });
  const { call } = devCalls(() => node);
  expect(await call("kairn_getAutoFeePayer")).toBe(first);
  expect(node.chain.nextBaseFee()).toBe(30_000_000_000n);
  expect(await call("eth_gasPrice")).toBe(hex(33_000_000_000n));
});

it("derives its accounts from a mnemonic and a path", async () => {
  const mnemonic = `${"test ".repeat(11)}junk`;
  const first = async (derivationPath: string) => {
    await using node = await createNode({ dev: { mnemonic, derivationPath, accounts: 1 } });
    return devCalls(() => node).call("eth_accounts");
  };
  // the first account of Hardhat and Foundry
  expect(await first("m/44'/60'/0'/0/")).toEqual(["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]);
  expect(await first("m/44'/8217'/0'/0/")).not.toEqual(["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]);
});

it("keeps the chain id of a data folder", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-dev-"));
  const start = (chainId: bigint) => createNode({ dev: { chainId }, dataDir, ipc: false });
  try {
    await (await start(5n)).stop();
    await expect(start(6n)).rejects.toThrow("the database holds a chain with chain id 5, not 6");
    await (await start(5n)).stop();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

it("continues from the time of the forked chain", async () => {
  await using old = await createNode({ dev: { timestamp: 1_600_000_000n }, http: { port: 0 } });
  await devCalls(() => old).call("anvil_mine", 3);
  await using node = await createNode({ fork: { url: old.endpoints.http as string } });
  const { call } = devCalls(() => node);
  for (const again of [false, true]) {
    if (again) await call("anvil_reset");
    await call("evm_mine");
    expect(Number(node.chain.head.header.time - old.chain.head.header.time)).toBeLessThan(60);
  }
});

async function createDefault() {
  await using node = await createNode();
  return node.dev?.accounts[0] as NonNullable<NonNullable<typeof node.dev>["accounts"][0]>;
}
