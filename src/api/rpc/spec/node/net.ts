import { quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, string } from "../../../../protocol/codec/json/scalars.ts";
import { method } from "../method.ts";

/** Number of connected peers by node type; `cn` only while there are some. */
export interface PeerCounts {
  readonly [type: string]: number;
  readonly en: number;
  readonly pn: number;
  readonly total: number;
}

/** Facts about the network. */
export const net = {
  networkID: method({
    summary: "Network id as a decimal string.",
    params: {},
    result: string,
    scope: "chain",
  }),
  version: method({
    summary: "Network id as a decimal string.",
    params: {},
    result: string,
    scope: "chain",
    example: { params: [], result: "1337" },
  }),
  listening: method({
    summary: "Whether the node accepts connections from peers.",
    params: {},
    result: boolean,
    scope: "node",
  }),
  peerCount: method({
    summary: "Number of connected peers.",
    params: {},
    result: quantity64,
    scope: "node",
    example: { params: [], result: "0x0" },
  }),
  peerCountByType: method({
    summary: "Number of connected peers by node type, and in total.",
    params: {},
    result: wire<PeerCounts>("PeerCounts", { type: "object", additionalProperties: { type: "integer" } }),
    scope: "node",
  }),
};
