import { expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { NodeType, type NodeUrl } from "../node-url.ts";
import { PeerNetwork } from "./peer-network.ts";

/** A network with this many slots, and the hosts that it dials. */
function dialling(maxConnections: number) {
  const dialled: string[] = [];
  const network = new PeerNetwork({
    own: { key: new Uint8Array(32).fill(0x11), connectionType: 1, name: "test", capabilities: [] },
    network: {
      connect: ({ host }) => {
        dialled.push(host);
        return new Promise(() => {});
      },
      listen: () => Promise.reject(new Error("nobody listens")),
    },
    ...{ runtime: systemRuntime, logger: silentLogger, isAllowed: () => true, onSession: () => {} },
    limits: { maxConnections, maxPending: 0 },
  });
  return { network, dialled };
}

const found = (seed: number): NodeUrl => ({
  id: publicKeyOf(new Uint8Array(32).fill(seed)),
  ...{ host: `10.0.0.${seed}`, tcp: 1, udp: 1, subports: [], type: NodeType.en },
});

it("dials the nodes that it discovers while there is a slot", async () => {
  const { network, dialled } = dialling(1);
  for (const seed of [1, 2, 1]) network.addFound(found(seed));
  await expect.poll(() => dialled).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(network.found(NodeType.en)).toBe(2);
  await network.close();
  const full = dialling(0);
  full.network.addFound(found(1));
  expect(full.network.found(NodeType.en)).toBe(0);
  await full.network.close();
});
