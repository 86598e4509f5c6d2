/** What of the namespaces below leaves the chain as it is. */
const READING: ReadonlySet<string> = new Set([
  ...["anvil_getAutomine", "anvil_getIntervalMining", "anvil_nodeInfo", "anvil_metadata", "anvil_dumpState"],
  ...["hardhat_getAutomine", "hardhat_metadata", "hardhat_dumpState", "kairn_getAutoFeePayer"],
  ...["anvil_setLoggingEnabled", "hardhat_setLoggingEnabled"],
]);
/** What changes a chain by hand in other namespaces. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "admin_importChain",
  "admin_importChainFromString",
  "debug_setHead",
  "eth_sendUnsignedTransaction",
]);
const BY_NAMESPACE = /^(evm|anvil|hardhat|kairn|miner)_/;

/**
 * Whether a method changes the chain, or how its blocks are made, otherwise than by a transaction: only the node that makes the
 * blocks may do so.
 * @param name - as it is called
 */
export function changesChain(name: string): boolean {
  return ELSEWHERE.has(name) || (BY_NAMESPACE.test(name) && !READING.has(name));
}
