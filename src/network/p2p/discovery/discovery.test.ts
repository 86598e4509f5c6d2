import { describe, expect, it } from "vitest";
import type { StreamAddress } from "../../../platform/runtime/network.ts";
import { SimulatedDatagrams } from "../../../platform/runtime/simulated/datagrams.ts";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { NodeType } from "../node-url.ts";
import { Discovery, type DiscoveryParts } from "./discovery.ts";
import type { FoundNode } from "./found-node.ts";
import { ipBytesOf } from "./ip-address.ts";
import { PACKETS_PER_TURN } from "./packet-turns.ts";
import { encodePacket, openPacket, type Packet } from "./packets.ts";

const PORT = 32_323;
const NETWORK = 2031n;
const START_MS = 1_700_000_000_000;

/** Machines on links of 5 ms, with a virtual clock. */
function world() {
  const runtime = createSimulatedRuntime({ startMs: START_MS });
  const cut = new Set<string>();
  const links = new SimulatedDatagrams({
    timers: runtime.timers,
    delay: (from, to) => (cut.has(from.host) || cut.has(to.host) ? undefined : 5),
  });
  const start = async (
    seed: number,
    host: string,
    parts: Partial<DiscoveryParts> & Pick<DiscoveryParts, "type">,
  ) => {
    const discovery = new Discovery({
      ...{
        key: new Uint8Array(32).fill(seed),
        networkId: NETWORK,
        types: typesOf(parts.type),
        bootnodes: async () => [],
      },
      ...{ runtime, logger: silentLogger, isAllowed: () => true },
      ...parts,
    });
    await discovery.start(links.machine(host), { host: "::", port: PORT }, 0);
    return discovery;
  };
  return { runtime, links, cut, start };
}

function typesOf(type: NodeType): readonly NodeType[] {
  if (type === NodeType.bn) return [NodeType.cn, NodeType.pn, NodeType.en];
  return type === NodeType.cn ? [NodeType.cn] : [NodeType.pn, NodeType.en];
}

function nodeAt(seed: number, host: string, type: NodeType): FoundNode {
  return { id: publicKeyOf(new Uint8Array(32).fill(seed)), host, udp: PORT, tcp: PORT, type };
}

/** A peer that writes packets by hand. */
async function liar({ links, runtime }: ReturnType<typeof world>, host: string, seed: number) {
  const got: Packet[] = [];
  const key = new Uint8Array(32).fill(seed);
  const socket = await links.machine(host).open({ host, port: PORT }, (bytes, from) => {
    const { packet, hash } = openPacket(bytes);
    got.push(packet);
    if (packet.name !== "ping" || !answersPings) return;
    send({ name: "pong", to: packet.from, pingHash: hash, expiration: expiration() }, from);
  });
  let answersPings = true;
  const expiration = () => BigInt(Math.trunc(runtime.clock.now() / 1000)) + 20n;
  const send = (packet: Packet, to: StreamAddress) => socket.send(encodePacket(packet, key).bytes, to);
  const endpoint = { ip: ipBytesOf(host), udp: PORT, tcp: PORT, type: NodeType.en as number };
  return {
    ...{ got, key, send, expiration },
    ignorePings: () => {
      answersPings = false;
    },
    ping: (to: StreamAddress, networkId = NETWORK, from = endpoint) =>
      send({ name: "ping", networkId, version: 4n, from, to: endpoint, expiration: expiration() }, to),
    query: (to: StreamAddress, type: number = NodeType.en) =>
      send({ name: "findNode", target: new Uint8Array(64), type, expiration: expiration() }, to),
  };
}

const names = (packets: readonly Packet[]) => packets.map(({ name }) => name);
const hosts = (nodes: Iterable<FoundNode>) => [...nodes].map(({ host }) => host).sort();

