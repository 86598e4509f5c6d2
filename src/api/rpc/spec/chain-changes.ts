/** Read-only methods of the namespaces below. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...["anvil_getAutomine", "anvil_getIntervalMining", "anvil_nodeInfo", "anvil_metadata", "anvil_dumpState"],
  ...["hardhat_getAutomine", "hardhat_metadata", "hardhat_dumpState", "kairn_getAutoFeePayer"],
  ...["anvil_setLoggingEnabled", "hardhat_setLoggingEnabled"],
]);
/** Methods of other namespaces that modify the chain. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "admin_importChain",
  "admin_importChainFromString",
  "debug_setHead",
  "eth_sendUnsignedTransaction",
]);
const BY_NAMESPACE = /^(evm|anvil|hardhat|kairn|miner)_/;

/**
 * Whether a method modifies the chain or its sealing other than by a transaction: only the node that seals the blocks
 * may do so.
 * @param name - full name, as called
 */
export function changesChain(name: string): boolean {
  return ELSEWHERE.has(name) || (BY_NAMESPACE.test(name) && !READ_ONLY.has(name));
}
