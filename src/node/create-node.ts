import type { Provider } from "../api/rpc/transports/provider.ts";
import type { Blockchain } from "../ledger/chain/blockchain.ts";
import type { SyncProgress } from "../network/sync/synchroniser.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import { silentLogger } from "../platform/telemetry/logger.ts";
import type { NodeError } from "../protocol/primitives/errors.ts";
import type { Keystore } from "../wallet/wallet.ts";
import type { ClusterStatus } from "./cluster/cluster.ts";
import { type DevSetup, devChainOf } from "./dev/dev-chain.ts";
import type { NodeOptions } from "./node-options.ts";
import { checkOptions } from "./options/check-options.ts";
import { Composition, type OffersOf } from "./parts/compose.ts";
import { NODE } from "./parts/index.ts";
import type { NodeContext } from "./parts/part.ts";
import type { NodeListener } from "./service/activity/node-event.ts";
import type { SourceTraces } from "./service/artifacts/source-traces.ts";
import { LogRing } from "./service/dashboard/samples/log-ring.ts";
import { checkExposure } from "./service/endpoints/exposure.ts";
import type { NodeHealth } from "./service/endpoints/health.ts";
import type { Addresses } from "./service/endpoints/listeners.ts";

/** A running node. */
export interface Node extends AsyncDisposable {
  /** In-process provider; serves every method of every module. @see EIP-1193 */
  readonly provider: Provider;
  /** The current endpoints: `http://127.0.0.1:8551`, `ws://…`, the path of the IPC socket. */
  readonly endpoints: Addresses & {
    readonly feePayer?: string;
    readonly metrics?: string;
    readonly dashboard?: string;
  };
  /**
   * URL of the dashboard with a token for one page; undefined without a dashboard. Keep it out of logs.
   *
   * @example
   * const node = await createNode({ dashboard: true });
   * console.log("open", node.dashboardLink());
   */
  dashboardLink(): string | undefined;
  readonly chain: Blockchain;
  readonly wallets: Keystore;
  /** The setup of a development chain. */
  readonly dev?: DevSetup;
  /** Contract names and source locations, if the option `artifacts` is set. */
  readonly artifacts: SourceTraces | undefined;
  /** The block that a forked chain continues from. */
  readonly fork: { readonly origin: string; readonly blockNumber: bigint } | undefined;
  /**
   * Subscribes to events of the node: method calls, transactions included in blocks (with their console output), blocks, and blocks
   * removed from the chain. @returns the unsubscribe function
   *
   * @example
   * const unsubscribe = node.watch((event) => {
   *   if (event.kind === "transaction") console.log(event.transaction.type.name, event.fee);
   * });
   * unsubscribe();
   */
  watch(listener: NodeListener): () => void;
  /** Its role in its network: `consensus node`, `proxy node`, `endpoint node`, `follower of a change log`; `development chain` if it has none. */
  readonly role: string;
  /** Whether the node is fully functional: reads, accepts transactions, produces or imports blocks. */
  health(): NodeHealth;
  /** Progress of the current download of blocks; undefined while none is running. */
  syncing(): SyncProgress | undefined;
  /** Resolves with the error that ended this node's role in its cluster: it no longer seals or accepts blocks, and must be stopped. */
  readonly failed: Promise<NodeError>;
  /** Role of a node with a change log, and the lag between the two. */
  cluster(): ClusterStatus | undefined;
  /** Shuts the node down; the last block is on disk afterwards. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Builds and starts a node. Without options it is a development chain in memory that listens on no port.
 * @throws NodeError with the reason: a chain with another genesis, a folder in use, a port in use
 *
 * @example
 * const node = await createNode({ http: { port: 8551 } });
 * await node.provider.request({ method: "eth_blockNumber" });
 * await node.stop();
 */
export async function createNode(options: NodeOptions = {}): Promise<Node> {
  checkOptions(options);
  await checkExposure(options, (devChainOf(options)?.accounts ?? 0) > 0);
  const { runtime = systemRuntime, logger: given = silentLogger } = options;
  const recentLog = options.dashboard ? new LogRing(() => runtime.clock.now()) : undefined;
  const logger = recentLog?.around(given) ?? given;
  const composition: Composition<NodeContext> = new Composition<NodeContext>({
    ...{ options, runtime, logger, recentLog },
    isStopping: () => composition.isStopping,
  });
  try {
    return nodeOf(await composition.startAll(NODE), () => composition.stop());
  } catch (error) {
    await composition.stop().catch(() => undefined); // the first error says more
    throw error;
  }
}

function nodeOf(parts: OffersOf<typeof NODE>, stop: () => Promise<void>): Node {
  const { activity, artifacts, development, feePayer, health, ledger, listeners, metrics, peers, rpc } =
    parts;
  const { changeLog, cluster, wallets, dashboard } = parts;
  return {
    provider: rpc.provider,
    get endpoints() {
      return {
        ...listeners.addresses,
        ...(feePayer && { feePayer: feePayer.url }),
        ...(metrics && { metrics: metrics.url }),
        ...(dashboard && { dashboard: dashboard.url }),
      };
    },
    dashboardLink: () => dashboard?.link(),
    chain: ledger.chain,
    wallets: wallets.keystore,
    role: peers.role,
    artifacts,
    ...(development && { dev: development.setup }),
    get fork() {
      const now = development?.forking.fork;
      return now && { origin: now.node.name, blockNumber: now.point.number };
    },
    watch: (listener) => activity.watch(listener),
    health,
    failed: changeLog?.failed ?? new Promise(() => {}),
    cluster: () => cluster?.status,
    syncing: () => peers.synchroniser?.progress(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
