import { accountKeys } from "./accounts/account-key.ts";
import { personal } from "./accounts/personal.ts";
import { accessLists, ethCalls, kaiaCalls } from "./calls/calls.ts";
import { simulation } from "./calls/simulation.ts";
import { blobs } from "./chain/blobs.ts";
import { blocks, uncles } from "./chain/blocks.ts";
import { proofs, recovery } from "./chain/proofs.ts";
import { kaiaState, ownAccounts, state } from "./chain/state.ts";
import { chainConsensus, ethMining, istanbul } from "./consensus/chain-consensus.ts";
import { ethConfig } from "./consensus/eth-config.ts";
import { governance } from "./consensus/governance.ts";
import { supply } from "./consensus/supply.ts";
import { debugChain } from "./debug/chain.ts";
import { debugEventLoop } from "./debug/event-loop.ts";
import { debugGasless } from "./debug/gasless.ts";
import { debugProfiles, debugRuntime } from "./debug/runtime.ts";
import { debugTraces } from "./debug/traces.ts";
import { anvilAccounts, devAccounts, evmAccounts, kairnAccounts } from "./dev/accounts.ts";
import { anvilChain, devChain, devSnapshots, ethDev } from "./dev/chain.ts";
import { ethDapp, personalDapp, walletDapp } from "./dev/dapp.ts";
import { anvilMining, devClock, devMining, evmMining } from "./dev/mining.ts";
import { fees, kaiaNetwork } from "./fees.ts";
import { filters, subscriptions } from "./logs/filters.ts";
import { mount } from "./method.ts";
import { admin } from "./node/admin.ts";
import { auction } from "./node/auction.ts";
import { miner } from "./node/miner.ts";
import { net } from "./node/net.ts";
import { rpc } from "./node/rpc.ts";
import { web3 } from "./node/web3.ts";
import { ethTransactions, kaiaTransactions, transactions } from "./transactions/transactions.ts";
import { txpool } from "./transactions/txpool.ts";

const shared = {
  ...{ ...state, ...blocks, ...transactions, ...fees, ...filters, ...ownAccounts },
  ...{ ...accessLists, ...proofs },
};

/** What the chain namespace serves, under the name `kaia`. */
export const kaia = mount("kaia", {
  ...shared,
  ...kaiaState,
  ...accountKeys,
  ...kaiaTransactions,
  ...kaiaCalls,
  ...kaiaNetwork,
  ...recovery,
  ...chainConsensus,
  ...supply,
  ...web3,
});

/** What the eth namespace serves. */
export const eth = mount("eth", {
  ...shared,
  ...ethTransactions,
  ...ethCalls,
  ...simulation,
  ...uncles,
  ...ethMining,
  ...ethConfig,
  ...blobs,
});

/** What the debug namespace serves. */
const debug = mount("debug", {
  ...{ ...debugRuntime, ...debugProfiles, ...debugEventLoop },
  ...{ ...debugChain, ...debugTraces, ...debugGasless },
});

/** The methods that every node of this package serves, by their full names. */
export const api = {
  ...{ ...rpc, ...net, ...kaia, ...eth, ...personal, ...txpool, ...debug },
  ...mount("web3", web3),
  ...mount("admin", admin),
  ...mount("auction", auction),
  ...mount("governance", governance),
  ...mount("istanbul", istanbul),
  ...mount("miner", miner),
};

const bothDev = { ...devMining, ...devAccounts, ...devChain };

/** The methods that a development chain serves besides. */
export const devApi = {
  ...mount("evm", { ...devClock, ...devSnapshots, ...evmMining, ...evmAccounts }),
  ...mount("anvil", {
    ...{ ...bothDev, ...devClock, ...devSnapshots },
    ...{ ...anvilMining, ...anvilAccounts, ...anvilChain },
  }),
  ...mount("hardhat", bothDev),
  ...mount("kairn", kairnAccounts),
  ...mount("eth", { ...ethDev, ...ethDapp }),
  ...mount("personal", personalDapp),
  ...mount("wallet", walletDapp),
};

/** The subscriptions that every node of this package serves, under `kaia_subscribe` and `eth_subscribe` alike. */
export const subscriptionApi = subscriptions;
