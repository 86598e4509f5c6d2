import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeType } from "../node-url.ts";
import type { Bonds } from "./bonds.ts";
import type { DiscoveryWire } from "./discovery-wire.ts";
import { compareDistance, placeOf } from "./distance.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { BUCKET_SIZE } from "./kademlia-table.ts";

/** Concurrent queries. */
const ASKED_AT_ONCE = 3;

/** What a search uses. */
export interface SearchParts {
  readonly ownId: Uint8Array;
  readonly wire: Pick<DiscoveryWire, "findNode">;
  readonly bonds: Pick<Bonds, "with">;
  /** Called with each node that has answered a PING. */
  onFound(node: FoundNode): void;
  /** Called with each node that did not answer a query. */
  onSilent(node: FoundNode): void;
}

/** What is looked for. */
export interface Wanted {
  /** 64 bytes; its hash is what distances are measured to. */
  readonly target: Uint8Array;
  readonly type: NodeType;
  /** Nodes of one answer. */
  readonly most: number;
}

/**
 * Queries nodes once for others. @param seeds - of which the first three are queried @returns those that answer a PING
 */
export async function askOnce(
  parts: SearchParts,
  seeds: readonly FoundNode[],
  wanted: Wanted,
): Promise<readonly FoundNode[]> {
  const answers = await Promise.all(seeds.slice(0, ASKED_AT_ONCE).map((seed) => ask(parts, seed, wanted)));
  const found = new Map(answers.flat().map((node) => [keyOf(node.id), node]));
  return [...found.values()].slice(0, wanted.most);
}

/** Queries ever closer nodes, three at a time, until all of the closest have been queried. @returns the 16 closest */
export async function approach(
  parts: SearchParts,
  seeds: readonly FoundNode[],
  wanted: Wanted,
): Promise<readonly FoundNode[]> {
  const place = placeOf(wanted.target);
  const asked = new Set<string>([keyOf(parts.ownId)]);
  const seen = new Set(seeds.map(({ id }) => keyOf(id)));
  let closest = [...seeds];
  const running = new Set<Promise<void>>();
  const start = (node: FoundNode): void => {
    asked.add(keyOf(node.id));
    const answer = ask(parts, node, wanted).then((nodes) => {
      const fresh = nodes.filter(({ id }) => !seen.has(keyOf(id)));
      for (const { id } of fresh) seen.add(keyOf(id));
      closest = nearest([...closest, ...fresh], place);
      running.delete(answer);
    });
    running.add(answer);
  };
  for (;;) {
    for (const node of closest) {
      if (running.size >= ASKED_AT_ONCE) break;
      if (!asked.has(keyOf(node.id))) start(node);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  return closest.filter(({ type }) => wanted.type === NodeType.bn || type !== NodeType.bn);
}

async function ask(parts: SearchParts, node: FoundNode, wanted: Wanted): Promise<readonly FoundNode[]> {
  // A node that has only just taken this one's PONG may not know it yet when the first question comes.
  const told = (await parts.wire.findNode(node, wanted)) ?? (await parts.wire.findNode(node, wanted));
  if (told === undefined) {
    parts.onSilent(node);
    return [];
  }
  const others = told.filter(
    ({ id, type }) => !equalBytes(id, parts.ownId) && (wanted.type === NodeType.bn || type !== NodeType.bn),
  );
  const bonded = await Promise.all(others.map((other) => parts.bonds.with(other)));
  const found = bonded.filter((other) => other !== undefined);
  for (const other of found) parts.onFound(other);
  return found;
}

function nearest(nodes: readonly FoundNode[], place: Uint8Array): FoundNode[] {
  return nodes
    .map((node) => ({ node, at: placeOf(node.id) }))
    .sort((a, b) => compareDistance(place, a.at, b.at))
    .slice(0, BUCKET_SIZE)
    .map(({ node }) => node);
}
