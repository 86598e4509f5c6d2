import { expect, it } from "vitest";
import { NodeType } from "../node-url.ts";
import { AuthorizedNodes } from "./authorized-nodes.ts";

const idOf = (byte: number) => new Uint8Array(64).fill(byte);
const nodeOf = (byte: number, type: number) => ({ id: idOf(byte), tcp: 0, udp: 0, subports: [], type });

it("responds to all nodes of a type until one of them is listed, then only to listed ones", () => {
  const nodes = new AuthorizedNodes();
  expect(nodes.has(idOf(1), NodeType.cn)).toBe(true);
  nodes.add(nodeOf(1, NodeType.cn));
  expect(nodes.has(idOf(1), NodeType.cn)).toBe(true);
  expect(nodes.has(idOf(2), NodeType.cn)).toBe(false);
  expect(nodes.has(idOf(2), NodeType.pn)).toBe(true);
  nodes.remove(nodeOf(1, NodeType.pn));
  expect(nodes.has(idOf(2), NodeType.cn)).toBe(false);
  nodes.remove(nodeOf(1, NodeType.cn));
  expect(nodes.has(idOf(2), NodeType.cn)).toBe(true);
});

it("always responds to endpoints and bootnodes, and lists none of them", () => {
  const nodes = new AuthorizedNodes();
  for (const type of [NodeType.en, NodeType.bn, NodeType.unknown]) nodes.add(nodeOf(1, type));
  expect([...nodes.nodes()]).toEqual([]);
  expect(nodes.has(idOf(2), NodeType.en)).toBe(true);
  expect(nodes.has(idOf(2), NodeType.bn)).toBe(true);
});