describe("discovery", () => {
  it("brings nodes of a type together through a bootnode", async () => {
    const { runtime, start } = world();
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnodes = async () => [nodeAt(1, "10.0.0.1", NodeType.bn)];
    const consensus = [];
    for (let i = 2; i < 5; i++)
      consensus.push(await start(i, `10.0.0.${i}`, { type: NodeType.cn, bootnodes }));
    const endpoint = await start(5, "10.0.0.5", { type: NodeType.en, bootnodes });
    await runtime.advance(5_000);
    const finding = Promise.all(consensus.map((node) => node.find(NodeType.cn, 100)));
    await runtime.advance(3_000);
    expect((await finding).map(hosts)).toEqual([
      ["10.0.0.3", "10.0.0.4"],
      ["10.0.0.2", "10.0.0.4"],
      ["10.0.0.2", "10.0.0.3"],
    ]);
    expect(endpoint.known(NodeType.cn, 100)).toEqual([]);
  });

  it("tries again after a refresh that failed, and logs the failure", async () => {
    const { runtime, start } = world();
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...logged: unknown[]) => void warnings.push(logged) };
    let attempts = 0;
    const bootnodes = async () => {
      if (++attempts === 1) throw new Error("no such host");
      return [nodeAt(1, "10.0.0.1", NodeType.bn)];
    };
    const node = await start(2, "10.0.0.2", { type: NodeType.en, bootnodes, logger });
    await runtime.advance(5_000);
    expect(warnings).toEqual([["discovery: refresh failed", { reason: "Error: no such host" }]]);
    await runtime.advance(30 * 60_000 + 5_000); // the interval of refreshes
    expect(hosts(node.known(NodeType.bn, 100))).toEqual(["10.0.0.1"]);
  });

  it("lets endpoints find each other, and removes one that is gone", async () => {
    const { runtime, start, cut } = world();
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnodes = async () => [nodeAt(1, "10.0.0.1", NodeType.bn)];
    const nodes = [];
    for (let i = 2; i < 8; i++) nodes.push(await start(i, `10.0.0.${i}`, { type: NodeType.en, bootnodes }));
    await runtime.advance(5_000);
    const looking = Promise.all(nodes.map((node) => node.find(NodeType.en, 100)));
    await runtime.advance(5_000);
    expect((await looking).map((found) => found.length)).toEqual([5, 5, 5, 5, 5, 5]);
    cut.add("10.0.0.7");
    await runtime.advance(15 * 60_000);
    expect(hosts(nodes[0]?.known(NodeType.en, 100) ?? [])).not.toContain("10.0.0.7");
    expect(nodes[0]?.known(NodeType.en, 100)).toHaveLength(4);
  });

  it("asks only bootnodes for consensus nodes, and endpoints for each other", async () => {
    const all = world();
    const { runtime, start } = all;
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnode = { host: "10.0.0.1", port: PORT };
    const queried: Partial<Record<NodeType, boolean>> = {};
    for (const type of [NodeType.cn, NodeType.en]) {
      const host = `10.0.1.${type}`;
      const other = await liar(all, host, 10 + type);
      other.ping(bootnode, NETWORK, { ip: ipBytesOf(host), udp: PORT, tcp: PORT, type });
      await runtime.advance(1_000);
      const bootnodes = async () => [nodeAt(1, "10.0.0.1", NodeType.bn)];
      const node = await start(20 + type, `10.0.2.${type}`, { type, types: [type], bootnodes });
      await runtime.advance(5_000);
      const finding = node.find(type, 100);
      await runtime.advance(3_000);
      expect(hosts(await finding)).toEqual([host]);
      queried[type] = names(other.got).includes("findNode");
    }
    expect(queried).toEqual({ [NodeType.cn]: false, [NodeType.en]: true });
  });

  it("asks its configured bootnodes before others that say they are one", async () => {
    const { runtime, start } = world();
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnode = nodeAt(1, "10.0.0.1", NodeType.bn);
    let resolved = 0;
    const bootnodes = async () => {
      resolved++;
      return [bootnode];
    };
    await start(2, "10.0.0.2", { type: NodeType.cn, bootnodes });
    const node = await start(3, "10.0.0.3", { type: NodeType.cn, bootnodes });
    await runtime.advance(5_000);
    node.remove(bootnode.id);
    for (const i of [4, 5, 6]) node.add(nodeAt(i, `10.0.0.${i}`, NodeType.bn));
    node.add(bootnode);
    const before = resolved;
    const looking = node.lookup(NodeType.cn, bootnode.id);
    await runtime.advance(5_000);
    expect(hosts(await looking)).toEqual(["10.0.0.2"]);
    expect(resolved).toBe(before);
  });

  it("knows all consensus nodes, wherever they are, but only a few endpoints of one subnet", async () => {
    const node = await world().start(1, "10.0.0.1", { type: NodeType.bn });
    const counts = [NodeType.cn, NodeType.en].map((type) => {
      for (let i = 1; i <= 40; i++) node.add(nodeAt(i + 2, `20.0.0.${i}`, type));
      return node.known(type, 100).length;
    });
    expect(counts[0]).toBe(40);
    expect(counts[1]).toBeLessThanOrEqual(10);
  });

  it("leaves its port to others once it is closed", async () => {
    const { start } = world();
    const node = await start(1, "10.0.0.1", { type: NodeType.en });
    expect(node.port).toBe(PORT);
    await expect(start(2, "10.0.0.1", { type: NodeType.en })).rejects.toThrow();
    await node.close();
    expect(node.port).toBe(0);
    expect((await start(2, "10.0.0.1", { type: NodeType.en })).port).toBe(PORT);
  });

  it("returns no nodes to anybody without a proven endpoint", async () => {
    const all = world();
    const { runtime, start, links } = all;
    await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnode = { host: "10.0.0.1", port: PORT };
    const asker = await liar(all, "10.0.0.9", 9);
    asker.ignorePings();
    asker.query(bootnode);
    asker.ping(bootnode);
    await runtime.advance(2_000);
    asker.query(bootnode);
    await runtime.advance(1_000);
    expect(names(asker.got)).toEqual(["pong", "ping"]);
    const proven = await liar(all, "10.0.0.8", 8);
    const victim = await liar(all, "10.0.0.66", 66);
    proven.ping(bootnode);
    await runtime.advance(1_000);
    proven.query(bootnode);
    const question = { name: "findNode", target: new Uint8Array(64), type: NodeType.en } as const;
    const forged = encodePacket({ ...question, expiration: proven.expiration() }, proven.key).bytes;
    links.send(forged, { host: "10.0.0.66", port: PORT }, bootnode);
    await runtime.advance(1_000);
    expect(names(proven.got)).toEqual(["pong", "ping", "neighbors"]);
    expect(victim.got).toEqual([]);
  });

  it("responds neither to other networks, nor to expired packets, nor to unlisted nodes", async () => {
    const all = world();
    const { runtime, start } = all;
    const isAuthorized = (_: Uint8Array, type: number) => type !== NodeType.cn;
    await start(1, "10.0.0.1", { type: NodeType.bn, isAuthorized });
    const bootnode = { host: "10.0.0.1", port: PORT };
    const asker = await liar(all, "10.0.0.9", 9);
    asker.ping(bootnode, NETWORK + 1n);
    const endpoint = { ip: ipBytesOf("10.0.0.9"), udp: PORT, tcp: PORT, type: NodeType.cn };
    asker.ping(bootnode, NETWORK, endpoint);
    const old = BigInt(Math.trunc(runtime.clock.now() / 1000)) - 1n;
    const ping = { name: "ping", networkId: NETWORK, version: 4n, from: endpoint, to: endpoint } as const;
    asker.send({ ...ping, from: { ...endpoint, type: NodeType.en }, expiration: old }, bootnode);
    await runtime.advance(1_000);
    expect(asker.got).toEqual([]);
  });

  it("rate-limits a flooding address, and responds to others meanwhile", async () => {
    const all = world();
    const { runtime, start } = all;
    const discovery = await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnode = { host: "10.0.0.1", port: PORT };
    const flood = await liar(all, "8.8.8.8", 9);
    const other = await liar(all, "9.9.9.9", 8);
    for (let i = 0; i < 300; i++) flood.ping(bootnode);
    await runtime.advance(10);
    other.ping(bootnode);
    await runtime.advance(500);
    expect(flood.got.filter(({ name }) => name === "pong")).toHaveLength(20);
    expect(names(other.got)).toContain("pong");
    expect(discovery.counts.dropped).toBe(280);
  });

  it("opens the packets of a burst in several turns, and those that are too long not at all", async () => {
    const all = world();
    const { runtime, start, links } = all;
    const discovery = await start(1, "10.0.0.1", { type: NodeType.bn });
    const bootnode = { host: "10.0.0.1", port: PORT };
    const flood = await liar(all, "8.8.8.8", 9);
    for (let i = 0; i < 20; i++) flood.ping(bootnode);
    await runtime.advance(5);
    expect(discovery.counts.taken).toBe(PACKETS_PER_TURN);
    await runtime.advance(10);
    expect(discovery.counts.taken).toBeGreaterThanOrEqual(20);
    const socket = await links.machine("9.9.9.9").open({ host: "9.9.9.9", port: PORT }, () => {});
    for (let i = 0; i < PACKETS_PER_TURN; i++) socket.send(new Uint8Array(1281), bootnode);
    socket.send(new Uint8Array(1280), bootnode);
    await runtime.advance(5);
    expect(discovery.counts.refused).toBe(PACKETS_PER_TURN + 1);
  });

  it("accepts no unsolicited neighbours, and no more than requested", async () => {
    const all = world();
    const { runtime, start } = all;
    const discovery = await start(1, "10.0.0.1", { type: NodeType.en });
    const asker = await liar(all, "10.0.0.9", 9);
    asker.ping({ host: "10.0.0.1", port: PORT });
    await runtime.advance(1_000);
    expect(hosts(discovery.nodes())).toEqual(["10.0.0.9"]);
    const told = nodeAt(7, "10.0.0.7", NodeType.en);
    const nodes = [{ ...told, ip: ipBytesOf("10.0.0.7") }];
    asker.send(
      { name: "neighbors", type: NodeType.en, nodes, expiration: asker.expiration() },
      { host: "10.0.0.1", port: PORT },
    );
    await runtime.advance(2_000);
    expect(discovery.counts.refused).toBe(1);
    expect(hosts(discovery.nodes())).toEqual(["10.0.0.9"]);
  });

  it("remembers its nodes across a restart", async () => {
    const { runtime, start } = world();
    let kept: Uint8Array | undefined;
    const memory = {
      read: () => kept,
      write: async (bytes: Uint8Array) => {
        kept = bytes;
      },
    };
    await start(2, "10.0.0.2", { type: NodeType.en });
    const first = await start(3, "10.0.0.3", {
      ...{ type: NodeType.en, memory },
      bootnodes: async () => [nodeAt(2, "10.0.0.2", NodeType.en)],
    });
    await runtime.advance(3_000);
    await first.close();
    const second = await start(4, "10.0.0.4", { type: NodeType.en, memory });
    await runtime.advance(3_000);
    expect(hosts(second.nodes())).toEqual(["10.0.0.2"]);
    await second.close();
    expect(runtime.scheduled).toBeGreaterThan(0); // the other node goes on
  });
});
