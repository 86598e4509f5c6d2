import { expect, it } from "vitest";
import { createSeededRandomness } from "../../../platform/runtime/simulated.ts";
import { NodeType } from "../node-url.ts";
import { bucketOf, idHash } from "./distance.ts";
import type { FoundNode } from "./found-node.ts";
import { BUCKET_SIZE, KademliaTable } from "./kademlia-table.ts";
import { ListTable } from "./list-table.ts";

const randomness = createSeededRandomness(1);
const OWN = new Uint8Array(64).fill(1);

/** Nodes of the farthest bucket, which half of all identities are in. */
function farNodes(count: number, hostOf: (i: number) => string): FoundNode[] {
  const nodes: FoundNode[] = [];
  while (nodes.length < count) {
    const id = randomness.bytes(64);
    if (bucketOf(idHash(OWN), idHash(id)) !== 16) continue;
    nodes.push({ id, host: hostOf(nodes.length), udp: 2000, tcp: 2000, type: NodeType.en });
  }
  return nodes;
}

it("keeps the oldest entries of a bucket, and replaces a dead one from the replacement cache", () => {
  const table = new KademliaTable(NodeType.en, OWN, randomness);
  const nodes = farNodes(BUCKET_SIZE + 12, (i) => `10.0.0.${i}`);
  for (const node of nodes) table.add(node);
  expect(table.size).toBe(BUCKET_SIZE);
  expect([...table.replacements()]).toHaveLength(10);
  expect([...table.nodes()]).toEqual(nodes.slice(0, BUCKET_SIZE));
  table.remove((nodes[0] as FoundNode).id);
  expect([...table.nodes()].at(-1)).toBe(nodes.at(-1));
  expect(table.oldest()).toBe(nodes[1]);
});

it("accepts two nodes of a subnet per bucket, and any number of local ones", () => {
  const table = new KademliaTable(NodeType.en, OWN, randomness);
  for (const node of farNodes(5, (i) => `8.8.8.${i}`)) table.add(node);
  expect(table.size).toBe(2);
  for (const node of farNodes(5, (i) => `8.8.9.${i}`)) table.add(node);
  expect(table.size).toBe(4);
  for (const node of farNodes(5, () => "127.0.0.1")) table.add(node);
  expect(table.size).toBe(9);
});

it("frees the place of a subnet", () => {
  const table = new KademliaTable(NodeType.en, OWN, randomness);
  const [a, b, c] = farNodes(3, (i) => `8.8.8.${i}`) as [FoundNode, FoundNode, FoundNode];
  for (const node of [a, b, a, b]) table.add(node); // as when they are seen again
  table.remove(a.id);
  table.add(c);
  expect([...table.nodes()]).toEqual([b, c]);
});

it("does not add itself", () => {
  const table = new KademliaTable(NodeType.en, OWN, randomness);
  table.add({ id: OWN, host: "10.0.0.1", udp: 2000, tcp: 2000, type: NodeType.en });
  expect(table.size).toBe(0);
});

it("returns a limited number of nodes, in random order", () => {
  const list = new ListTable(NodeType.pn, 2, randomness);
  const nodes = farNodes(20, (i) => `10.0.0.${i}`);
  for (const node of nodes) list.add(node);
  const told = Array.from({ length: 20 }, () => list.closest(OWN, 16));
  expect(told.every(({ length }) => length === 2)).toBe(true);
  expect(new Set(told.flat()).size).toBeGreaterThan(5);
  list.add(nodes[0] as FoundNode);
  expect(list.oldest()).toBe(nodes[1]);
});
