import { expect, it } from "vitest";
import type { ByteStream } from "../../../platform/runtime/network.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { parseNodeUrl } from "../node-url.ts";
import { generateMaterial, makeAuth } from "../rlpx/handshake.ts";
import { openSession } from "../session/open-session.ts";
import type { PeerSession } from "../session/session.ts";
import { TestStream } from "../testing/stream-pair.ts";
import { CHAIN_PROTOCOL } from "../wire/capabilities.ts";
import { DisconnectReason } from "../wire/disconnect.ts";
import { type PeerLimits, PeerNetwork } from "./peer-network.ts";

const KEY = new Uint8Array(32).fill(0x11);
const identity = (key: Uint8Array) => ({
  key,
  connectionType: 1,
  name: "test",
  capabilities: CHAIN_PROTOCOL,
});

const urlOf = (seed: number) =>
  parseNodeUrl(`kni://${bytesToHex(publicKeyOf(new Uint8Array(32).fill(seed))).slice(2)}@10.0.0.1:1`);

/** A network that listens, and a way to connect to it. */
async function listening(limits: PeerLimits = { maxConnections: 10, maxPending: 0 }) {
  let accept: (stream: ByteStream) => void = () => {};
  const sessions: PeerSession[] = [];
  const network = new PeerNetwork({
    own: identity(KEY),
    network: {
      connect: () => Promise.reject(new Error("nobody is dialled")),
      listen: async (_address, onStream) => {
        accept = onStream;
        return { port: 1, close: async () => {} };
      },
    },
    runtime: systemRuntime,
    limits,
    logger: silentLogger,
    isAllowed: () => true,
    onSession: (session) => {
      sessions.push(session);
      session.start(() => {});
    },
  });
  await network.listen("", 0);
  /** Opens a connection from a host, and sends nothing. */
  const knock = (host: string): readonly [TestStream, TestStream] => {
    const [theirs, ours] = TestStream.pair();
    Object.assign(ours, { remote: { host, port: 1 } });
    accept(ours);
    return [theirs, ours];
  };
  const connect = (seed: number, host = "10.0.0.1") =>
    openSession({
      ...{ stream: knock(host)[0], own: identity(new Uint8Array(32).fill(seed)), runtime: systemRuntime },
      ...{ dialled: publicKeyOf(KEY), admit: () => undefined },
    });
  return { network, sessions, knock, connect };
}

const closed = (streams: readonly (readonly [TestStream, TestStream])[]) =>
  streams.filter(([, { isClosed }]) => isClosed).length;

it("leaves slots for others when one address opens silent connections", async () => {
  const { network, knock, connect } = await listening();
  const silent = Array.from({ length: 60 }, () => knock("10.0.0.9"));
  await expect.poll(() => closed(silent)).toBe(60 - 13);
  expect((await connect(0x22)).hello.name).toBe("test");
  await network.close();
});

it("takes a connection from elsewhere when handshakes begun from several addresses are held open", async () => {
  const { network, knock, connect } = await listening();
  const silent = [2, 3, 4, 5].flatMap((last) => Array.from({ length: 13 }, () => knock(`10.0.0.${last}`)));
  await expect.poll(() => closed(silent)).toBe(2);
  expect((await connect(0x22, "10.0.0.1")).hello.name).toBe("test");
  await expect.poll(() => closed(silent)).toBe(3);
  expect(silent.findIndex(([, { isClosed }]) => isClosed)).toBe(0);
  await network.close();
});

it("counts the addresses of one IPv6 network as one", async () => {
  const { network, knock } = await listening();
  const silent = Array.from({ length: 60 }, (_, i) => knock(`2a01:db7:1:2::${i.toString(16)}`));
  await expect.poll(() => closed(silent)).toBe(60 - 13);
  await network.close();
});

it("does simultaneous handshakes in turns, with other work between them", async () => {
  const { network, knock } = await listening({ maxConnections: 10, maxPending: 200 });
  const clients = Array.from({ length: 100 }, (_, i) => {
    const key = new Uint8Array(32).fill(0x30 + (i % 50));
    const [theirs] = knock(`10.0.${i}.1`);
    let length = 0;
    theirs.receive(
      (bytes) => (length += bytes.length),
      () => {},
    );
    theirs.write(Uint8Array.of(1));
    const packet = makeAuth(key, publicKeyOf(KEY), generateMaterial(systemRuntime.randomness));
    return { answered: () => length > 1, send: () => theirs.write(packet) };
  });
  for (const client of clients) client.send();
  await new Promise((resolve) => setImmediate(resolve));
  const count = () => clients.filter((client) => client.answered()).length;
  expect(count()).toBeLessThan(60);
  await expect.poll(count, { timeout: 10_000 }).toBe(100);
  await network.close();
});

