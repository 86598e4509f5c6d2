// One table of data: a family of metrics is a row.
import type { Metrics, Reading } from "../../platform/telemetry/metrics.ts";
import { type FamilySample, familyText } from "../../platform/telemetry/prometheus-families.ts";

/** One family of metrics named by Prometheus' rules: base units, totals ending in `_total`, labels with few values. */
interface Family {
  /** Without the prefix, unless it is shared. */
  readonly name: string;
  /** A name that all Node.js programs share. */
  readonly isShared?: boolean;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly sources: readonly Source[];
  /** Factor for the numbers of the source; default 1. */
  readonly scale?: number;
}

/** Metrics of the registry; the groups of an expression are the values of the labels `groups`. */
interface Source {
  readonly from: string | RegExp;
  readonly labels?: Readonly<Record<string, string>>;
  readonly groups?: readonly string[];
}

/** Every metric by its name. */
type Readings = ReadonlyMap<string, Reading>;

const PREFIX = "kairn_";
const of = (from: string, labels?: Readonly<Record<string, string>>): Source => ({
  from,
  ...(labels && { labels }),
});
const by = (from: RegExp, ...groups: readonly string[]): Source => ({ from, groups });
const NANOSECOND = 1e-9;
const MILLISECOND = 1e-3;

const FAMILIES: readonly Family[] = [
  {
    name: "head_block",
    help: "Number of the newest block.",
    type: "gauge",
    sources: [of("blockchain/head/blocknumber")],
  },
  {
    name: "finalized_block",
    help: "Number of the newest block that cannot be replaced: the head, as committees seal blocks for good.",
    type: "gauge",
    sources: [of("chain/final/blocknumber")],
  },
  {
    ...{ name: "sync_target_block", help: "Number of the newest block that peers have.", type: "gauge" },
    sources: [of("sync/target/blocknumber")],
  },
  {
    ...{ name: "head_age_seconds", help: "Seconds since the time of the newest block.", type: "gauge" },
    sources: [of("chain/head/age")],
  },
  {
    ...{
      name: "cluster_writer",
      help: "1 while this node seals the blocks of its change log.",
      type: "gauge",
    },
    sources: [of("cluster/writer")],
  },
  {
    ...{ name: "cluster_epoch", help: "Epoch of the change log's lease.", type: "gauge" },
    sources: [of("cluster/epoch")],
  },
  {
    ...{ name: "cluster_log_block", help: "Newest block of the change log.", type: "gauge" },
    sources: [of("cluster/log/height")],
  },
  {
    name: "cluster_lag_blocks",
    help: "Blocks of the change log that a follower lacks, or blocks of the writer that the change log lacks.",
    type: "gauge",
    sources: [of("cluster/lag/blocks")],
  },
  {
    ...{ name: "cluster_failing", help: "1 while the change log cannot be fed or followed.", type: "gauge" },
    sources: [of("cluster/failing")],
  },
  {
    name: "cluster_look_age_seconds",
    help: "Seconds since a follower last saw the change log.",
    type: "gauge",
    scale: MILLISECOND,
    sources: [of("cluster/looked/age")],
  },
  {
    name: "cluster_lease_seconds",
    help: "Seconds that the writer's lease lasts unless it is renewed.",
    type: "gauge",
    scale: MILLISECOND,
    sources: [of("cluster/lease/left")],
  },
  {
    ...{
      name: "cluster_refused_records_total",
      help: "Records that were refused and quarantined.",
      type: "counter",
    },
    sources: [of("cluster/records/refused")],
  },
  {
    ...{ name: "cluster_appended_records_total", help: "Records given to the change log.", type: "counter" },
    sources: [of("cluster/records/appended")],
  },
  {
    ...{ name: "cluster_appended_bytes_total", help: "Bytes of those records.", type: "counter" },
    sources: [of("cluster/bytes/appended")],
  },
  {
    name: "bad_blocks",
    help: "Rejected blocks that are kept for inspection.",
    type: "gauge",
    sources: [of("blockchain/bad/block/counter")],
  },
  {
    ...{ name: "blocks_total", help: "Blocks that joined the chain.", type: "counter" },
    sources: [of("chain/inserts")],
  },
  {
    ...{ name: "blocks_removed_total", help: "Blocks that left the chain again.", type: "counter" },
    sources: [of("chain/reorganised/blocks")],
  },
  {
    ...{ name: "block_phase_seconds", help: "Time of each step of a block.", type: "histogram" },
    sources: [
      ...["process", "validate", "finalize"].map((phase) => of(`chain/${phase}`, { phase })),
      of("state/hashes", { phase: "hash" }),
      of("miner/block/mining/time", { phase: "build" }),
      of("miner/block/execute/time", { phase: "execute" }),
    ],
  },
  {
    ...{ name: "block_gas_used", help: "Gas used by a block.", type: "histogram" },
    sources: [of("chain/block/gas")],
  },
  {
    ...{ name: "block_transactions", help: "Transactions of a block.", type: "histogram" },
    sources: [of("chain/block/transactions")],
  },
  { name: "block_gas_total", help: "Gas used by blocks.", type: "counter", sources: [of("chain/gas")] },
  {
    ...{ name: "block_transactions_total", help: "Transactions of blocks.", type: "counter" },
    sources: [of("chain/transactions")],
  },
  {
    ...{ name: "block_transactions_failed_total", help: "Those of them that failed.", type: "counter" },
    sources: [of("chain/transactions/failed")],
  },
  {
    ...{ name: "txpool_transactions", help: "Transactions in the pool.", type: "gauge" },
    sources: [
      of("tx/pool/pending/gauge", { state: "pending" }),
      of("tx/pool/queue/gauge", { state: "queued" }),
    ],
  },
  {
    ...{
      name: "txpool_rejected_total",
      help: "Transactions that the pool rejected or dropped.",
      type: "counter",
    },
    sources: [
      ...["invalid", "refuse", "underpriced"].map((reason) => of(`txpool/${reason}`, { reason })),
      by(/^txpool\/(pending|queued)\/(discard|ratelimit|nofunds)$/, "list", "reason"),
    ],
  },
  {
    ...{ name: "rpc_requests_total", help: "Answered calls by method.", type: "counter" },
    sources: [by(/^rpc\/duration\/([a-zA-Z0-9]+_[a-zA-Z0-9]+)\/(success|failure)$/, "method", "outcome")],
  },
  {
    ...{
      name: "rpc_errors_total",
      help: "Calls and messages answered with an error, by its code.",
      type: "counter",
    },
    sources: [by(/^rpc\/errors\/(-?\d+|other)$/, "code")],
  },
  {
    ...{ name: "rpc_duration_seconds", help: "Time of answered calls by method.", type: "histogram" },
    sources: [by(/^rpc\/duration\/([a-zA-Z0-9]+_[a-zA-Z0-9]+)\/(success|failure)$/, "method", "outcome")],
  },
  { name: "rpc_inflight", help: "Calls under way.", type: "gauge", sources: [of("rpc/counts/pending")] },
  {
    name: "rpc_limited_total",
    help: "Calls refused by the rate limit.",
    type: "counter",
    sources: [of("rpc/counts/limited")],
  },
  {
    ...{
      name: "http_refused_total",
      help: "Requests and connections refused by rules or limits, by HTTP status.",
      type: "counter",
    },
    sources: [by(/^http\/refused\/(\d+)$/, "status")],
  },
  {
    ...{ name: "rpc_refused_total", help: "What exceeded the limits of all clients.", type: "counter" },
    sources: [by(/^rpc\/([a-z]+)\/rejected$/, "what")],
  },
  {
    name: "rpc_clients_cut_total",
    help: "Clients disconnected because they did not read.",
    type: "counter",
    sources: [of("rpc/clients/cut")],
  },
  {
    name: "rpc_connections",
    help: "Open connections.",
    type: "gauge",
    sources: [of("rpc/connections/open")],
  },
  {
    name: "ws_connections",
    help: "Open connections over WebSocket and IPC.",
    type: "gauge",
    sources: [of("ws/counts/connections/total")],
  },
  {
    name: "rpc_subscriptions",
    help: "Running subscriptions.",
    type: "gauge",
    sources: [of("rpc/subscriptions/running")],
  },
  {
    ...{ name: "peers", help: "Connected peers by type.", type: "gauge" },
    sources: ["CN", "PN", "EN"].map((type) => of(`p2p/${type}PeerCountGauge`, { type: type.toLowerCase() })),
  },
  {
    ...{ name: "peer_connections", help: "Connected peers by who dialled.", type: "gauge" },
    sources: [
      of("p2p/PeerInCountGauge", { direction: "in" }),
      of("p2p/PeerOutCountGauge", { direction: "out" }),
    ],
  },
  {
    ...{
      name: "p2p_bytes_total",
      help: "Bytes received from and sent to peers, on the wire.",
      type: "counter",
    },
    sources: [of("p2p/InboundTraffic", { direction: "in" }), of("p2p/OutboundTraffic", { direction: "out" })],
  },
  {
    ...{ name: "p2p_message_bytes_total", help: "Bytes of messages by their kind.", type: "counter" },
    sources: [
      by(/^(?:klay|p2p\/messages)\/((?!misc)[a-zA-Z/]+)\/(in|out)\/traffic$/, "message", "direction"),
    ],
  },
  {
    name: "sql_height_block",
    help: "Newest block in the tables of the database.",
    type: "gauge",
    sources: [of("sql/height")],
  },
  {
    name: "sql_lag_blocks",
    help: "Blocks of the chain that are not in these tables.",
    type: "gauge",
    sources: [of("sql/lag")],
  },
  {
    name: "sql_failures",
    help: "Consecutive failed attempts to fill these tables.",
    type: "gauge",
    sources: [of("sql/failures")],
  },
  {
    name: "sql_log_searches_total",
    help: "Searches of wide ranges that the tables answered, or left to the chain.",
    type: "counter",
    sources: [by(/^sql\/logs\/(answered|passed)$/, "outcome")],
  },
  {
    name: "stream_checkpoint_block",
    help: "First block that the event stream has not published.",
    type: "gauge",
    sources: [of("chaindatafetcher/checkpoint/gauge")],
  },
  {
    name: "stream_lag_blocks",
    help: "Blocks of the chain that the event stream has not published.",
    type: "gauge",
    sources: [of("chaindatafetcher/chainevent/gauge")],
  },
  {
    name: "stream_waiting_bytes",
    help: "Messages of the event stream that wait for the broker.",
    type: "gauge",
    sources: [of("chaindatafetcher/waiting/bytes")],
  },
  {
    name: "stream_messages_total",
    help: "Messages of the event stream that the broker has acknowledged.",
    type: "counter",
    sources: [by(/^chaindatafetcher\/messages\/(blockgroup|tracegroup)$/, "group")],
  },
  {
    name: "stream_bytes_total",
    help: "Bytes of these messages.",
    type: "counter",
    sources: [of("chaindatafetcher/bytes")],
  },
  {
    name: "stream_failures_total",
    help: "Times that the broker could not be reached or refused a message.",
    type: "counter",
    sources: [of("chaindatafetcher/failures")],
  },
  {
    name: "stream_traces_missing_total",
    help: "Transactions that were published without their traces.",
    type: "counter",
    sources: [of("chaindatafetcher/trace/error")],
  },
  {
    ...{ name: "consensus_round", help: "Round in which the newest block was decided.", type: "gauge" },
    sources: [of("consensus/istanbul/core/currentRound")],
  },
  {
    ...{
      name: "consensus_round_changes_total",
      help: "Rounds that this validator gave up.",
      type: "counter",
    },
    sources: [of("consensus/istanbul/engine/roundChanges")],
  },
  {
    name: "consensus_committed_seals",
    help: "Validators whose seal the newest block has.",
    type: "gauge",
    sources: [of("consensus/istanbul/core/committedSeals")],
  },
  {
    name: "db_failing",
    help: "1 while the disk accepts no writes or data is damaged.",
    type: "gauge",
    sources: [of("db/failing")],
  },
  {
    ...{
      name: "db_bytes",
      help: "Size of the database, of its log, and of the rows waiting for it.",
      type: "gauge",
    },
    sources: [by(/^db\/(store|log|waiting)\/bytes$/, "part")],
  },
  {
    ...{ name: "db_operations_total", help: "Reads and writes of tables.", type: "counter" },
    sources: [by(/^db\/table\/([^/]+)\/(reads|writes)$/, "table", "operation")],
  },
  {
    name: "db_log_syncs_total",
    help: "Synced writes of the log.",
    type: "counter",
    sources: [of("db/log/writes")],
  },
  {
    ...{ name: "db_sync_seconds", help: "Time of a synced write of the log.", type: "histogram" },
    sources: [of("db/log/sync")],
  },
  {
    name: "db_flushes_total",
    help: "Flushes of the log into the tables.",
    type: "counter",
    sources: [of("db/flushes")],
  },
  {
    ...{ name: "cache_hits_total", help: "Reads that a cache answered.", type: "counter" },
    sources: [
      by(/^klay\/cache\/get\/(\w+)\/hit$/, "cache"),
      of("state/cache/account/hit", { cache: "account" }),
    ],
  },
  {
    ...{ name: "cache_misses_total", help: "Reads that a cache could not answer.", type: "counter" },
    sources: [
      by(/^klay\/cache\/get\/(\w+)\/miss$/, "cache"),
      of("state/cache/account/miss", { cache: "account" }),
    ],
  },
  {
    ...{ name: "keystore_unlocked", help: "Accounts whose key the node can use.", type: "gauge" },
    sources: [of("wallet/unlocked")],
  },
  {
    ...{ name: "keystore_unlock_failures_total", help: "Wrong passphrases over a port.", type: "counter" },
    sources: [of("wallet/passphrase/wrong")],
  },
  {
    name: "keystore_busy_total",
    help: "Passphrases over a port that were not checked, since too many were waiting.",
    type: "counter",
    sources: [of("wallet/passphrase/busy")],
  },
  {
    ...{ name: "eventloop_lag_seconds", help: "How long the main thread keeps work waiting.", type: "gauge" },
    ...{ sources: [by(/^system\/eventloop\/delay\/(mean|max|p\d+)$/, "statistic")], scale: MILLISECOND },
  },
  {
    ...{ name: "gc_pause_seconds_total", help: "Time of collections.", type: "counter" },
    ...{ sources: [of("system/memory/pauses")], scale: NANOSECOND },
  },
  {
    name: "gc_collections_total",
    help: "Collections.",
    type: "counter",
    sources: [of("system/memory/collections")],
  },
  { name: "heap_used_bytes", help: "Used heap.", type: "gauge", sources: [of("system/memory/inuse")] },
  {
    name: "resident_memory_bytes",
    help: "Resident set of the process.",
    type: "gauge",
    sources: [of("system/memory/resident")],
  },
  {
    ...{ name: "cpu_seconds_total", help: "Processor time of the process.", type: "counter" },
    sources: ["user", "system"].map((mode) => of(`system/cpu/${mode}/seconds`, { mode })),
  },
  {
    ...{ name: "process_cpu_seconds_total", isShared: true, type: "counter" },
    ...{ help: "Processor time of the process.", sources: [of("system/cpu/seconds")] },
  },
  {
    ...{ name: "process_resident_memory_bytes", isShared: true, type: "gauge" },
    ...{ help: "Resident set of the process.", sources: [of("system/memory/resident")] },
  },
  {
    ...{ name: "process_start_time_seconds", isShared: true, type: "gauge" },
    ...{ help: "Start time of the process, in seconds since 1970.", sources: [of("system/start/seconds")] },
  },
  {
    ...{ name: "process_open_fds", isShared: true, type: "gauge" },
    ...{ help: "Open file descriptors.", sources: [of("system/descriptors")] },
  },
  {
    ...{ name: "nodejs_heap_size_used_bytes", isShared: true, type: "gauge" },
    ...{ help: "Used heap.", sources: [of("system/memory/inuse")] },
  },
  {
    ...{ name: "nodejs_eventloop_lag_mean_seconds", isShared: true, type: "gauge" },
    ...{ help: "Mean delay of the event loop.", sources: [of("system/eventloop/delay/mean")] },
    scale: MILLISECOND,
  },
  {
    ...{ name: "nodejs_version_info", isShared: true, type: "gauge" },
    ...{ help: "1, with the version of Node.js.", sources: [of("system/up", { version: process.version })] },
  },
];

/** The metrics under names of this node's own, in the text format of Prometheus. Families without a sample are left out. */
export function ownNamesText(metrics: Metrics): string {
  const readings: Readings = new Map(metrics.readings());
  return FAMILIES.map((family) => {
    const samples = family.sources.flatMap((source) => samplesOf(source, readings));
    return familyText(
      { ...family, name: family.isShared ? family.name : PREFIX + family.name },
      samples,
      family.scale,
    );
  }).join("");
}

function samplesOf({ from, labels = {}, groups = [] }: Source, readings: Readings): FamilySample[] {
  if (typeof from === "string") {
    const reading = readings.get(from);
    return reading ? [{ labels, reading }] : [];
  }
  const named = (match: RegExpExecArray) =>
    Object.fromEntries(groups.map((group, index) => [group, match[index + 1] ?? ""]));
  return [...readings].flatMap(([name, reading]) => {
    const match = from.exec(name);
    return match === null ? [] : [{ labels: named(match), reading }];
  });
}
