import { accountKeys } from "./accounts/account-key.ts";
import { personal } from "./accounts/personal.ts";
import { accessLists, ethCalls, kaiaCalls } from "./calls/calls.ts";
import { simulation } from "./calls/simulation.ts";
import { blobs } from "./chain/blobs.ts";
import { blocks, uncles } from "./chain/blocks.ts";
import { proofs, recovery } from "./chain/proofs.ts";
import { kaiaState, ownAccounts, state } from "./chain/state.ts";
import { storageValues } from "./chain/storage-values.ts";
import { DECLARED_CHAIN_NAME } from "./chain-names.ts";
import { chainConsensus, ethMining, istanbul } from "./consensus/chain-consensus.ts";
import { ethConfig } from "./consensus/eth-config.ts";
import { governance } from "./consensus/governance.ts";
import { supply } from "./consensus/supply.ts";
import { debugChain } from "./debug/chain.ts";
import { debugEventLoop } from "./debug/event-loop.ts";
import { flatTraces } from "./debug/flat-traces.ts";
import { debugGasless } from "./debug/gasless.ts";
import { debugRaw } from "./debug/raw.ts";
import { debugProfiles, debugRuntime } from "./debug/runtime.ts";
import { debugSubscriptions, debugTraces } from "./debug/traces.ts";
import { anvilAccounts, devAccounts, evmAccounts, kairnAccounts } from "./dev/accounts.ts";
import { anvilChain, devChain, devSnapshots, ethDev } from "./dev/chain.ts";
import { ethDapp, personalDapp, walletDapp } from "./dev/dapp.ts";
import { anvilMining, devClock, devMining, evmMining } from "./dev/mining.ts";
import { anvilReorg } from "./dev/reorg.ts";
import { anvilTokens } from "./dev/tokens.ts";
import { erigon, otterscan } from "./explorer/otterscan.ts";
import { fees, kaiaNetwork, nextBlockFee } from "./fees.ts";
import { filters, subscriptions } from "./logs/filters.ts";
import { type AllMounted, mountGroups, mountNamespaces, type Namespaces } from "./method.ts";
import { admin } from "./node/admin.ts";
import { auction, auctionSubscriptions } from "./node/auction.ts";
import { bootnode } from "./node/bootnode.ts";
import { chaindatafetcher } from "./node/chaindatafetcher.ts";
import { miner } from "./node/miner.ts";
import { net } from "./node/net.ts";
import { rpc } from "./node/rpc.ts";
import { web3 } from "./node/web3.ts";
import { ethTransactions, kaiaTransactions, transactions } from "./transactions/transactions.ts";
import { senderPool, txpool } from "./transactions/txpool.ts";

/** Groups that both the chain and the eth namespace serve, each in its own forms. */
const shared = { state, blocks, transactions, fees, filters, ownAccounts, accessLists, proofs };

/** Which groups of methods a node serves in which namespace. The chain namespace answers under three names. */
export const namespaces = {
  chain: {
    ...shared,
    ...{ kaiaState, accountKeys, kaiaTransactions, kaiaCalls, kaiaNetwork },
    ...{ recovery, chainConsensus, supply, web3 },
  },
  eth: {
    ...{ ...shared, ethTransactions, ethCalls, simulation, uncles, ethMining, ethConfig, blobs },
    ...{ storageValues, nextBlockFee },
  },
  rpc: { rpc },
  net: { net },
  web3: { web3 },
  personal: { personal },
  txpool: { txpool, senderPool },
  debug: { debugRuntime, debugProfiles, debugEventLoop, debugChain, debugTraces, debugGasless, debugRaw },
  trace: { flatTraces },
  ots: { otterscan },
  erigon: { erigon },
  admin: { admin },
  auction: { auction },
  governance: { governance },
  istanbul: { istanbul },
  miner: { miner },
} as const satisfies Namespaces;

/** Additional groups of a development chain. */
export const devNamespaces = {
  evm: { devClock, devSnapshots, evmMining, evmAccounts },
  anvil: {
    ...{ devMining, devAccounts, devChain, devClock, devSnapshots },
    ...{ anvilMining, anvilAccounts, anvilChain, anvilReorg, anvilTokens },
  },
  hardhat: { devMining, devAccounts, devChain },
  kairn: { kairnAccounts },
  eth: { ethDev, ethDapp },
  personal: { personalDapp },
  wallet: { walletDapp },
} as const satisfies Namespaces;

/** Additional groups of a node that publishes an event stream. */
export const streamNamespaces = {
  chaindatafetcher: { chaindatafetcher },
} as const satisfies Namespaces;

/** Groups of a bootnode, which serves nothing else. */
export const bootnodeNamespaces = {
  bootnode: { bootnode },
  net: { net },
  rpc: { rpc },
} as const satisfies Namespaces;

/** Which subscriptions a node serves in which namespace. */
export const subscriptionNamespaces = {
  chain: subscriptions,
  eth: subscriptions,
  auction: auctionSubscriptions,
  debug: debugSubscriptions,
} as const;

const { chain, ...others } = namespaces;

/** The methods that every node of this package serves, by their full names; those of the chain under `DECLARED_CHAIN_NAME`. */
export const api = { ...mountGroups(DECLARED_CHAIN_NAME, chain), ...mountNamespaces(others) };

/** Additional methods of a development chain. */
export const devApi = mountNamespaces(devNamespaces);

/** Additional methods of a node with an event stream. */
export const streamApi = mountNamespaces(streamNamespaces);

/** The methods of a bootnode that no other node serves. */
export const bootnodeApi: AllMounted<{ readonly bootnode: (typeof bootnodeNamespaces)["bootnode"] }> =
  mountNamespaces({
    bootnode: bootnodeNamespaces.bootnode,
  });

/** The subscriptions that every node of this package serves, under `kaia_subscribe` and `eth_subscribe` alike. */
export const subscriptionApi = subscriptions;
