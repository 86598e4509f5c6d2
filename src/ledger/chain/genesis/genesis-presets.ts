import { LARGE_FILE } from "../../../platform/intake/read-file.ts";
import { unpackSync } from "../../../platform/intake/unpack.ts";
import { assetPath } from "../../../platform/runtime/asset.ts";
import { type ConfigJson, parseExactJson } from "../../../protocol/params/config-json.ts";
import { networkConfig, type PublicNetwork } from "../../../protocol/params/presets.ts";
import { type Genesis, readGenesisWith } from "./genesis.ts";
import { initialGenesis } from "./genesis-init.ts";

/**
 * The genesis of a public network, in the form of `initialGenesis`.
 * @param readFile - reads an entire file; mainnet's has 0.7 MB
 */
export function networkGenesis(network: PublicNetwork, readFile: (path: string) => Uint8Array): Genesis {
  const packed = readFile(assetPath(`genesis/${network}.json.gz`));
  const json = parseExactJson(new TextDecoder().decode(unpackSync(packed, LARGE_FILE))) as ConfigJson;
  return initialGenesis(readGenesisWith(networkConfig(network), json));
}
