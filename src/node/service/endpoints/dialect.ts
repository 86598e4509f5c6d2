import type { Dialect } from "../../../api/rpc/dialects/dialect.ts";
import { kaiaDialect } from "../../../api/rpc/dialects/kaia.ts";
import { klaytnDialect } from "../../../api/rpc/dialects/klaytn.ts";
import { CHAIN_NAMES } from "../../../api/rpc/spec/chain-names.ts";
import { blockRef, LATEST_BLOCK } from "../../../api/rpc/spec/values/block-ref.ts";
import { defaulted, type Field, type Shape } from "../../../protocol/codec/json/schema.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";

/** Releases of the reference node whose RPC dialect can be chosen: Kaia v2.2.1, Klaytn v1.12.1. */
export type Compat = "kaia" | "klaytn";

const DIALECTS: Readonly<Record<Compat, Dialect>> = { kaia: kaiaDialect, klaytn: klaytnDialect };

/** The dialect options of a node. */
export interface DialectOptions {
  readonly compat?: Compat;
  readonly signedMessageName?: Dialect["messageName"];
  readonly unit?: Dialect["unit"];
}

/**
 * Parameters with a trailing block that may be omitted, meaning the newest, as tools for development chains expect: the question
 * is about an account or a call, not about the block.
 */
function withLatest(params: Shape): Shape {
  const isBlock = (field: Field<unknown>, place: number): boolean =>
    place > 0 && field.schema === blockRef && !field.optional;
  if (!Object.values(params).some(isBlock)) return params;
  const entries = Object.entries(params).map(([name, field], place) => [
    name,
    isBlock(field, place) ? defaulted(blockRef, LATEST_BLOCK, field.doc) : field,
  ]);
  return Object.fromEntries(entries);
}

/** A node that imitates no release serves everything it has. */
const NOTHING: ReadonlySet<string> = new Set();

/**
 * The RPC dialect of a node: as Kaia v2.2.1 with the message prefix of the interface specification, `Klaytn`, and with
 * what that has beyond the release; or in all as the release that `compat` names. Single names can be chosen
 * separately.
 * @param isDev - a development chain also answers as its tools expect
 */
export function dialectOf({ compat, signedMessageName, unit }: DialectOptions, isDev = false): Dialect {
  const dialect =
    compat === undefined
      ? { ...kaiaDialect, messageName: "Klaytn" as const, hiddenNamespaces: NOTHING, chainNames: CHAIN_NAMES }
      : DIALECTS[compat];
  const matchesAnvil = isDev && compat === undefined;
  return {
    ...dialect,
    ...(signedMessageName && { messageName: signedMessageName }),
    ...(unit && { unit }),
    servesExtras: compat === undefined,
    matchesAnvil,
    ...(isDev && {
      params: (name, params) => withLatest(matchesAnvil ? params : dialect.params(name, params)),
    }),
  };
}

/** What a release's pool does differently. */
export function poolRulesOf({ compat }: DialectOptions): { readonly maxGas?: bigint } {
  return compat === "klaytn" ? { maxGas: MAX_UINT64 } : {};
}
