import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DISCOVERY_VERSION,
  encodePacket,
  type FindNode,
  type Packet,
  type Ping,
} from "../../../../src/network/p2p/discovery/packets.ts";
import { NodeType } from "../../../../src/network/p2p/node-url.ts";
import { hold } from "../row.ts";
import { peakMemory } from "../watched.ts";
import { type Target, withTarget } from "./attacker.ts";

/** Of the chain that is attacked. */
const NETWORK = 4242n;
const STRANGERS = 200;
const GARBAGE = 40_000;
/** The reply to a PING: a PONG, and a PING that verifies the sender's endpoint. */
const MAX_PING_MS = 3;
const LITTLE_MIB = 600;
const MAX_MS = 1_000;

/** Unknown senders over UDP: requests without an endpoint proof, hundreds of identities, garbage. */
export function datagrams(): Promise<string> {
  const bootnode = `kni://${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"}@127.0.0.1:9?ntype=bn`;
  return withTarget(
    async (target) => {
      const { ports } = await target.ask<{ ports: { discovery: number } }>("admin_nodeInfo");
      const socket = createSocket("udp4");
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
      let came = 0;
      socket.on("message", (bytes) => (came += bytes.length));
      const sender = (packet: Packet, seed: number) => sent(socket, ports.discovery, packet, seed);

      const asked = await eachOf(STRANGERS, (i) => sender(question(), i));
      await sleep(1500);
      hold(came === 0, `${came} bytes came back for ${asked} bytes of requests without an endpoint proof`);

      const pinged = await eachOf(STRANGERS, (i) => sender(ping(), i));
      await sleep(2500);
      hold(came > 0, "nobody gets a response");
      hold(came <= MAX_PING_MS * pinged, `${came} bytes came back for ${pinged}`);
      const amplification = came / pinged;

      const before = peakMemory(target.pid);
      const times = await timesBeside(target, () => flood(socket, ports.discovery));
      const grown = Math.round(peakMemory(target.pid) - before);
      hold(peakMemory(target.pid) < LITTLE_MIB, `${Math.round(peakMemory(target.pid))} MiB`);
      const slowest = Math.round(Math.max(...times));
      hold(slowest < MAX_MS, `eth_blockNumber took ${slowest} ms`);
      socket.close();
      return (
        `0 bytes for ${STRANGERS} questions without a bond; ${amplification.toFixed(1)} bytes for a byte of ${STRANGERS} ` +
        `PINGs; ${grown} MiB more and eth_blockNumber within ${slowest} ms beside ${GARBAGE} datagrams of garbage`
      );
    },
    ...["--bootnodes", bootnode],
  );
}

const expiration = () => BigInt(Math.trunc(Date.now() / 1000) + 20);
const endpoint = { ip: Uint8Array.of(127, 0, 0, 1), udp: 9, tcp: 9, type: NodeType.cn };

function ping(): Ping {
  const version = BigInt(DISCOVERY_VERSION);
  return {
    name: "ping",
    networkId: NETWORK,
    version,
    from: endpoint,
    to: endpoint,
    expiration: expiration(),
  };
}

function question(): FindNode {
  return {
    name: "findNode",
    target: new Uint8Array(64).fill(7),
    type: NodeType.cn,
    expiration: expiration(),
  };
}

/** @returns its bytes */
function sent(socket: Socket, port: number, packet: Packet, seed: number): number {
  const key = new Uint8Array(32).fill(1);
  key[31] = 1 + (seed & 0x7f);
  key[30] = 1 + (seed >> 7);
  const { bytes } = encodePacket(packet, key);
  socket.send(bytes, port, "127.0.0.1");
  return bytes.length;
}

/** At a rate within the limit. @returns the bytes of all */
async function eachOf(count: number, send: (i: number) => number): Promise<number> {
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    bytes += send(i);
    if (i % 20 === 19) await sleep(150);
  }
  return bytes;
}

/** Of all lengths, some with the type byte of a response. */
async function flood(socket: Socket, port: number): Promise<void> {
  for (let i = 0; i < GARBAGE; i++) {
    const bytes = new Uint8Array(1 + ((i * 131) % 1400)).fill(i & 0xff);
    if (bytes.length > 97) bytes[97] = 1 + (i % 5);
    socket.send(bytes, port, "127.0.0.1");
    if (i % 200 === 199) await sleep(5);
  }
}

async function timesBeside(target: Target, run: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  let isOver = false;
  const running = run().finally(() => (isOver = true));
  while (!isOver) {
    const began = performance.now();
    await target.ask("eth_blockNumber");
    times.push(performance.now() - began);
    await sleep(20);
  }
  await running;
  return times;
}
