import type { Chain } from "../../ledger/chain/chain.ts";
import type { PendingBlocks } from "../../ledger/chain/execute/pending.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import type { MessageName } from "../../wallet/signed-message.ts";
import type { WalletManager } from "../../wallet/wallet.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { Registry } from "./engine/registry.ts";
import { accountKeyHandlers } from "./handlers/accounts/account-key.ts";
import type { KeyGuard } from "./handlers/accounts/key-guard.ts";
import { ownAccountHandlers } from "./handlers/accounts/own-accounts.ts";
import { personalHandlers } from "./handlers/accounts/personal.ts";
import { type CallLimits, CallRunner } from "./handlers/calls/call-runner.ts";
import { accessListHandlers, ethCallHandlers, kaiaCallHandlers } from "./handlers/calls/calls.ts";
import { simulationHandlers } from "./handlers/calls/simulation.ts";
import { blockHandlers, uncleHandlers } from "./handlers/chain/blocks.ts";
import { ChainReader } from "./handlers/chain/chain-reader.ts";
import { kaiaStateHandlers, stateHandlers } from "./handlers/chain/state.ts";
import { ethView, kaiaView, type View, withDialect } from "./handlers/chain/views.ts";
import type { Executor } from "./handlers/execution/executor.ts";
import { FeeHistory } from "./handlers/fees/fee-history.ts";
import { FeeOracle } from "./handlers/fees/fee-oracle.ts";
import { feeHandlers, kaiaNetworkHandlers, type SyncStatus } from "./handlers/fees/fees.ts";
import { filterHandlers } from "./handlers/logs/filters.ts";
import { LogReader, type LogSearch } from "./handlers/logs/log-reader.ts";
import { subscriptionHandlers } from "./handlers/logs/subscriptions.ts";
import { auctionHandlers } from "./handlers/node/auction.ts";
import { type NetworkStatus, netHandlers } from "./handlers/node/net.ts";
import { rpcHandlers } from "./handlers/node/rpc.ts";
import { web3Handlers } from "./handlers/node/web3.ts";
import { ethTransactionHandlers } from "./handlers/transactions/eth.ts";
import { kaiaTransactionHandlers } from "./handlers/transactions/kaia-transactions.ts";
import { TransactionSender } from "./handlers/transactions/sender.ts";
import { transactionHandlers } from "./handlers/transactions/transactions.ts";
import { txpoolHandlers } from "./handlers/transactions/txpool.ts";
import type { RpcBudget } from "./services/budget.ts";
import type { HeavyReads } from "./services/heavy-reads.ts";
import type { LogLimits } from "./services/limits.ts";
import { accountKeys } from "./spec/accounts/account-key.ts";
import { personal } from "./spec/accounts/personal.ts";
import { accessLists, ethCalls, kaiaCalls } from "./spec/calls/calls.ts";
import { simulation } from "./spec/calls/simulation.ts";
import { blocks, uncles } from "./spec/chain/blocks.ts";
import { kaiaState, ownAccounts, state } from "./spec/chain/state.ts";
import { fees, kaiaNetwork } from "./spec/fees.ts";
import { filters, subscriptions } from "./spec/logs/filters.ts";
import { auction, auctionSubscriptions } from "./spec/node/auction.ts";
import { net } from "./spec/node/net.ts";
import { rpc } from "./spec/node/rpc.ts";
import { web3 } from "./spec/node/web3.ts";
import { ethTransactions, kaiaTransactions, transactions } from "./spec/transactions/transactions.ts";
import { txpool } from "./spec/transactions/txpool.ts";

/** The parts of a node that RPC makes reachable. */
export interface RegistryDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  /** Absent on a node that makes no blocks. */
  readonly pending?: PendingBlocks | undefined;
  readonly wallets: WalletManager;
  readonly evm: Evm;
  readonly network: NetworkStatus;
  readonly sync: SyncStatus;
  /** `searchLogs` of `ledger/chain` on this chain. */
  readonly searchLogs: LogSearch;
  readonly logLimits: LogLimits;
  readonly calls: CallLimits;
  readonly executor: Executor;
  /** Not the chain id. */
  readonly networkId: bigint;
  readonly dialect: Dialect;
  /** `web3_clientVersion`: `kairn/v1.0.0/linux-x64/node20.20.2` */
  readonly clientVersion: string;
  /** Milliseconds of `Clock.elapsed`. */
  readonly now: () => number;
  readonly guard: KeyGuard;
  readonly budget: RpcBudget;
  readonly reads: HeavyReads;
}

