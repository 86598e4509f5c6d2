import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import { devGenesis } from "../../dev/genesis.ts";
import type { NodeOptions } from "../../node-options.ts";

const VALIDATOR = new Uint8Array(32).fill(0x11);
const ACCOUNT = addressOfPublicKey(publicKeyOf(VALIDATOR));
const genesis = devGenesis({ chainId: 4242n, validator: ACCOUNT, accounts: [ACCOUNT], balance: 10n ** 24n });

type StartEndpoint = (nodes: readonly string[], seed?: number, options?: NodeOptions) => Promise<Node>;

/** The nodes of a test, which end with it, as do their folders. */
const it = test.extend<{
  readonly start: (options: NodeOptions) => Promise<Node>;
  /** The only validator, listening. */
  readonly startValidator: (options?: NodeOptions) => Promise<Node>;
  /** An endpoint with a key of its own. */
  readonly startEndpoint: StartEndpoint;
}>({
  start: async ({ task: _ }, use) => {
    const running: Node[] = [];
    const folders: string[] = [];
    await use(async (options) => {
      if (options.dataDir !== undefined) folders.push(options.dataDir);
      const node = await createNode({ dev: false, genesis, ...options });
      running.push(node);
      return node;
    });
    for (const node of running.reverse()) await node.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  },
  startValidator: ({ start }, use) =>
    use((options = {}) => start({ nodeKey: VALIDATOR, peers: { port: 0, host: "127.0.0.1" }, ...options })),
  startEndpoint: ({ start }, use) =>
    use((nodes, seed = 0x22, options = {}) => {
      const peers = { port: 0, host: "127.0.0.1", nodes };
      return start({ nodeKey: new Uint8Array(32).fill(seed), peers, ...options });
    }),
});

async function urlOf(node: Node): Promise<string> {
  const info = (await node.provider.request({ method: "admin_nodeInfo" })) as Info;
  return `kni://${info.id}@127.0.0.1:${info.ports.listener}`;
}

interface Info {
  readonly id: string;
  readonly ports: { readonly listener: number };
  readonly protocols: { readonly istanbul: { readonly config: Config } };
}

interface Config {
  readonly kip103ContractAddress: string;
  readonly governance: { readonly reward: object };
}

const call = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });
const height = (node: Node) => node.chain.head.header.number;
const patient = { timeout: 30_000, interval: 50 };

