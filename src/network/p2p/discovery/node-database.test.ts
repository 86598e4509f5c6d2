import { describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { NodeType } from "../node-url.ts";
import type { FoundNode } from "./found-node.ts";
import { NodeDatabase } from "./node-database.ts";

const node = (seed: number, host: string): FoundNode => ({
  ...{ id: new Uint8Array(64).fill(seed), host, udp: 32_323, tcp: 32_323, type: NodeType.en },
});
const create = () => new NodeDatabase(createSimulatedRuntime({ startMs: 1_700_000_000_000 }).clock);

describe("the database of known nodes", () => {
  it("knows an address as long as a node is there", () => {
    const database = create();
    const [first, second] = [node(1, "8.8.8.8"), node(2, "8.8.8.8")];
    for (const one of [first, second, first]) database.add(one);
    database.remove(first.id);
    expect([database.hasHost("8.8.8.8"), database.size]).toEqual([true, 1]);
    database.remove(second.id);
    expect([database.hasHost("8.8.8.8"), database.size]).toEqual([false, 0]);
  });

  it("reads what it has written", () => {
    const [database, again] = [create(), create()];
    const both = [node(1, "8.8.8.8"), node(2, "2001:4860::8")];
    for (const one of both) database.add(one);
    again.read(database.write());
    expect(again.seeds()).toEqual(both);
  });

  it("skips what is not a node with an address and a UDP port", () => {
    const database = create();
    const id = bytesToHex(node(1, "").id).slice(2);
    const urls = [
      `kni://${id}@name.example:32323`,
      `kni://${id}@8.8.8.8:32323?discport=0`,
      "kni://x@8.8.8.8:1",
      7,
    ];
    const text = JSON.stringify([...urls.map((url) => [url, 1_699_999_999_999]), "x", null]);
    database.read(new TextEncoder().encode(text));
    for (const other of ["{}", "not JSON"]) database.read(new TextEncoder().encode(other));
    expect(database.size).toBe(0);
  });
});
