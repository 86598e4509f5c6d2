import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import type { FoundNode } from "../discovery/found-node.ts";
import { NodeType, type NodeUrl } from "../node-url.ts";
import { PeerFinder } from "./peer-finder.ts";

function nodes(count: number): FoundNode[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: new Uint8Array(64).fill(i), host: `10.0.0.${i}`, udp: 2000, tcp: 2000 },
    type: NodeType.en,
  }));
}

it("dials as many nodes as wanted, another when one disconnects, and none when there are no slots", async () => {
  const { timers, advance } = createSimulatedRuntime();
  const dialled: NodeUrl[] = [];
  const network = {
    isFull: false,
    found: () => dialled.length,
    addFound: (node: NodeUrl) => void dialled.push(node),
  };
  let searches = 0;
  const discovery = {
    find: async (_: number, most: number) => {
      searches++;
      return nodes(10).slice(0, most);
    },
  };
  const wanted = [{ type: NodeType.en, most: 3 }];
  const finder = new PeerFinder({ discovery, network, timers, wanted, logger: silentLogger });
  await advance(1_000);
  expect(dialled.map(({ host }) => host)).toEqual(["10.0.0.0", "10.0.0.1", "10.0.0.2"]);
  await advance(20_000);
  expect(searches).toBe(1);
  dialled.pop();
  await advance(4_000);
  expect([dialled.length, searches]).toEqual([3, 2]);
  dialled.pop();
  network.isFull = true;
  await advance(20_000);
  expect([dialled.length, searches]).toEqual([2, 2]);
  finder.close();
});

it("searches again after a search that failed, and logs the failure", async () => {
  const { timers, advance } = createSimulatedRuntime();
  const dialled: NodeUrl[] = [];
  const network = {
    isFull: false,
    found: () => dialled.length,
    addFound: (node: NodeUrl) => void dialled.push(node),
  };
  let searches = 0;
  const find = async () => {
    if (++searches === 1) throw new Error("no route");
    return nodes(1);
  };
  const warnings: unknown[] = [];
  const logger = { warn: (...logged: unknown[]) => void warnings.push(logged) };
  const finder = new PeerFinder({
    ...{ discovery: { find }, network, timers, logger },
    wanted: [{ type: NodeType.en, most: 1 }],
  });
  await advance(1_000);
  expect(warnings).toEqual([["finding peers failed", { reason: "Error: no route" }]]);
  await advance(4_000);
  expect([searches, dialled.length]).toEqual([2, 1]);
  finder.close();
});
