import type { Chain } from "../../ledger/chain/chain.ts";
import type { PendingBlocks } from "../../ledger/chain/execute/pending.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
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
import { SimulationRunner } from "./handlers/calls/simulation-runner.ts";
import { blobHandlers } from "./handlers/chain/blobs.ts";
import { blockHandlers, uncleHandlers } from "./handlers/chain/blocks.ts";
import { ChainReader } from "./handlers/chain/chain-reader.ts";
import { HeadTexts } from "./handlers/chain/head-texts.ts";
import { proofHandlers, recoveryHandlers } from "./handlers/chain/proofs.ts";
import { kaiaStateHandlers, stateHandlers } from "./handlers/chain/state.ts";
import { storageValueHandlers } from "./handlers/chain/storage-values.ts";
import { ethView, kaiaView, type NamespaceView, withDialect } from "./handlers/chain/views.ts";
import { type ConsensusGroupDeps, consensusGroups } from "./handlers/consensus/consensus-groups.ts";
import { rewardOf } from "./handlers/consensus/rewards.ts";
import { type DebugDeps, debugGroups } from "./handlers/debug/debug-groups.ts";
import { debugRawHandlers } from "./handlers/debug/raw.ts";
import { type DevDeps, devGroups } from "./handlers/dev/dev-groups.ts";
import { throwFailure } from "./handlers/dev/transaction-failures.ts";
import type { Executor } from "./handlers/execution/executor.ts";
import { FeeHistory } from "./handlers/fees/fee-history.ts";
import { FeeOracle } from "./handlers/fees/fee-oracle.ts";
import {
  feeHandlers,
  kaiaNetworkHandlers,
  nextBlockFeeHandlers,
  type SyncStatus,
} from "./handlers/fees/fees.ts";
import { filterHandlers } from "./handlers/logs/filters.ts";
import { LogReader, type LogSearch, type WideLogSearch } from "./handlers/logs/log-reader.ts";
import { LogWatch } from "./handlers/logs/log-watch.ts";
import { subscriptionHandlers } from "./handlers/logs/subscriptions.ts";
import { type AdminDeps, adminHandlers } from "./handlers/node/admin.ts";
import { auctionHandlers } from "./handlers/node/auction.ts";
import { chaindatafetcherHandlers, type StreamControls } from "./handlers/node/chaindatafetcher.ts";
import { type MinerControls, minerHandlers } from "./handlers/node/miner.ts";
import { type NetworkStatus, netHandlers } from "./handlers/node/net.ts";
import { rpcHandlers } from "./handlers/node/rpc.ts";
import { web3Handlers } from "./handlers/node/web3.ts";
import { ethTransactionHandlers } from "./handlers/transactions/eth.ts";
import { kaiaTransactionHandlers } from "./handlers/transactions/kaia-transactions.ts";
import { TransactionSender } from "./handlers/transactions/sender.ts";
import { TransactionReader, transactionHandlers } from "./handlers/transactions/transactions.ts";
import { senderPoolHandlers, txpoolHandlers } from "./handlers/transactions/txpool.ts";
import type { RpcBudget } from "./services/budget.ts";
import type { HeavyReads } from "./services/heavy-reads.ts";
import type { LogLimits } from "./services/limits.ts";
import { devNamespaces, namespaces, streamNamespaces, subscriptionNamespaces } from "./spec/api.ts";
import { changesChain } from "./spec/chain-changes.ts";

