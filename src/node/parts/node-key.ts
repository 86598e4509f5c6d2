import { blsSecretKey } from "../../protocol/crypto/bls.ts";
import { addressOfPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import { readBlsNodeKey, readOrCreateNodeKey } from "../keys/node-key.ts";
import { development } from "./development.ts";
import { part } from "./part.ts";

/** The keys of the node and its address; undefined for a node in memory that is given none. */
export const nodeKey = part({
  name: "node key",
  needs: { development },
  start(given, { options, runtime }) {
    const { dataDir } = options;
    const key =
      options.nodeKey ??
      given.development?.validatorKey ??
      (dataDir ? readOrCreateNodeKey(dataDir, runtime.randomness) : undefined);
    if (key === undefined) return { offers: undefined };
    const blsKey = options.blsNodeKey ?? (dataDir ? readBlsNodeKey(dataDir) : undefined) ?? blsSecretKey(key);
    return { offers: { key, blsKey, address: addressOfPrivateKey(key) } };
  },
});
