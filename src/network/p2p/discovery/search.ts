import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeType } from "../node-url.ts";
import type { Bonds } from "./bonds.ts";
import type { DiscoveryWire } from "./discovery-wire.ts";
import { compareDistance, idHash } from "./distance.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { BUCKET_SIZE } from "./kademlia-table.ts";

/** Concurrency of lookups, Kademlia's α. */
const ALPHA = 3;

/** Dependencies of a lookup. */
export interface SearchParts {
  readonly ownId: Uint8Array;
  readonly wire: Pick<DiscoveryWire, "findNode">;
  readonly bonds: Pick<Bonds, "with">;
  /** Called with each bonded node. */
  onFound(node: FoundNode): void;
  /** Called with each node that did not answer a query. */
  onTimeout(node: FoundNode): void;
}

/** The query of a lookup. */
export interface LookupQuery {
  /** 64 bytes; distances are measured to its hash. */
  readonly target: Uint8Array;
  readonly type: NodeType;
  /** Maximum nodes per reply. */
  readonly most: number;
}

/**
 * Queries the first three seeds once. @returns the bonded nodes among their replies
 */
export async function queryOnce(
  parts: SearchParts,
  seeds: readonly FoundNode[],
  wanted: LookupQuery,
): Promise<readonly FoundNode[]> {
  const answers = await Promise.all(seeds.slice(0, ALPHA).map((seed) => query(parts, seed, wanted)));
  const found = new Map(answers.flat().map((node) => [keyOf(node.id), node]));
  return [...found.values()].slice(0, wanted.most);
}

/** A Kademlia lookup: queries ever closer nodes, three at a time, until the closest have all been queried. @returns the 16 closest */
export async function lookupClosest(
  parts: SearchParts,
  seeds: readonly FoundNode[],
  wanted: LookupQuery,
): Promise<readonly FoundNode[]> {
  const place = idHash(wanted.target);
  const asked = new Set<string>([keyOf(parts.ownId)]);
  const seen = new Set(seeds.map(({ id }) => keyOf(id)));
  let closest = [...seeds];
  const running = new Set<Promise<void>>();
  const start = (node: FoundNode): void => {
    asked.add(keyOf(node.id));
    const answer = query(parts, node, wanted).then((nodes) => {
      const fresh = nodes.filter(({ id }) => !seen.has(keyOf(id)));
      for (const { id } of fresh) seen.add(keyOf(id));
      closest = nearest([...closest, ...fresh], place);
      running.delete(answer);
    });
    running.add(answer);
  };
  for (;;) {
    for (const node of closest) {
      if (running.size >= ALPHA) break;
      if (!asked.has(keyOf(node.id))) start(node);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  return closest.filter(({ type }) => wanted.type === NodeType.bn || type !== NodeType.bn);
}

async function query(
  parts: SearchParts,
  node: FoundNode,
  wanted: LookupQuery,
): Promise<readonly FoundNode[]> {
  // The first query may arrive before the node has processed this one's PONG.
  const neighbors = (await parts.wire.findNode(node, wanted)) ?? (await parts.wire.findNode(node, wanted));
  if (neighbors === undefined) {
    parts.onTimeout(node);
    return [];
  }
  const others = neighbors.filter(
    ({ id, type }) => !equalBytes(id, parts.ownId) && (wanted.type === NodeType.bn || type !== NodeType.bn),
  );
  const bonded = await Promise.all(others.map((other) => parts.bonds.with(other)));
  const found = bonded.filter((other) => other !== undefined);
  for (const other of found) parts.onFound(other);
  return found;
}

function nearest(nodes: readonly FoundNode[], place: Uint8Array): FoundNode[] {
  return nodes
    .map((node) => ({ node, at: idHash(node.id) }))
    .sort((a, b) => compareDistance(place, a.at, b.at))
    .slice(0, BUCKET_SIZE)
    .map(({ node }) => node);
}