/** The parts of a node that RPC makes reachable. */
export interface RegistryDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  /** Absent on a node that seals no blocks. */
  readonly pending?: PendingBlocks | undefined;
  readonly wallets: WalletManager;
  readonly evm: Evm;
  readonly network: NetworkStatus;
  readonly sync: SyncStatus;
  /** `searchLogs` of `ledger/chain` on this chain. */
  readonly searchLogs: LogSearch;
  readonly logLimits: LogLimits;
  /** Searched first for wide block ranges. */
  readonly wideLogs?: WideLogSearch | undefined;
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
  readonly consensus: ConsensusGroupDeps;
  readonly debug: DebugDeps;
  readonly admin: AdminDeps;
  /** Absent on a node that seals no blocks. */
  readonly miner: MinerControls | undefined;
  /** Present where an event stream is published. */
  readonly stream?: StreamControls | undefined;
  /** Present on a development chain. */
  readonly dev: DevDeps | undefined;
  /** Throws while only another node may modify the chain. */
  readonly mayChange?: (() => void) | undefined;
}

/** A registry with all methods of a node, in the namespaces declared by `spec/api.ts`. */
export function createRegistry(deps: RegistryDeps): Registry {
  const { chain, pool, pending, wallets, dialect, sync, reads, dev } = deps;
  const { messageName } = dialect;
  const { store } = deps.consensus.chain;
  const registry = new Registry(dialect);
  const reader = new ChainReader(chain, pending);
  const oracle = new FeeOracle(chain, dialect.pricesFollowTips);
  const texts = new HeadTexts(chain);
  const history = new FeeHistory(chain, pending, reads, texts);
  const { newestEthType } = dialect;
  const sender = new TransactionSender({ chain, pool, wallets, fees: oracle, newestEthType });
  const defaultSender = dialect.matchesAnvil ? () => wallets.accounts()[0]?.address : undefined;
  const { evm, executor, calls: limits } = deps;
  const accessListCredit = dialect.matchesAnvil ? "whole" : "baseFee";
  const callDeps = { evm, executor, limits, accessListCredit, matchesAnvil: dialect.matchesAnvil } as const;
  const runner = new CallRunner({ reader, ...callDeps });
  // Queried for every transaction without a gas limit.
  const filling = new ChainReader(chain, pending, true);
  const estimator = new CallRunner({ reader: filling, ...callDeps });
  const logs = new LogReader(
    reader,
    deps.searchLogs,
    { reads, texts, limits: deps.logLimits },
    deps.wideLogs,
  );
  const tracer = new CallRunner({ reader, ...callDeps, matchesAnvil: false });
  const views = {
    chain: withDialect(kaiaView, dialect),
    eth: withDialect(ethView(chain, dialect.showsTotalDifficulty), dialect),
  };
  const debug = debugGroups(deps.debug, {
    ...{ reader, reads, executor, runner: tracer, view: views.eth },
    minted: (number) => (number === 0n ? 0n : rewardOf(deps.consensus, number).minted),
  });
  const viewIn = (namespace: string): NamespaceView => (namespace === "eth" ? views.eth : views.chain);
  const messageNames = {
    chain: messageName,
    eth: dialect.hasOneMessageName ? messageName : "Ethereum",
  } as const;
  const watch = new LogWatch(chain, deps.budget.slice);
  const subscriptionsIn = (view: NamespaceView, sharesPending: boolean) =>
    subscriptionHandlers({ chain, pool, sync, watch, sharesPending }, view);

  const transactions = new TransactionReader({ reader, pool, reads });
  const beyond = <T>(handlers: T): T | undefined => (dialect.servesExtras ? handlers : undefined);

  registry.serve(namespaces, {
    state: stateHandlers(reader, pool),
    blocks: (namespace) => blockHandlers(reader, viewIn(namespace), reads),
    transactions: (namespace) =>
      transactionHandlers(
        {
          reader,
          pool,
          wallets,
          reads,
          feePayer: namespace === "chain" ? dev?.controls.feePayer : undefined,
        },
        viewIn(namespace),
        namespace === "eth",
      ),
    fees: feeHandlers({ chain, oracle, history, sync }),
    filters: () => filterHandlers({ chain, pool, logs, watch, now: deps.now, budget: deps.budget }),
    ownAccounts: (namespace) =>
      ownAccountHandlers(wallets, namespace === "eth" ? messageNames.eth : messageNames.chain),
    accessLists: accessListHandlers({ chain, pool, fees: oracle, runner }),
    proofs: proofHandlers(reader, store, { reads, hasEmptyProofs: dialect.matchesAnvil }),
    kaiaState: kaiaStateHandlers(reader, dialect),
    accountKeys: accountKeyHandlers,
    kaiaTransactions: kaiaTransactionHandlers({ reader, pool, reads, sender, view: views.chain }),
    kaiaCalls: kaiaCallHandlers(runner),
    kaiaNetwork: kaiaNetworkHandlers(chain),
    recovery: recoveryHandlers(chain, reader),
    ethTransactions: ethTransactionHandlers({
      ...{ chain, pool, fees: oracle, sender, runner: estimator },
      balanceReader: dialect.matchesAnvil ? filling : undefined,
      matchesAnvil: dialect.matchesAnvil,
      defaultSender,
    }),
    ethCalls: ethCallHandlers(runner, defaultSender),
    simulation: beyond(
      simulationHandlers(new SimulationRunner({ ...{ reader, runner, executor, reads, limits }, store })),
    ),
    storageValues: beyond(storageValueHandlers(reader)),
    nextBlockFee: beyond(nextBlockFeeHandlers(chain)),
    senderPool: beyond(senderPoolHandlers(pool, chain.config.chainId, reads)),
    debugRaw: beyond(debugRawHandlers(reader, (hash) => transactions.raw(hash))),
    uncles: uncleHandlers(reader),
    blobs: blobHandlers(chain, deps.consensus.extensions.sidecars),
    rpc: rpcHandlers(deps.clientVersion),
    net: netHandlers(deps.network, deps.networkId),
    web3: web3Handlers(deps.clientVersion),
    personal: personalHandlers({
      ...{ wallets, sender, messageName, networkName: dialect.networkName },
      guard: deps.guard,
    }),
    txpool: txpoolHandlers(pool, chain.config.chainId, dialect.unit, reads),
    auction: auctionHandlers(pool, kaiaCallHandlers(runner).call),
    admin: adminHandlers(deps.admin),
    miner: minerHandlers(deps.miner),
    ...consensusGroups(deps.consensus),
    ...debug.methods,
  });
  if (dev) registry.serve(devNamespaces, devGroups(dev)).delayAnswers("send", settled(dev));
  if (deps.stream)
    registry.serve(streamNamespaces, { chaindatafetcher: chaindatafetcherHandlers(deps.stream) });
  if (deps.mayChange) registry.guard(changesChain, deps.mayChange);
  // Calls that drop transactions respond only once the drop survives a restart.
  registry.delayAnswers("node", () => pool.journalSettled());
  return registry
    .addSubscriptions(
      "chain",
      subscriptionNamespaces.chain,
      subscriptionsIn(views.chain, dialect.servesExtras),
    )
    .addSubscriptions("eth", subscriptionNamespaces.eth, subscriptionsIn(views.eth, dialect.servesExtras))
    .addSubscriptions("auction", subscriptionNamespaces.auction, subscriptionsIn(views.chain, true))
    .addSubscriptions("debug", subscriptionNamespaces.debug, debug.subscriptions);
}

/**
 * Waits until the blocks with the transactions are sealed, if they are sealed on demand. Rejects with RpcError for a failed one, if the
 * node throws on failures.
 */
function settled(dev: DevDeps): (hashes: unknown) => Promise<void> | undefined {
  return (hashes) => {
    const sent = isBytes(hashes) ? [hashes] : [hashes].flat().filter(isBytes);
    const sealed = dev.controls.sealing.settled(sent);
    return dev.throwsOnFailures ? throwOnceSealed(sent, sealed, dev) : sealed;
  };
}

async function throwOnceSealed(
  sent: readonly Uint8Array[],
  sealed: Promise<void> | undefined,
  dev: DevDeps,
): Promise<void> {
  await sealed;
  await throwFailure(sent, dev);
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
