import { addressOfPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import { type Address, equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/**
 * Why a node cannot seal the next block, for its operator; undefined if it can.
 * @param validators - the validators of the next block
 * @param nodeKey - 32 bytes; undefined if there is none
 */
export function sealingObstacle(
  validators: readonly Address[],
  nodeKey: Uint8Array | undefined,
): string | undefined {
  if (nodeKey === undefined) return "it has no node key";
  const [validator, ...others] = validators;
  if (validator === undefined) return "the chain has no validator";
  const own = addressOfPrivateKey(nodeKey);
  if (validators.some((address) => equalBytes(address, own))) return undefined;
  if (others.length > 0)
    return `its key, that of ${bytesToHex(own)}, has no seat among the chain's ${validators.length} validators (--nodekey names another)`;
  return `the chain's only validator is ${bytesToHex(validator)}, and the node key is that of ${bytesToHex(own)} (--nodekey names another)`;
}
