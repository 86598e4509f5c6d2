import type { Dialect } from "../api/rpc/dialect.ts";
import { kaiaDialect } from "../api/rpc/dialects/kaia.ts";
import { klaytnDialect } from "../api/rpc/dialects/klaytn.ts";

/** Releases of the reference node whose RPC can be spoken: Kaia v2.2.1, Klaytn v1.12.1. */
export type Compat = "kaia" | "klaytn";

const DIALECTS: Readonly<Record<Compat, Dialect>> = { kaia: kaiaDialect, klaytn: klaytnDialect };

/** What can be chosen about how the node speaks. */
export interface DialectOptions {
  readonly compat?: Compat;
  readonly signedMessageName?: Dialect["messageName"];
  readonly unit?: Dialect["unit"];
}

/** A node that takes after no release serves all that it has. */
const NOTHING: ReadonlySet<string> = new Set();

/** Highest gas limit that the pool of Klaytn takes: any. */
const ANY_GAS = 2n ** 64n - 1n;

/**
 * How the node speaks over RPC: as Kaia v2.2.1 with the message prefix of the interface specification, `Klaytn`, and with
 * what that has beyond the release; or in all as the release that `compat` names. Single names can be chosen for themselves.
 */
export function dialectOf({ compat, signedMessageName, unit }: DialectOptions): Dialect {
  const dialect =
    compat === undefined
      ? { ...kaiaDialect, messageName: "Klaytn" as const, withheld: NOTHING }
      : DIALECTS[compat];
  return {
    ...dialect,
    ...(signedMessageName && { messageName: signedMessageName }),
    ...(unit && { unit }),
  };
}

/** What a release's pool does differently. */
export function poolRulesOf({ compat }: DialectOptions): { readonly maxGas?: bigint } {
  return compat === "klaytn" ? { maxGas: ANY_GAS } : {};
}
