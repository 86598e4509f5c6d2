import type { Shape } from "../../../protocol/codec/json/schema.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type { Dialect } from "./dialect.ts";

/** Kaia v2.2.1, the default: the rest of the code uses its formats and error messages. */
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
  hiddenNamespaces: new Set(["miner", "trace", "ots", "erigon"]),
  phrases: new Map(),
  matchesAnvil: false,
  servesExtras: false,
  params: (_name, params) => withoutBlockOverrides(params),
  account: (json) => json,
  receipt: (located) => located,
};

/** Removes block overrides, which releases do not support. */
export function withoutBlockOverrides({ blockOverrides: _, ...params }: Shape): Shape {
  return params;
}