/**
 * A registry with the namespaces rpc, net, web3, auction, chain, eth, personal and txpool. Other rooms add theirs with `add`
 * before the first listener takes its `access`.
 */
export function createRegistry(deps: RegistryDeps): Registry {
  const { chain, pool, pending, wallets, dialect, sync } = deps;
  const { messageName } = dialect;
  const registry = new Registry(dialect);
  const reader = new ChainReader(chain, pending);
  const oracle = new FeeOracle(chain, dialect.pricesFollowTips);
  const history = new FeeHistory(chain, pending, deps.reads);
  const { newestEthType } = dialect;
  const sender = new TransactionSender({ chain, pool, wallets, fees: oracle, newestEthType });
  const { evm, executor, calls: limits } = deps;
  const callDeps = { evm, executor, limits, tellsBareReverts: dialect.suitsTools };
  const runner = new CallRunner({ reader, ...callDeps });
  // Senders ask for each transaction that names no gas.
  const filling = new ChainReader(chain, pending, true);
  const estimator = new CallRunner({ reader: filling, ...callDeps });
  const logs = new LogReader(reader, deps.searchLogs, deps.reads, deps.logLimits);

  /** What both namespaces serve, each in its own form. */
  function mountShared(namespace: string, view: View, prefix: MessageName, bare: boolean): void {
    registry
      .mount(namespace, state, stateHandlers(reader, pool))
      .mount(namespace, blocks, blockHandlers(reader, view, deps.reads))
      .mount(
        namespace,
        transactions,
        transactionHandlers({ reader, pool, wallets, reads: deps.reads }, view, bare),
      )
      .mount(namespace, fees, feeHandlers({ chain, oracle, history, sync }))
      .mount(namespace, filters, filterHandlers({ chain, pool, logs, now: deps.now, budget: deps.budget }))
      .mount(namespace, ownAccounts, ownAccountHandlers(wallets, prefix))
      .mount(namespace, accessLists, accessListHandlers({ chain, pool, fees: oracle, runner }))
      .addSubscriptions(
        namespace,
        subscriptions,
        subscriptionHandlers({ chain, pool, sync, sharesPending: dialect.goesBeyond }, view),
      );
  }

  const kaia = withDialect(kaiaView, dialect);
  mountShared("chain", kaia, messageName, false);
  const ethName = dialect.hasOneMessageName ? messageName : "Ethereum";
  mountShared("eth", withDialect(ethView(chain), dialect), ethName, true);
  if (dialect.goesBeyond) registry.mount("eth", simulation, simulationHandlers(runner));
  return registry
    .add(rpc, rpcHandlers(deps.clientVersion))
    .add(net, netHandlers(deps.network, deps.networkId))
    .mount("web3", web3, web3Handlers(deps.clientVersion))
    .mount("chain", web3, web3Handlers(deps.clientVersion))
    .mount("chain", kaiaState, kaiaStateHandlers(reader, dialect))
    .mount("chain", accountKeys, accountKeyHandlers)
    .mount("chain", kaiaTransactions, kaiaTransactionHandlers({ reader, pool, sender, view: kaia }))
    .mount("chain", kaiaCalls, kaiaCallHandlers(runner))
    .mount("auction", auction, auctionHandlers(pool, kaiaCallHandlers(runner).call))
    .addSubscriptions(
      "auction",
      auctionSubscriptions,
      subscriptionHandlers({ chain, pool, sync, sharesPending: true }, kaia),
    )
    .mount("chain", kaiaNetwork, kaiaNetworkHandlers(chain))
    .mount(
      "eth",
      ethTransactions,
      ethTransactionHandlers({ chain, pool, fees: oracle, sender, runner: estimator }),
    )
    .mount("eth", ethCalls, ethCallHandlers(runner))
    .mount("eth", uncles, uncleHandlers(reader))
    .add(
      personal,
      personalHandlers({
        ...{ wallets, sender, messageName, networkName: dialect.networkName },
        guard: deps.guard,
      }),
    )
    .add(txpool, txpoolHandlers(pool, chain.config.chainId, dialect.unit, deps.reads));
}
