import { AbiOutput, callInput, isUnreadable } from "../../../../ledger/extensions/contracts/abi.ts";
import { MAINNET_CREDIT } from "../../../../ledger/extensions/contracts/addresses.ts";
import { ExtensionError } from "../../../../ledger/extensions/errors.ts";
import { canonicalBurns, rebalanceBurn } from "../../../../ledger/extensions/supply/burns.ts";
import type { SupplyHistory } from "../../../../ledger/extensions/supply/supply-history.ts";
import { hasCode } from "../../../../protocol/account/account.ts";
import { refused } from "../../engine/errors.ts";
import type { supply } from "../../spec/consensus/supply.ts";
import type { Handlers } from "../../spec/method.ts";
import { unsignedNumber } from "../../spec/values/block-ref.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";

/** Blocks between the supplies that the reference stores; its error text depends on them. */
const CHECKPOINT_INTERVAL = 128n;

/** `kaia_getTotalSupply` and `kaia_getCypressCredit`. */
export function supplyHandlers(
  deps: ConsensusDeps & { readonly supply: SupplyHistory },
): Handlers<typeof supply> {
  const { chain } = deps;
  return {
    async getTotalSupply({ number, showPartial }, { signal }) {
      const head = chain.head.header.number;
      const asked = unsignedNumber(number);
      const wanted = typeof asked === "bigint" ? asked : head;
      if (wanted > head) {
        const checkpoint = wanted - (wanted % CHECKPOINT_INTERVAL);
        throw refused(checkpoint > head ? "supply checkpoint not found" : "block not found");
      }
      const { minted, burntFee } = await deps.supply.at(wanted, signal);
      const { burns, errors } = burnsOf(deps, wanted);
      if (errors.length > 0 && showPartial !== true) throw refused(errors.join("\n"));
      return showSupply(wanted, minted, { burntFee, ...burns }, errors);
    },
    getCypressCredit: () => cypressCredit(deps),
  };
}

/** Burnt supply other than fees; null if unknown. */
function burnsOf({ chain, extensions }: ConsensusDeps, number: bigint) {
  const errors: string[] = [];
  const known = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ExtensionError)) throw error;
      errors.push(error.message);
      return undefined;
    }
  };
  const { kip103, kip160 } = chain.config;
  const [zeroBurn = null, deadBurn = null] = known(() => canonicalBurns(chain, number)) ?? [];
  const rebalanced = (rebalancing: typeof kip103) =>
    known(() => rebalanceBurn(chain, extensions.contracts, rebalancing, number)) ?? null;
  const burns = { zeroBurn, deadBurn, kip103Burn: rebalanced(kip103), kip160Burn: rebalanced(kip160) };
  return { burns, errors };
}

function showSupply(
  number: bigint,
  minted: bigint,
  burns: Readonly<Record<string, bigint | null>>,
  errors: readonly string[],
): WireObject {
  const amounts = Object.values(burns);
  const isWhole = amounts.every((amount) => amount !== null);
  const burnt = isWhole ? amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n) : null;
  const shown = Object.entries(burns).map(([name, amount]) => [name, quantity(amount)]);
  return {
    number: quantity(number),
    ...(errors.length > 0 && { error: errors.join("\n") }),
    totalSupply: quantity(burnt === null ? null : minted - burnt),
    totalMinted: quantity(minted),
    totalBurnt: quantity(burnt),
    ...Object.fromEntries(shown),
  };
}

/** Hex with its sign: a rebalancing can have added money. */
function quantity(amount: bigint | null): string | null {
  if (amount === null) return null;
  return amount < 0n ? `-0x${(-amount).toString(16)}` : `0x${amount.toString(16)}`;
}

function cypressCredit({ chain, extensions }: ConsensusDeps): WireObject {
  const state = chain.latestState();
  const account = state.account(MAINNET_CREDIT);
  if (account === undefined || !hasCode(account)) throw refused("no mainnet credit contract");
  const ask = (name: string): Uint8Array | undefined =>
    extensions.contracts.call(state, chain.head.header, MAINNET_CREDIT, callInput(`${name}()`));
  const needed = (name: string): string => {
    const output = ask(name);
    if (output === undefined) throw refused("execution reverted");
    if (output.length === 0)
      throw refused("abi: attempting to unmarshall an empty string while arguments are expected");
    return stringIn(output) ?? "";
  };
  return {
    photo: needed("getPhoto"),
    names: needed("getNames"),
    endingPhoto: stringIn(ask("getEndingPhoto")) ?? "",
    endingNames: stringIn(ask("getEndingNames")) ?? "",
  };
}

/** The string returned by a contract; undefined if it is not one. */
function stringIn(output: Uint8Array | undefined): string | undefined {
  try {
    return output && new TextDecoder().decode(new AbiOutput(output).bytes(0));
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
