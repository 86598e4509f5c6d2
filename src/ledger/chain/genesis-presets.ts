import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type JsonObject, parseExactJson } from "../../protocol/params/config-json.ts";
import { type Network, networkConfig } from "../../protocol/params/presets.ts";
import { type Genesis, readGenesisWith } from "./genesis.ts";
import { initialGenesis } from "./genesis-init.ts";

/** Both the sources and the build lie three folders below the package. */
const ASSETS = new URL("../../../assets/genesis/", import.meta.url);

/**
 * The genesis of a public network, in the form in which it is written to a database.
 * @param readFile - reads a file whole; mainnet's has 0.7 MB
 */
export function networkGenesis(network: Network, readFile: (path: string) => Uint8Array): Genesis {
  const packed = readFile(fileURLToPath(new URL(`${network}.json.gz`, ASSETS)));
  const json = parseExactJson(new TextDecoder().decode(gunzipSync(packed))) as JsonObject;
  return initialGenesis(readGenesisWith(networkConfig(network), json));
}
