import type { Shape } from "../../../protocol/codec/json/schema.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type { Dialect } from "./dialect.ts";

/** Kaia v2.2.1, the default: its forms and texts are declared and thrown everywhere. */
export const kaiaDialect: Dialect = {
  chainNames: ["kaia"],
  messageName: "Ethereum",
  hasOneMessageName: false,
  refusesUnknownBlocks: false,
  showsTotalDifficulty: false,
  unit: "kei",
  networkName: "Kaia",
  pricesFollowTips: true,
  newestEthType: BigInt(TypeCode.setCode),
  withheld: new Set(["miner", "trace", "ots", "erigon"]),
  phrases: new Map(),
  suitsTools: false,
  goesBeyond: false,
  params: (_name, params) => withoutBlockOverrides(params),
  account: (json) => json,
  receipt: (located) => located,
};

/** The parameters that a release has: its calls see their block as it is. */
export function withoutBlockOverrides({ blockOverrides: _, ...params }: Shape): Shape {
  return params;
}
