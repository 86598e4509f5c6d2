import { CHAIN_NAMES } from "../../rpc/spec/chain-names.ts";

/**
 * The methods that the Go console offers as properties, by module. Everything else is a function.
 * @see measured on the console of the reference node v2.2.1
 */
export const GETTERS: Readonly<Record<string, readonly string[]>> = {
  admin: ["datadir", "nodeConfig", "nodeInfo", "peers", "spamThrottlerConfig", "stateMigrationStatus"],
  eth: [
    "accounts",
    "blockNumber",
    "coinbase",
    "gasPrice",
    "hashrate",
    "maxPriorityFeePerGas",
    "mining",
    "pendingTransactions",
    "protocolVersion",
    "syncing",
  ],
  governance: ["idxCache", "myVotes", "nodeAddress", "pendingChanges", "status", "votes"],
  istanbul: ["candidates"],
  kaia: [
    "accounts",
    "blockNumber",
    "chainID",
    "chainId",
    "gasPrice",
    "lowerBoundGasPrice",
    "maxPriorityFeePerGas",
    "nodeAddress",
    "pendingTransactions",
    "protocolVersion",
    "rewardbase",
    "syncing",
    "upperBoundGasPrice",
  ],
  mainbridge: ["nodeInfo", "peers"],
  net: ["listening", "networkID", "peerCount", "version"],
  personal: ["listAccounts", "listWallets"],
  rpc: ["modules"],
  txpool: ["content", "inspect", "status"],
};

/** A name of the Go console for one of two methods, chosen by the first argument. */
export interface Shortcut {
  readonly name: string;
  /** Method for a block number or tag, or for everything. */
  readonly method: string;
  /** Method for a hash of 32 bytes. */
  readonly byHash?: string;
  /** Defaults of omitted arguments. */
  readonly defaults?: readonly unknown[];
}

/** Names of the Go console in the modules eth, kaia and klay that are not methods of the node. */
export const SHORTCUTS: readonly Shortcut[] = [
  {
    name: "getBlock",
    method: "getBlockByNumber",
    byHash: "getBlockByHash",
    defaults: ["latest", false],
  },
  { name: "getHeader", method: "getHeaderByNumber", byHash: "getHeaderByHash", defaults: ["latest"] },
  {
    name: "getBlockTransactionCount",
    method: "getBlockTransactionCountByNumber",
    byHash: "getBlockTransactionCountByHash",
  },
  { name: "getTransaction", method: "getTransactionByHash" },
  {
    name: "getTransactionFromBlock",
    method: "getTransactionByBlockNumberAndIndex",
    byHash: "getTransactionByBlockHashAndIndex",
  },
  { name: "getRawTransaction", method: "getRawTransactionByHash" },
  {
    name: "getRawTransactionFromBlock",
    method: "getRawTransactionByBlockNumberAndIndex",
    byHash: "getRawTransactionByBlockHashAndIndex",
  },
  {
    name: "getBlockWithConsensusInfo",
    method: "getBlockWithConsensusInfoByNumber",
    byHash: "getBlockWithConsensusInfoByHash",
    defaults: ["latest"],
  },
  { name: "getBlockWithConsensusInfoRange", method: "getBlockWithConsensusInfoByNumberRange" },
  {
    name: "getUncle",
    method: "getUncleByBlockNumberAndIndex",
    byHash: "getUncleByBlockHashAndIndex",
  },
  { name: "getBlockUncleCount", method: "getUncleCountByBlockNumber", byHash: "getUncleCountByBlockHash" },
];

/** Modules whose objects carry the shortcuts and the unit helpers. */
export const CHAIN_MODULES: readonly string[] = ["eth", ...CHAIN_NAMES];
