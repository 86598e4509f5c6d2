import { describe, expect, it } from "vitest";
import { NodeType } from "../../network/p2p/node-url.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { PeerOptions } from "../node-options.ts";
import { createDiscovery, type PeerType } from "./discovery.ts";

const key = new Uint8Array(32).fill(0x11);
const ID = bytesToHex(publicKeyOf(new Uint8Array(32).fill(0x22))).slice(2);
const bootnodes = [`kni://${ID}@127.0.0.1:9?ntype=bn`];

const create = (peers: PeerOptions, type: PeerType = "en") =>
  createDiscovery({
    ...{ options: { peers }, key, networkId: 7n, type },
    ...{ runtime: createSimulatedRuntime(), logger: silentLogger },
  });

describe("discovery, by options", () => {
  it("runs if there are bootnodes, unless --nodiscover is given", () => {
    expect(create({ bootnodes })).toBeDefined();
    expect(create({ bootnodes, noDiscover: true })).toBeUndefined();
    expect(create({})).toBeUndefined();
  });

  it("searches for the types of --discover-types, by default those that its own type needs", () => {
    expect(create({ bootnodes })?.types).toEqual([NodeType.pn, NodeType.en, NodeType.bn]);
    expect(create({ bootnodes, discoverTypes: ["cn"] })?.types).toEqual([NodeType.cn, NodeType.bn]);
    expect(create({ bootnodes }, "cn")?.types).toEqual([NodeType.cn, NodeType.bn]);
    expect(() => create({ bootnodes, discoverTypes: ["en"] }, "cn")).toThrowError("looks for cn only");
  });
});
