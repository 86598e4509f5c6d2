import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeList } from "../../../src/protocol/codec/rlp/list.ts";
import { type Attacker, knock, meet, withTarget } from "./peers/attacker.ts";
import { damageAll } from "./peers/damage.ts";
import { datagrams } from "./peers/datagrams.ts";
import { FLOODS } from "./peers/floods.ts";
import { forgedAfter, lie, unlinked } from "./peers/liars.ts";
import { type HostileRow, hold } from "./row.ts";
import { peakMemory } from "./watched.ts";

/** Maximum memory of the node, in MiB; some 200 are its baseline. */
const LITTLE_MIB = 600;
const MEBIBYTE = 2 ** 20;
/** Disconnect reason of a liar. */
const USELESS_PEER = 3;

function garbage(): Promise<string> {
  const { read, taken } = damageAll();
  const heap = Math.round(process.memoryUsage().heapUsed / MEBIBYTE);
  hold(heap < LITTLE_MIB, `${heap} MiB of heap`);
  return withTarget(async (target) => {
    const sockets: Socket[] = [];
    // more than may be in the handshake, and no address has more than its share
    for (let i = 0; i < 65; i++) sockets.push(await knock(target, `127.0.0.${2 + (i % 5)}`));
    const honest = await meet(target, 0x31);
    for (let i = 0; i < 60; i++) {
      const socket = await knock(target);
      socket.write(Uint8Array.from({ length: 1 + i * 40 }, (_, j) => (j === 0 ? 1 : (i * j) & 0xff)));
      if (i % 2 === 0) socket.resetAndDestroy();
      sockets.push(socket);
    }
    for (const socket of sockets) socket.destroy();
    await sleep(500);
    const bomb = await meet(target, 0x32);
    bomb.session.send(16 + 0x10, Uint8Array.of(0xc0));
    hold((await bomb.session.ended) === 16, "an unknown code was accepted");
    const swarm = await meet(target, 0x33);
    swarm.session.send(16 + 0x06, shortest());
    hold((await swarm.session.ended) === 1, "a million transactions in a message were decoded");
    await hearsOfBlocks(honest);
    const mebibytes = Math.round(peakMemory(target.pid));
    hold(mebibytes < LITTLE_MIB, `${mebibytes} MiB`);
    return `${read} damaged, ${taken} of them taken, the others refused by name; a peer was accepted beside 65 handshakes held open from 5 addresses; 60 connections of garbage; ${mebibytes} MiB`;
  });
}

/** A message of a million transactions of ten bytes, half a megabyte once packed. */
function shortest(): Uint8Array {
  const one = Uint8Array.of(0xc9, 0x80, 1, 1, 0x80, 0x80, 0x80, 0x25, 1, 1);
  return encodeList(Array.from({ length: 1_000_000 }, () => one));
}

/** @throws Error if a peer gets no block announcement within some seconds */
async function hearsOfBlocks({ got }: Attacker): Promise<void> {
  const before = got.get("newBlockHashes") ?? 0;
  for (let i = 0; i < 100 && (got.get("newBlockHashes") ?? 0) === before; i++) await sleep(100);
  hold((got.get("newBlockHashes") ?? 0) > before, "an honest peer hears no more of new blocks");
}

function floods(): Promise<string> {
  return withTarget(async (target) => {
    const began = BigInt(await target.ask<string>("eth_blockNumber"));
    const attackers = await Promise.all(FLOODS.map((_, i) => meet(target, 0x41 + i)));
    const times: number[] = [];
    for (let round = 0; round < 2; round++) {
      attackers.forEach((attacker, i) => void FLOODS[i]?.(attacker, target.chain));
      for (let i = 0; i < 25; i++) {
        const asked = performance.now();
        await target.ask("eth_blockNumber");
        times.push(performance.now() - asked);
      }
    }
    await sleep(2_000);
    const made = BigInt(await target.ask<string>("eth_blockNumber")) - began;
    hold(made >= 2n, `${made} blocks meanwhile`);
    const mebibytes = Math.round(peakMemory(target.pid));
    hold(mebibytes < LITTLE_MIB, `${mebibytes} MiB`);
    const [p95 = 0] = times.sort((a, b) => b - a).slice(Math.floor(times.length / 20));
    hold(p95 < 1_000, `p95 of eth_blockNumber is ${Math.round(p95)} ms`);
    return `p95 of eth_blockNumber ${Math.round(p95)} ms, ${made} blocks sealed, ${mebibytes} MiB`;
  });
}

function liars(): Promise<string> {
  return withTarget(async (target) => {
    const honest = await meet(target, 0x51);
    for (let i = 0; i < 5; i++) {
      const liar = await lie(target, 0x61 + i, i === 0 ? forgedAfter : unlinked);
      const reason = await Promise.race([liar.session.ended, sleep(15_000, "no end")]);
      hold(reason === USELESS_PEER, `liar ${i} ended with ${reason}`);
      const again = await meet(target, 0x61 + i).then(
        () => "taken",
        () => "refused",
      );
      hold(again === "refused", `liar ${i} came back`);
    }
    const fresh = await meet(target, 0x71).then(
      () => "taken",
      () => "refused",
    );
    hold(fresh === "refused", "a sixth name of the liar was taken");
    await hearsOfBlocks(honest);
    const height = Number(await target.ask<string>("eth_blockNumber"));
    let parent: string | undefined;
    for (let number = 0; number <= height; number++) {
      const block = await target.ask<Named>("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      hold(parent === undefined || block.parentHash === parent, `block ${number} does not follow`);
      parent = block.hash;
    }
    return `5 banned, their address too; ${height} blocks, whole; an honest peer stayed`;
  });
}

interface Named {
  readonly hash: string;
  readonly parentHash: string;
}

export const peerRows: readonly HostileRow[] = [
  {
    id: "P1",
    promise: "garbage from peers is rejected with a typed error and ends only its own session",
    run: garbage,
  },
  { id: "P2", promise: "flooding peers delay neither calls nor blocks, and use bounded memory", run: floods },
  { id: "P3", promise: "peers that send forged headers are banned", run: liars },
  {
    id: "P4",
    promise: "unverified UDP senders get no information and little amplification, and delay nobody",
    run: datagrams,
  },
];
