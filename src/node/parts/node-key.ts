import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { readOrCreateNodeKey } from "../keys/node-key.ts";
import { development } from "./development.ts";
import { part } from "./part.ts";

/** The node key and its address; undefined for a node in memory that is given none. */
export const nodeKey = part({
  name: "node key",
  needs: { development },
  start(given, { options, runtime }) {
    const { dataDir } = options;
    const key =
      options.nodeKey ??
      given.development?.validatorKey ??
      (dataDir ? readOrCreateNodeKey(dataDir, runtime.randomness) : undefined);
    return { offers: key && { key, address: addressOfPublicKey(publicKeyOf(key)) } };
  },
});
