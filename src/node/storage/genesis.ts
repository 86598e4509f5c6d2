import { type Genesis, readGenesis } from "../../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../ledger/chain/genesis/genesis-init.ts";
import { networkGenesis } from "../../ledger/chain/genesis/genesis-presets.ts";
import { checkDepth, FILE_DEPTH, faultOf } from "../../platform/intake/nesting.ts";
import { LARGE_FILE, readFileWithin } from "../../platform/intake/read-file.ts";
import { type ConfigJson, parseExactJson } from "../../protocol/params/config-json.ts";
import type { PublicNetwork } from "../../protocol/params/presets.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { NodeOptions } from "../node-options.ts";

/** An invalid genesis file. */
export class GenesisFileError extends NodeError<"GENESIS_FILE"> {
  override name = "GenesisFileError";
}

/**
 * The genesis selected by the options: that of a public network, or their own.
 * @param fallback - in Kaia's JSON format, used if there is none
 */
export function genesisOf(options: NodeOptions, fallback: ConfigJson): Genesis;
export function genesisOf(options: NodeOptions, fallback?: ConfigJson): Genesis | undefined;
export function genesisOf({ genesis, network }: NodeOptions, fallback?: ConfigJson): Genesis | undefined {
  if (network !== undefined) return readGenesisJson(network);
  const json = genesis ?? fallback;
  return json && initialGenesis(readGenesis(json));
}

/**
 * The genesis of a public network, or of the text of a genesis file.
 * @throws GenesisFileError, ChainError, ParamsError
 */
export function readGenesisJson(source: PublicNetwork | { readonly text: string }): Genesis {
  if (typeof source === "string") return networkGenesis(source, (path) => readFileWithin(path, LARGE_FILE));
  let json: unknown;
  try {
    checkDepth(source.text, FILE_DEPTH);
    json = parseExactJson(source.text);
  } catch (cause) {
    throw new GenesisFileError("GENESIS_FILE", `invalid genesis file: ${faultOf(cause)}`);
  }
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    throw new GenesisFileError("GENESIS_FILE", "invalid genesis file: not a JSON object");
  }
  return initialGenesis(readGenesis(json as ConfigJson));
}
