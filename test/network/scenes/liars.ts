import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { type Attacker, type Chain, knock, meet, type Target } from "../../suites/hostile/peers/attacker.ts";
import { FLOODS } from "../../suites/hostile/peers/floods.ts";
import { forgedAfter, lie, unlinked } from "../../suites/hostile/peers/liars.ts";
import type { NetworkNode } from "../node.ts";
import type { Scene } from "../scene.ts";
import { agree, CHAIN_ID, eventually, expectThat, reaches } from "../stage.ts";

/** Maximum duration of a call, even on a busy machine. */
const SLOWEST_MS = 5_000;
const CALLS = 20;
/** The reason for disconnecting a liar. */
const USELESS_PEER = 3;

/** An endpoint follows an honest consensus node whatever others send it. */
export const liars: Scene = {
  id: "g",
  title: "an endpoint follows an honest node beside liars, garbage, floods and silence",
  casts: [
    { cn: "kairn", en: "kairn" },
    { cn: "go", en: "kairn" },
  ],
  async play(stage, { cn: cnKind = "kairn", en: enKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn" });
    const en = await stage.start({ kind: enKind, role: "en", name: "en", peers: [cn.url] });
    await reaches(en, 3);
    const target = await targetOf(en);
    await others(target);
    for (const [seed, forge] of [forgedAfter, unlinked].entries()) {
      const liar = await lie(target, 0x61 + seed, forge);
      const reason = await liar.session.ended;
      expectThat(reason === USELESS_PEER, `a liar is disconnected with reason ${reason}`);
    }
    const silent = await meet(target, 0x71, { head: 1_000_000n });
    const sockets = await Promise.all(Array.from({ length: 8 }, () => knock(target)));
    for (const socket of sockets) socket.write(new Uint8Array(100_000).fill(7));
    const slowest = await slowestUnderFloods(en, target);
    expectThat(slowest <= SLOWEST_MS, `kaia_blockNumber takes ${Math.round(slowest)} ms`);
    const next = (await cn.height()) + 3;
    await reaches(en, next);
    await agree([cn, en], [1, 2, next]);
    const peers = await en.call("admin_peers");
    const honest = (await cn.call("admin_nodeInfo")).id;
    expectThat(
      peers.some((peer: { readonly id: string }) => peer.id === honest),
      "the honest node was disconnected",
    );
    silent.session.disconnect(0);
    for (const socket of sockets) socket.destroy();
    return `block ${next}; 95 of 100 calls under a flood within ${Math.round(slowest)} ms`;
  },
};

async function targetOf(node: NetworkNode): Promise<Target> {
  const { id, ports } = await node.call("admin_nodeInfo");
  const { hash } = await node.call("eth_getBlockByNumber", "0x0", false);
  const genesis = hexToBytes(hash);
  const chain: Chain = { networkId: BigInt(CHAIN_ID), chainId: BigInt(CHAIN_ID), genesis };
  return { pid: node.pid, port: ports.listener, id: hexToBytes(`0x${id}`), chain, ask: node.call };
}

/** Peers on other chains are rejected at once. */
async function others(target: Target): Promise<void> {
  const { chain } = target;
  const differing: readonly Partial<Chain>[] = [
    { networkId: 1n },
    { chainId: 1n },
    { genesis: new Uint8Array(32).fill(1) },
  ];
  for (const [index, other] of differing.entries()) {
    const stranger: Attacker = await meet(target, 0x41 + index, { chain: { ...chain, ...other } });
    const reason = await eventually(
      "a peer of another chain is disconnected",
      () => Promise.race([stranger.session.ended, new Promise<number>((done) => setTimeout(done, 100, -1))]),
      (ended) => ended >= 0,
    );
    expectThat(reason === 16, `a peer of another chain is disconnected with reason ${reason}`);
  }
}

/** 95th percentile of call durations during each flood; the maximum of these. */
async function slowestUnderFloods(node: NetworkNode, target: Target): Promise<number> {
  let slowest = 0;
  for (const [index, flood] of FLOODS.entries()) {
    const attacker = await meet(target, 0x81 + index);
    flood(attacker, target.chain);
    slowest = Math.max(slowest, await slowestOf(node));
    attacker.session.disconnect(0);
  }
  return slowest;
}

/** 95th percentile of call durations. */
async function slowestOf(node: NetworkNode): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const began = performance.now();
    await node.call("kaia_blockNumber");
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return times.sort((a, b) => a - b)[Math.floor(CALLS * 0.95)] as number;
}