it("closes connections during their handshake when it is closed", async () => {
  const { network, knock } = await listening();
  const silent = [knock("10.0.0.9")];
  await network.close();
  await expect.poll(() => closed(silent)).toBe(1);
});

it("keeps one session with a node that opens many simultaneously", async () => {
  const { network, sessions, connect } = await listening();
  await Promise.allSettled([connect(0x22), connect(0x22), connect(0x22)]);
  await expect.poll(() => sessions.length).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([sessions.length, [...network.sessions].length]).toEqual([1, 1]);
  await network.close();
});

it("accepts no new identities from an address that was banned five times", async () => {
  const { network, sessions, connect } = await listening();
  for (let seed = 1; seed <= 5; seed++) {
    await connect(0x20 + seed);
    await expect.poll(() => sessions.length).toBe(seed);
    network.ban(sessions.at(-1) as PeerSession);
  }
  await expect(connect(0x40)).rejects.toThrow("connection closed");
  await connect(0x40, "10.0.0.2");
  await expect.poll(() => sessions.length).toBe(6);
  await network.close();
});

it("reserves slots for nodes that it discovers", async () => {
  const { network, sessions, connect } = await listening({
    maxConnections: 3,
    maxPending: 0,
    reservedForDials: 1,
  });
  for (const seed of [0x21, 0x22]) {
    await connect(seed);
    await expect.poll(() => sessions.length).toBe(seed - 0x20);
  }
  await expect(connect(0x23)).rejects.toMatchObject({ details: { reason: DisconnectReason.tooManyPeers } });
  expect(network.isFull).toBe(false);
  network.trust(urlOf(0x24));
  await connect(0x24);
  await expect.poll(() => sessions.length).toBe(3);
  await network.close();
});

it("gives a newcomer a slot of the address that has most of them", async () => {
  const { network, sessions, connect } = await listening({ maxConnections: 4, maxPending: 0 });
  for (const seed of [0x21, 0x22, 0x23, 0x24]) {
    await connect(seed, "10.0.0.9");
    await expect.poll(() => sessions.length).toBe(seed - 0x20);
  }
  await expect(connect(0x25, "10.0.0.9")).rejects.toMatchObject({
    details: { reason: DisconnectReason.tooManyPeers },
  });
  network.trust(urlOf(0x24));
  await connect(0x26, "10.0.0.1");
  expect(await sessions[2]?.ended).toBe(DisconnectReason.tooManyPeers);
  await connect(0x27, "10.0.0.2");
  expect(await sessions[1]?.ended).toBe(DisconnectReason.tooManyPeers);
  const hosts = [...network.sessions].map(({ stream }) => stream.remote.host);
  expect(hosts).toEqual(["10.0.0.9", "10.0.0.9", "10.0.0.1", "10.0.0.2"]);
  await network.close();
});

it("has one session when both sides dial simultaneously", async () => {
  const keys = { a: new Uint8Array(32).fill(0x21), b: new Uint8Array(32).fill(0x22) };
  const accepting = new Map<string, (stream: ByteStream) => void>();
  const started = { a: 0, b: 0 };
  const open = (name: "a" | "b", other: "a" | "b") =>
    new PeerNetwork({
      own: identity(keys[name]),
      network: {
        connect: async () => {
          const [ours, theirs] = TestStream.pair();
          accepting.get(other)?.(theirs);
          return ours;
        },
        listen: async (_address, onStream) => {
          accepting.set(name, onStream);
          return { port: 1, close: async () => {} };
        },
      },
      ...{ runtime: systemRuntime, logger: silentLogger, isAllowed: () => true },
      limits: { maxConnections: 10, maxPending: 0 },
      onSession: (session) => {
        started[name]++;
        session.start(() => {});
      },
    });
  const networks = { a: open("a", "b"), b: open("b", "a") };
  for (const network of Object.values(networks)) await network.listen("", 0);
  const place = { host: "127.0.0.1", tcp: 1, udp: 1, subports: [], type: 3 };
  networks.a.add({ id: publicKeyOf(keys.b), ...place });
  networks.b.add({ id: publicKeyOf(keys.a), ...place });
  await expect.poll(() => [...networks.a.sessions].length + [...networks.b.sessions].length).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started).toEqual({ a: 1, b: 1 });
  const [session] = networks.a.sessions;
  expect(session?.isInbound).toBe([...networks.b.sessions].every(({ isInbound }) => !isInbound));
  for (const network of Object.values(networks)) await network.close();
});
