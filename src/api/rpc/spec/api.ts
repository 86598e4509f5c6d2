import { mount } from "../method.ts";
import { accountKeys } from "./account-key.ts";
import { blocks, uncles } from "./blocks.ts";
import { accessLists, ethCalls, kaiaCalls } from "./calls.ts";
import { fees, kaiaNetwork } from "./fees.ts";
import { filters } from "./filters.ts";
import { net } from "./net.ts";
import { personal } from "./personal.ts";
import { rpc } from "./rpc.ts";
import { kaiaState, ownAccounts, state } from "./state.ts";
import { ethTransactions, kaiaTransactions, transactions } from "./transactions.ts";
import { txpool } from "./txpool.ts";
import { web3 } from "./web3.ts";

const shared = { ...state, ...blocks, ...transactions, ...fees, ...filters, ...ownAccounts, ...accessLists };

/** What the chain namespace serves, under the name `kaia`. */
export const kaia = mount("kaia", {
  ...shared,
  ...kaiaState,
  ...accountKeys,
  ...kaiaTransactions,
  ...kaiaCalls,
  ...kaiaNetwork,
});

/** What the eth namespace serves. */
export const eth = mount("eth", { ...shared, ...ethTransactions, ...ethCalls, ...uncles });

/** The methods that every node of this package serves, by their full names. */
export const api = { ...rpc, ...net, ...web3, ...kaia, ...eth, ...personal, ...txpool };
