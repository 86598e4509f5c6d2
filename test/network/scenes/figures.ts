import type { NetworkNode } from "../node.ts";
import type { Scene } from "../scene.ts";
import { eventually, expectThat, reaches } from "../stage.ts";

/** Both sides of a connection report matching peer information. */
export const figures: Scene = {
  id: "h",
  title: "both sides of a connection report it alike, and remove and add it",
  casts: [
    { cn: "kairn", en: "kairn" },
    { cn: "go", en: "kairn" },
    { cn: "kairn", en: "go" },
  ],
  isShort: true,
  async play(stage, { cn: cnKind = "kairn", en: enKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn" });
    const en = await stage.start({ kind: enKind, role: "en", name: "en", peers: [cn.url] });
    await reaches(en, 2);
    await reportsPeers(cn, "en", 1);
    await reportsPeers(en, "cn", 1);
    const [seenByCn, seenByEn] = [await onlyPeer(cn), await onlyPeer(en)];
    expectThat(seenByCn.id === (await idOf(en)), `the consensus node sees ${seenByCn.id}`);
    expectThat(seenByEn.id === (await idOf(cn)), `the endpoint sees ${seenByEn.id}`);
    const [there, here] = [seenByCn.networks[0], seenByEn.networks[0]];
    expectThat(there?.inbound === true && here?.inbound === false, "who dialled");
    expectThat(here?.static === true && there?.static === false, "who is static");
    expectThat(there?.nodeType === "en" && here?.nodeType === "cn", "types");
    expectThat(there?.remoteAddress === here?.localAddress, "addresses");
    for (const peer of [seenByCn, seenByEn]) {
      expectThat(peer.protocols.istanbul.version === 67, `version ${JSON.stringify(peer.protocols)}`);
      expectThat(peer.caps.includes("istanbul/67"), `caps ${peer.caps.join()}`);
    }
    const info = await en.call("admin_nodeInfo");
    expectThat(info.ports.listener === portOf(en), `ports ${JSON.stringify(info.ports)}`);
    expectThat((await en.call("net_listening")) === true, "it is not listening");
    expectThat((await en.call("admin_removePeer", cn.url)) === true, "it does not remove the peer");
    await reportsPeers(en, "cn", 0);
    await reportsPeers(cn, "en", 0);
    expectThat((await en.call("admin_addPeer", cn.url)) === true, "it does not add the peer");
    await reportsPeers(en, "cn", 1);
    await reportsPeers(cn, "en", 1);
    return `${there?.remoteAddress} as ${there?.nodeType}, removed, added`;
  },
};

interface Peer {
  readonly id: string;
  readonly caps: readonly string[];
  readonly networks: readonly {
    readonly inbound: boolean;
    readonly static: boolean;
    readonly nodeType: string;
    readonly localAddress: string;
    readonly remoteAddress: string;
  }[];
  readonly protocols: { readonly istanbul: { readonly version: number } };
}

/** Waits until a node reports a number of peers of a type, and no others. */
async function reportsPeers(node: NetworkNode, type: string, count: number): Promise<void> {
  await eventually(
    `${node.name} (${node.kind}) has ${count} ${type}`,
    () => node.call("net_peerCountByType"),
    (counts) => counts.total === count && (counts[type] ?? 0) === count,
  );
  const total = await node.call("net_peerCount");
  expectThat(Number(total) === count, `net_peerCount of ${node.name} is ${total}`);
}

async function onlyPeer(node: NetworkNode): Promise<Peer> {
  const peers = await node.call<readonly Peer[]>("admin_peers");
  const [peer] = peers;
  expectThat(peers.length === 1 && peer !== undefined, `${node.name} has ${peers.length} peers`);
  return peer;
}

const idOf = async (node: NetworkNode): Promise<string> => (await node.call("admin_nodeInfo")).id;

function portOf({ url }: NetworkNode): number {
  return Number(new URL(url.replace("kni:", "http:")).port);
}
