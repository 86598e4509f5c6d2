import { afterEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { FakeBus, type FakeDevice } from "../../../wallet/hardware/testing/fake-bus.ts";
import { FakeKeys, testKeys } from "../../../wallet/hardware/testing/fake-keys.ts";
import { FakeLedger } from "../../../wallet/hardware/testing/fake-ledger.ts";
import { FakeTrezor } from "../../../wallet/hardware/testing/fake-trezor.ts";
import { createNode, type Node } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";

const KAIA_PATH = "m/44'/8217'/0'/0/0";
/** Keys that the development chain does not hold. */
const KEYS = new FakeKeys("zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong");

type Call = <T = string>(method: string, ...params: unknown[]) => Promise<T>;
type Receipt = Readonly<Record<string, unknown>>;

const nodes: Node[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A development chain with devices on its fake bus; `call` uses JSON-RPC, as a user does. */
async function nodeWith(
  devices: Readonly<Record<string, FakeDevice>>,
  options: NodeOptions = {},
): Promise<{ bus: FakeBus; call: Call }> {
  const bus = new FakeBus();
  for (const [path, device] of Object.entries(devices)) bus.plug(path, device);
  const node = await createNode({ usb: bus, ...options });
  nodes.push(node);
  return { bus, call: (method, ...params) => node.provider.request({ method, params } as never) as never };
}

/** The receipt of a transaction, once there is one. */
function mined(call: Call, hash: string): Promise<Receipt> {
  return vi.waitFor(async () => {
    const receipt = await call<Receipt | null>("kaia_getTransactionReceipt", hash);
    if (receipt === null) throw new Error(`${hash} is not mined`);
    return receipt;
  }, 15_000);
}

/** Opens a Ledger, pins its account and gives it coins. @returns address */
async function fundedLedger(call: Call, path = KAIA_PATH): Promise<string> {
  await call("personal_openWallet", "ledger://1-1");
  const address = await call("personal_deriveAccount", "ledger://1-1", path, true);
  const [rich] = await call<string[]>("eth_accounts");
  await mined(
    call,
    await call("eth_sendTransaction", { from: rich, to: address, value: "0xde0b6b3a7640000" }),
  );
  return address;
}

const devicesOf = async (call: Call) =>
  (await call<{ url: string }[]>("personal_listWallets")).filter(({ url }) => !url.startsWith("memory"));

describe("a Ledger on a node", () => {
  it("is listed and opened, and accounts are derived from it", async () => {
    const { call } = await nodeWith({ "1-1": new FakeLedger({ app: "klaytn", keys: KEYS }) });
    expect(await devicesOf(call)).toEqual([{ url: "ledger://1-1", status: "Closed" }]);
    expect(await call("personal_openWallet", "ledger://1-1")).toBeNull();
    const address = await call("personal_deriveAccount", "ledger://1-1", KAIA_PATH, true);
    expect(await devicesOf(call)).toEqual([
      {
        url: "ledger://1-1",
        status: "Klaytn app v1.1.0 online",
        accounts: [{ address, url: `ledger://1-1/${KAIA_PATH}` }],
      },
    ]);
    expect(await call<string[]>("eth_accounts")).toContain(address);
    expect(await call<string[]>("personal_listAccounts")).toContain(address);
    for (const [path, text] of [
      ["/44", "ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones"],
      ["m/44/x", "invalid component: x"],
    ])
      await expect(call("personal_deriveAccount", "ledger://1-1", path, true)).rejects.toThrow(text);
  });

  it.each([
    ["TxTypeValueTransfer", { typeInt: 8, value: "0x1" }],
    ["TxTypeValueTransferMemo", { typeInt: 0x10, value: "0x1", input: `0x${"07".repeat(600)}` }],
    ["TxTypeCancel", { typeInt: 0x38 }],
  ])("signs %s with the Klaytn app, and the chain mines it", async (type, fields) => {
    const { call } = await nodeWith({ "1-1": new FakeLedger({ app: "klaytn", keys: KEYS }) });
    const from = await fundedLedger(call);
    const to = type === "TxTypeCancel" ? {} : { to: from };
    const hash = await call("kaia_sendTransaction", { from, ...to, gas: "0x186a0", ...fields });
    expect(await mined(call, hash)).toMatchObject({ status: "0x1", from, type });
  });

  it("signs fee-delegated transactions", async () => {
    const { call } = await nodeWith({ "1-1": new FakeLedger({ app: "klaytn", keys: KEYS }) });
    const from = await fundedLedger(call);
    const [feePayer] = await call<string[]>("eth_accounts");
    const args = { typeInt: 9, from, to: feePayer, value: "0x1", gas: "0x186a0", feePayer };
    const { tx } = await call<{ tx: Receipt }>("kaia_signTransaction", args);
    const { signatures, nonce, gasPrice } = tx as { signatures: unknown; nonce: string; gasPrice: string };
    const hash = await call("kaia_sendTransactionAsFeePayer", { ...args, nonce, gasPrice, signatures });
    expect(await mined(call, hash)).toMatchObject({ status: "0x1", from, feePayer });
  });

  it.each([
    ["TxTypeLegacyTransaction", { gasPrice: "0xba43b7400" }],
    [
      "TxTypeEthereumAccessList",
      {
        gasPrice: "0xba43b7400",
        accessList: [{ address: `0x${"11".repeat(20)}`, storageKeys: [`0x${"22".repeat(32)}`] }],
      },
    ],
    ["TxTypeEthereumDynamicFee", { maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: "0x5d21dba00" }],
  ])("signs %s with the Ethereum app, and the chain mines it", async (type, fields) => {
    const { call } = await nodeWith({ "1-1": new FakeLedger({ keys: KEYS }) });
    const from = await fundedLedger(call, "m/44'/60'/0'/0/0");
    const tx = { from, to: from, value: "0x1", gas: "0x186a0", ...fields };
    const hash = await call("eth_sendTransaction", tx);
    expect(await mined(call, hash)).toMatchObject({ status: "0x1", from, type });
  });

  it("signs messages with Ethereum's prefix", async () => {
    const device = new FakeLedger({ keys: KEYS });
    const { call } = await nodeWith({ "1-1": device }, { signedMessageName: "Ethereum" });
    const address = await fundedLedger(call, "m/44'/60'/0'/0/0");
    const text = bytesToHex(new TextEncoder().encode("hello"));
    for (const signature of [
      await call("eth_sign", address, text),
      await call("kaia_sign", address, text),
      await call("personal_sign", text, address, ""),
    ])
      expect(await call("personal_ecRecover", text, signature)).toBe(address);
  });

  it("reports why it cannot sign messages with Kaia's prefix", async () => {
    const { call } = await nodeWith({ "1-1": new FakeLedger({ keys: KEYS }) });
    const address = await fundedLedger(call, "m/44'/60'/0'/0/0");
    await expect(call("personal_sign", "0x00", address, "")).rejects.toThrow(
      `Ledger's Ethereum app cannot sign messages with the prefix "Klaytn Signed Message"`,
    );
  });

  it("passes on refusals by its owner and its app", async () => {
    const device = new FakeLedger({ app: "klaytn", keys: KEYS });
    const { call } = await nodeWith({ "1-1": device });
    const from = await fundedLedger(call);
    device.owner = () => false;
    const transfer = { typeInt: 8, from, to: from, value: "0x1" };
    await expect(call("personal_sendTransaction", transfer, "")).rejects.toMatchObject({
      code: -32000,
      message: "ledger: refused on the device",
    });
    const update = { typeInt: 0x20, from, key: "0x01c0" };
    await expect(call("kaia_sendTransaction", update)).rejects.toThrow(
      "not supported: Ledger's Klaytn app cannot sign TxTypeAccountUpdate",
    );
    expect(await call("eth_getTransactionCount", from, "pending")).toBe("0x0");
  });

  it("does not block the node while it waits", async () => {
    const device = new FakeLedger({ app: "klaytn", keys: KEYS });
    const { bus, call } = await nodeWith({ "1-1": device });
    const from = await fundedLedger(call);
    device.owner = () => new Promise(() => undefined);
    const pending = call("kaia_sendTransaction", { typeInt: 8, from, to: from, value: "0x1" });
    const refused = expect(pending).rejects.toThrow("the device was disconnected");
    const [rich] = await call<string[]>("eth_accounts");
    await mined(call, await call("eth_sendTransaction", { from: rich, to: rich }));
    expect(await devicesOf(call)).toMatchObject([{ status: "Klaytn app v1.1.0 online" }]);
    bus.unplug("1-1");
    await refused;
    expect(bus.openConnections).toBe(0);
  });
});

describe("a node that stops", () => {
  it("does not wait for a user to confirm on the device", async () => {
    const device = new FakeLedger({ app: "klaytn", keys: KEYS });
    const { bus, call } = await nodeWith({ "1-1": device });
    const from = await fundedLedger(call);
    const asked = new Promise<void>((resolve) => {
      device.owner = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const sent = call("kaia_sendTransaction", { typeInt: 8, from, to: from, value: "0x1" });
    const refused = expect(sent).rejects.toThrow("the device was disconnected");
    await asked;
    await nodes[0]?.stop();
    await refused;
    expect(bus.openConnections).toBe(0);
  });
});

describe("a Trezor on a node", () => {
  it("requests its PIN and its passphrase by error texts, then signs", async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const { logger } = createLogger({ verbosity: 5, format: "json", now: Date.now, write });
    const device = new FakeTrezor({ pin: "4711", passphrase: true, label: "mine" });
    const { call } = await nodeWith({ "2-1": device }, { logger });
    const open = (...secret: string[]) => call("personal_openWallet", "trezor://2-1", ...secret);
    await expect(open()).rejects.toMatchObject({ code: -32000, message: "trezor: pin needed" });
    expect(await devicesOf(call)).toEqual([
      { url: "trezor://2-1", status: "Trezor v1.12.1 'mine' waiting for PIN" },
    ]);
    await expect(open("4177")).rejects.toThrow("trezor: passphrase needed");
    expect(await open("hunter2")).toBeNull();
    const from = await call("personal_deriveAccount", "trezor://2-1", "m/44'/60'/0'/0/0", true);
    expect(from).not.toBe(bytesToHex(testKeys.address([0x8000002c, 0x8000003c, 0x80000000, 0, 0])));
    const [rich] = await call<string[]>("eth_accounts");
    await mined(
      call,
      await call("eth_sendTransaction", { from: rich, to: from, value: "0xde0b6b3a7640000" }),
    );
    const hash = await call("eth_sendTransaction", {
      from,
      to: rich,
      value: "0x1",
      input: `0x${"07".repeat(1500)}`,
    });
    expect(await mined(call, hash)).toMatchObject({ status: "0x1", from });
    expect(lines.join("")).toContain("hardware wallet opened");
    expect(lines.join("")).not.toMatch(/4177|4711|hunter2/);
  });
});

describe("a node without devices", () => {
  it("has no hardware wallets", async () => {
    const { call } = await nodeWith({});
    await expect(call("personal_openWallet", "ledger://x", "")).rejects.toThrow("unknown wallet");
  });
});
