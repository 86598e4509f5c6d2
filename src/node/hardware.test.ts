import { afterEach, describe, expect, it, vi } from "vitest";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { FakeBus } from "../wallet/hardware/testing/fake-bus.ts";
import { FakeKeys } from "../wallet/hardware/testing/fake-keys.ts";
import { FakeLedger } from "../wallet/hardware/testing/fake-ledger.ts";
import { createNode, type Node } from "./create-node.ts";

const OWN = "m/44'/8217'/0'/0/0";
const nodes: Node[] = [];

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A development chain with a device on its fake bus; `call` asks over JSON-RPC as a user does. */
async function nodeWith(bus: FakeBus): Promise<<T>(method: string, ...params: unknown[]) => Promise<T>> {
  const node = await createNode({ usb: bus, signedMessageName: "Ethereum" });
  nodes.push(node);
  return (method, ...params) => node.provider.request({ method, params } as never) as never;
}

type Call = Awaited<ReturnType<typeof nodeWith>>;

/** The receipt of a transaction, once there is one. */
function mined(call: Call, hash: string): Promise<Record<string, unknown>> {
  return vi.waitFor(async () => {
    const receipt = await call<Record<string, unknown> | null>("kaia_getTransactionReceipt", hash);
    if (receipt === null) throw new Error(`${hash} is not mined`);
    return receipt;
  });
}

describe("a Ledger on a node", () => {
  it("is listed, opened, derived from, and signs what the chain then mines", async () => {
    const device = new FakeLedger({
      app: "klaytn",
      keys: new FakeKeys("zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"),
    });
    const bus = new FakeBus();
    bus.plug("1-1", device);
    const call = await nodeWith(bus);
    const listed = async () =>
      (await call<{ url: string }[]>("personal_listWallets")).filter(({ url }) => url.startsWith("ledger"));
    expect(await listed()).toEqual([{ url: "ledger://1-1", status: "Closed" }]);
    expect(await call("personal_openWallet", "ledger://1-1")).toBeNull();
    const from = await call<string>("personal_deriveAccount", "ledger://1-1", OWN, true);
    expect(await listed()).toEqual([
      {
        url: "ledger://1-1",
        status: "Klaytn app v1.1.0 online",
        accounts: [{ address: from, url: `ledger://1-1/${OWN}` }],
      },
    ]);
    const [rich] = await call<string[]>("eth_accounts");
    await mined(
      call,
      await call("eth_sendTransaction", { from: rich, to: from, value: "0xde0b6b3a7640000" }),
    );
    const tx = { typeInt: 8, from, to: rich, value: "0x1", gas: "0x186a0" };
    const hash = await call<string>("kaia_sendTransaction", tx);
    const receipt = await mined(call, hash);
    expect(receipt).toMatchObject({ status: "0x1", from, type: "TxTypeValueTransfer" });
    expect(bytesToHex(device.keys.address([0x8000002c, 0x80002019, 0x80000000, 0, 0]))).toBe(from);
  });
});
