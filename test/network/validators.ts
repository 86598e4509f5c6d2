import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NetworkNode } from "./node.ts";
import type { Cast } from "./scene.ts";
import type { Stage } from "./stage.ts";

const chain = (name: string) => fileURLToPath(new URL(`../fixtures/chains/bft4/${name}`, import.meta.url));

/** A genesis with four validators, every fork, Randao and stakes. */
export const BFT_GENESIS: string = chain("genesis.json");

/** Private keys of its validators, 64 hex digits. */
export const BFT_KEYS: readonly string[] = (
  JSON.parse(readFileSync(chain("validators.json"), "utf8")) as readonly { readonly nodeKey: string }[]
).map(({ nodeKey }) => nodeKey.slice(2));

/** Starts a validator for each part of a cast, and connects all of them. */
export async function startValidators(stage: Stage, cast: Cast): Promise<NetworkNode[]> {
  const nodes = await Promise.all(
    Object.entries(cast).map(([name, kind], i) =>
      stage.start({ kind, name, role: "cn", key: BFT_KEYS[i] as string }),
    ),
  );
  await meetAll(nodes);
  return nodes;
}

/** Lets all nodes dial each other. */
export async function meetAll(nodes: readonly NetworkNode[]): Promise<void> {
  for (const node of nodes)
    for (const other of nodes) if (other !== node) await node.call("admin_addPeer", other.url);
}

/** Disconnects two groups. */
export async function part(some: readonly NetworkNode[], others: readonly NetworkNode[]): Promise<void> {
  for (let again = 0; again < 2; again++)
    for (const one of some)
      for (const other of others)
        await Promise.all([one.call("admin_removePeer", other.url), other.call("admin_removePeer", one.url)]);
}

/** The highest block of any of the nodes. */
export async function heightOf(nodes: readonly NetworkNode[]): Promise<number> {
  return Math.max(...(await Promise.all(nodes.map((node) => node.height()))));
}

/** Counts the blocks of a range by proposer. */
export async function proposersOf(
  node: NetworkNode,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let number = from; number <= to; number++) {
    const { proposer } = await node.call(
      "kaia_getBlockWithConsensusInfoByNumber",
      `0x${number.toString(16)}`,
    );
    counts.set(proposer, (counts.get(proposer) ?? 0) + 1);
  }
  return counts;
}
