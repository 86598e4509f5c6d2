import { accountKeys } from "./account-key.ts";
import { admin } from "./admin.ts";
import { auction } from "./auction.ts";
import { blobs } from "./blobs.ts";
import { blocks, uncles } from "./blocks.ts";
import { accessLists, ethCalls, kaiaCalls } from "./calls.ts";
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
import { filters, subscriptions } from "./filters.ts";
import { mount } from "./method.ts";
import { miner } from "./miner.ts";
import { net } from "./net.ts";
import { personal } from "./personal.ts";
import { proofs, recovery } from "./proofs.ts";
import { rpc } from "./rpc.ts";
import { simulation } from "./simulation.ts";
import { kaiaState, ownAccounts, state } from "./state.ts";
import { ethTransactions, kaiaTransactions, transactions } from "./transactions.ts";
import { txpool } from "./txpool.ts";
import { web3 } from "./web3.ts";

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