// side by side: most of the time they wait for the next block
describe.concurrent("nodes of one network", { timeout: 90_000 }, () => {
  it("report the public BLS key derived from the node key, with its proof of possession, as the reference does", async ({
    expect,
    startValidator,
  }) => {
    const validator = await startValidator();
    // From ken 2.2.1 with --nodekeyhex 1111…
    expect(await call(validator, "admin_nodeInfo")).toMatchObject({
      blsPublicKeyInfo: {
        publicKey:
          "8e5a712e4cb2c51893c27ae19afb3455f3efcc66030dc25e13eb1afc2edf397317a0bb2d28a55513a32d7dcc404be3ba",
        pop:
          "93de1c56e44e99ab094476d433e46a783178789a56b397bf3427c498890e22548513eb859ac294ffb12243bf83c75e1b" +
          "10b269afb23686e0505d4893cfed7b4a627e4f74c5252bc80a385b2687c132ca102342722249e41ed9a4dac75596cf72",
      },
    });
  });

  it("show the chain's configuration with what its genesis leaves out", async ({
    expect,
    startValidator,
  }) => {
    const validator = await startValidator();
    const { protocols } = (await call(validator, "admin_nodeInfo")) as Info;
    const { config } = protocols.istanbul;
    const shown = (await call(validator, "kaia_getChainConfig", "0x0")) as typeof config;
    // As in v2.2.1: the intervals as configured, whatever forks make of them.
    expect(config.governance.reward).toMatchObject({
      stakingUpdateInterval: 86400,
      proposerUpdateInterval: 3600,
    });
    const { governance } = shown;
    const reward = { ...governance.reward, stakingUpdateInterval: 86400, proposerUpdateInterval: 3600 };
    expect(config).toEqual({ ...shown, governance: { ...governance, reward } });
    expect(config.kip103ContractAddress).toBe(`0x${"00".repeat(20)}`);
  });

  it("advertise the address of --nat, if given", async ({ expect, startValidator }) => {
    const validator = await startValidator({
      peers: { port: 0, host: "127.0.0.1", externalHost: "203.0.113.5" },
    });
    expect(await call(validator, "admin_nodeInfo")).toMatchObject({
      ip: "203.0.113.5",
      kni: expect.stringContaining("@203.0.113.5:"),
    });
  });

  it("sync a new endpoint to the head and keep it there", async ({
    expect,
    startValidator,
    startEndpoint,
  }) => {
    const validator = await startValidator();
    await expect.poll(() => height(validator), patient).toBeGreaterThanOrEqual(2n);
    const endpoint = await startEndpoint([await urlOf(validator)]);
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(2n);
    const next = height(validator) + 2n;
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(next);
    expect(endpoint.chain.hash(next)).toEqual(validator.chain.hash(next));
    expect(await call(endpoint, "net_peerCountByType")).toMatchObject({ cn: 1, total: 1 });
    expect(await call(validator, "net_peerCount")).toBe("0x1");
    // a block that is announced at this moment is a synchronisation, too
    await expect.poll(() => call(endpoint, "kaia_syncing"), patient).toBe(false);
    const some = expect.objectContaining({ Overall: expect.any(Number) });
    expect(await call(endpoint, "debug_metrics", true)).toMatchObject({
      p2p: { InboundTraffic: some, OutboundTraffic: some, CNPeerCountGauge: "Unknown metric type" },
      klay: { prop: { hashes: { in: { packets: some, traffic: some } } } },
    });
  });

  it("relay blocks through one that is not connected to the validator", async ({
    expect,
    startValidator,
    startEndpoint,
  }) => {
    const validator = await startValidator();
    const relay = await startEndpoint([await urlOf(validator)]);
    const last = await startEndpoint([await urlOf(relay)], 0x33);
    await expect.poll(() => height(last), patient).toBeGreaterThanOrEqual(3n);
    expect(last.chain.hash(3n)).toEqual(validator.chain.hash(3n));
  });

  it("relay a transaction from an endpoint to the validator", async ({
    expect,
    startValidator,
    startEndpoint,
  }) => {
    const validator = await startValidator();
    const endpoint = await startEndpoint([await urlOf(validator)], 0x22, { lightKdf: true });
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(1n);
    await call(endpoint, "personal_importRawKey", bytesToHex(VALIDATOR).slice(2), "");
    await call(endpoint, "personal_unlockAccount", bytesToHex(ACCOUNT), "");
    const transfer = { from: bytesToHex(ACCOUNT), to: `0x${"77".repeat(20)}`, value: "0x5" };
    const hash = await call(endpoint, "kaia_sendTransaction", transfer);
    await expect
      .poll(() => call(endpoint, "kaia_getTransactionReceipt", hash), patient)
      .toMatchObject({ status: "0x1" });
    expect(await call(validator, "kaia_getBalance", transfer.to, "latest")).toBe("0x5");
  });

  // the port that is free meanwhile must not be given to a node of another test
  it.sequential("reconnect after the other restarted", async ({ expect, startValidator, startEndpoint }) => {
    const validator = await startValidator();
    const url = await urlOf(validator);
    const endpoint = await startEndpoint([url]);
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x1");
    await validator.stop();
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x0");
    const again = await startValidator({
      peers: { port: Number(url.slice(url.lastIndexOf(":") + 1)), host: "127.0.0.1" },
    });
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x1");
    expect(await call(again, "net_listening")).toBe(true);
  });

  it("reject one that is on another chain", async ({ expect, startValidator, startEndpoint }) => {
    const validator = await startValidator();
    const other = devGenesis({ chainId: 4242n, validator: ACCOUNT, accounts: [], balance: 1n });
    const stranger = await startEndpoint([await urlOf(validator)], 0x22, { genesis: other });
    await expect.poll(() => height(validator), patient).toBeGreaterThanOrEqual(3n);
    expect(height(stranger)).toBe(0n);
    expect(await call(stranger, "admin_peers")).toEqual([]);
    expect(await call(validator, "admin_peers")).toEqual([]);
  });

  it("are added and removed by RPC, and read from static-nodes.json", async ({
    expect,
    startValidator,
    startEndpoint,
  }) => {
    const validator = await startValidator();
    const url = await urlOf(validator);
    const dataDir = mkdtempSync(join(tmpdir(), "kairn-network-"));
    mkdirSync(join(dataDir, "klay"));
    writeFileSync(join(dataDir, "klay", "static-nodes.json"), JSON.stringify(["kni://broken", url]));
    const endpoint = await startEndpoint([], 0x22, { dataDir });
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x1");
    expect(await call(endpoint, "admin_removePeer", url)).toBe(true);
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x0");
    expect(await call(endpoint, "admin_addPeer", url)).toBe(true);
    await expect.poll(() => call(endpoint, "net_peerCount"), patient).toBe("0x1");
    await expect(call(endpoint, "admin_addPeer", "http://x")).rejects.toThrow(
      'invalid kni: invalid URL scheme, want "kni"',
    );
  });

  it("reject URLs with the reference's texts", async ({ expect, startEndpoint }) => {
    const file = new URL("../../../../test/fixtures/vectors/network/node-urls.json", import.meta.url);
    const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: { url: string; error: string }[] };
    const refused = cases.filter(({ error }) => error !== null);
    expect(refused.length).toBe(8);
    const endpoint = await startEndpoint([]);
    for (const { url, error } of refused) {
      for (const method of ["admin_addPeer", "admin_removePeer"])
        await expect(call(endpoint, method, url), url).rejects.toThrow(`invalid kni: ${error}`);
    }
  });

  it("survive garbage, and accept nobody outside --netrestrict", async ({
    expect,
    startValidator,
    startEndpoint,
  }) => {
    const validator = await startValidator({
      peers: { port: 0, host: "127.0.0.1", netRestrict: ["127.0.0.0/8"] },
    });
    const port = Number((await urlOf(validator)).split(":").at(-1));
    for (const bytes of [[9], [1, 0xff, 0xff, 1, 2, 3], [1, 0, 10, ...new Array(200).fill(7)]]) {
      const socket = connect(port, "127.0.0.1");
      await new Promise((resolve) => socket.once("connect", resolve));
      socket.end(Uint8Array.from(bytes));
      socket.on("error", () => {}).resume();
      await new Promise((resolve) => socket.once("close", resolve));
    }
    const endpoint = await startEndpoint([await urlOf(validator)]);
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(1n);
    const closed = await startEndpoint([], 0x44, {
      peers: { nodes: [await urlOf(validator)], netRestrict: ["10.0.0.0/8"] },
    });
    const next = height(endpoint) + 2n;
    await expect.poll(() => height(endpoint), patient).toBeGreaterThanOrEqual(next);
    expect(await call(closed, "net_peerCount")).toBe("0x0");
  });
});
