import { CHAIN_NAMES, NETWORK_CHAIN_NAMES } from "../../../api/rpc/spec/chain-names.ts";
import { didYouMean } from "../../../platform/config/suggest.ts";
import type { OptionType } from "../../../platform/config/types.ts";
import * as t from "../../../platform/config/types.ts";

/** Every module that this node serves. */
export const MODULES: readonly string[] = [
  ...CHAIN_NAMES,
  "admin",
  "anvil",
  "auction",
  "debug",
  "erigon",
  "eth",
  "evm",
  "governance",
  "hardhat",
  "istanbul",
  "kairn",
  "miner",
  "net",
  "ots",
  "personal",
  "rpc",
  "trace",
  "txpool",
  "wallet",
  "web3",
].sort();

/** Default modules of a listener. */
export const DEFAULT_MODULES: readonly string[] = ["eth", ...NETWORK_CHAIN_NAMES, "net", "web3"];

/**
 * Modules that the reference node v2.2.1 or v1.12.1 has and this one has not, or not always: a bootnode and a node with an event
 * stream have their own. Start scripts name them.
 */
const UNSERVED = ["bootnode", "chaindatafetcher", "mainbridge", "subbridge", "unsafedebug"];

const KNOWN: readonly string[] = [...MODULES, ...UNSERVED];

/** Names of modules; those that only the reference node has are taken and serve nothing. */
export const moduleList: OptionType<readonly string[]> = {
  ...t.list,
  accepts: {
    what: `a list of modules: ${MODULES.join(", ")}`,
    test: (value) => t.isListOf(value, (name) => KNOWN.some((known) => known === name)),
  },
  parse(text) {
    const names = t.list.parse(text);
    const unknown = names.find((name) => !KNOWN.includes(name));
    if (unknown === undefined) return names;
    throw new Error(`a list of modules: there is none called ${unknown}${didYouMean(unknown, KNOWN)}`);
  },
};
