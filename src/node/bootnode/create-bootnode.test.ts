import { afterEach, describe, expect, it } from "vitest";
import { systemDatagrams } from "../../platform/runtime/system/datagrams.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../create-node.ts";
import { devGenesis } from "../dev/genesis.ts";
import { type Bootnode, type BootnodeOptions, createBootnode } from "./create-bootnode.ts";

const VALIDATOR = new Uint8Array(32).fill(0x11);
const ACCOUNT = addressOfPublicKey(publicKeyOf(VALIDATOR));
const genesis = devGenesis({ chainId: 4242n, validator: ACCOUNT, accounts: [ACCOUNT], balance: 10n ** 24n });
const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const idOf = (byte: number) => bytesToHex(publicKeyOf(keyOf(byte))).slice(2);
const urlOf = (byte: number, type: string) => `kni://${idOf(byte)}@127.0.0.1:3000?ntype=${type}`;

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

async function startBootnode(options: Partial<BootnodeOptions> = {}): Promise<Bootnode> {
  const bootnode = await createBootnode({
    ...{ key: keyOf(0x77), address: { host: "127.0.0.1", port: 0 }, authorized: [] },
    ...{
      node: { networkId: 4242n },
      datagrams: systemDatagrams,
      runtime: systemRuntime,
      logger: silentLogger,
    },
    ...options,
  });
  running.push(bootnode);
  return bootnode;
}

async function startEndpoint(bootnode: Bootnode, byte: number): Promise<Node> {
  const peers = { port: 0, host: "127.0.0.1", bootnodes: [bootnode.url], nodeType: "en" as const };
  const node = await createNode({ dev: false, genesis, nodeKey: keyOf(byte), peers });
  running.push(node);
  return node;
}

const patient = { timeout: 30_000, interval: 100 };
const count = (node: Node) => node.provider.request({ method: "net_peerCount" });

describe("a bootnode", { timeout: 60_000 }, () => {
  it("lets two endpoints that know only it find each other", async () => {
    const bootnode = await startBootnode();
    const first = await startEndpoint(bootnode, 0x21);
    const second = await startEndpoint(bootnode, 0x22);
    await expect.poll(() => count(first), patient).toBe("0x1");
    await expect.poll(() => count(second), patient).toBe("0x1");
    const entries = (await bootnode.provider.request({ method: "bootnode_getTableEntries" })) as string[];
    expect(entries.map((url) => url.slice(6, 134)).sort()).toEqual([idOf(0x21), idOf(0x22)].sort());
  });

  it("responds like kbn", async () => {
    const bootnode = await startBootnode({ authorized: [urlOf(0x31, "cn"), "kni://broken"] });
    const call = (method: string, ...params: unknown[]) =>
      bootnode.provider.request({ method: `bootnode_${method}`, params });
    const endpoint = urlOf(0x32, "en");
    const id = idOf(0x32);
    expect(await call("name")).toBe("TableDiscovery");
    expect(await call("getAuthorizedNodes")).toEqual([urlOf(0x31, "cn")]);
    expect(await call("getTableEntries")).toBeNull();
    expect(await call("getTableReplacements")).toBeNull();
    expect(await call("resolve", id, 3)).toBeNull();
    expect(await call("lookup", `0x${id}`, 3)).toBeNull();
    await expect(call("resolve", "12", 1)).rejects.toThrow(
      "invalid argument 0: wrong length, want 128 hex chars",
    );
    await expect(call("readRandomNodes", "en")).rejects.toThrow(
      "json: cannot unmarshal string into Go value of type discover.NodeType",
    );
    expect(await call("createUpdateNodeOnDB", endpoint)).toBeNull();
    expect(await call("getNodeFromDB", id)).toBe(endpoint);
    expect(await call("createUpdateNodeOnTable", endpoint)).toBeNull();
    expect(await call("getTableEntries")).toEqual([endpoint]);
    expect(await call("readRandomNodes", 3)).toEqual([endpoint]);
    expect(await call("resolve", id, 3)).toBe(endpoint);
    expect(await call("createUpdateNodeOnTable", "xx")).toBeNull();
    for (const method of ["createUpdateNodeOnDB", "deleteNodeFromDB", "deleteNodeFromTable"])
      await expect(call(method, "http://x")).rejects.toThrow('invalid URL scheme, want "kni"');
    await call("deleteNodeFromTable", endpoint);
    await call("deleteNodeFromDB", endpoint);
    expect(await call("getTableEntries")).toBeNull();
    await expect(call("getNodeFromDB", id)).rejects.toThrow("failed to retrieve the node with the given id");
  });

  it("lets its lists of authorised nodes be changed", async () => {
    const bootnode = await startBootnode();
    const call = (method: string, urls?: string) =>
      bootnode.provider.request({ method: `bootnode_${method}AuthorizedNodes`, params: urls ? [urls] : [] });
    expect(await call("get")).toBeNull();
    expect(await call("put", `${urlOf(1, "cn")},${urlOf(2, "pn")},${urlOf(3, "en")}`)).toBeNull();
    expect(await call("get")).toEqual([urlOf(1, "cn"), urlOf(2, "pn")]);
    await expect(call("put", "xx")).rejects.toThrow("node url is wrong. url: xx");
    expect(await call("delete", urlOf(2, "pn"))).toBeNull();
    expect(await call("delete", `kni://${idOf(1)}`)).toBeNull(); // of no type, so of no list
    expect(await call("get")).toEqual([urlOf(1, "cn")]);
  });

  it("cannot be changed from other machines", async () => {
    const http = { host: "0.0.0.0", port: 0, modules: ["bootnode", "net"] };
    await expect(startBootnode({ node: { http } })).rejects.toThrow("the modules bootnode");
  });
});
