import { ignoredFlags } from "../../platform/config/ignored-flags.ts";

/**
 * Flags of the reference node v2.2.1 that only tune its internals: start scripts may keep them. Those that would make
 * it a different kind of node (bridges, data fetchers, generated keys) remain errors.
 */
export const REFERENCE_FLAGS = ignoredFlags(
  `ntp.disable v3 txpool.spamthrottler.disable db.single db.leveldb.no-buffer-pool db.rocksdb.secondary
  db.rocksdb.dump-malloc-stat db.rocksdb.disable-metrics db.rocksdb.cache-index-and-filter db.no-parallel-write
  db.no-perf-metrics snapshot snapshot.async-gen state.live-pruning state.experimental-flat-trie
  statedb.cache.use-snapshot-for-prefetch vmdebug vm.internaltx vm.opdebug multichannel autorestart.enable
  use-console-log prometheus`,
  `ntp.server dbtype srvtype syncmode identity docroot db.num-statetrie-shards db.leveldb.cache-size
  db.leveldb.compression db.pebbledb.cache-size db.rocksdb.cache-size db.rocksdb.compression-type
  db.rocksdb.bottommost-compression-type db.rocksdb.filter-policy db.rocksdb.max-open-files snapshot.cache-size
  state.cache-size state.block-interval state.tries-in-memory state.live-pruning-retention state.trie-cache-limit
  state.trie-cache-save-period cache.type cache.scale cache.level cache.memory statedb.cache.type
  statedb.cache.num-fetcher-prefetch-worker crypto.kzg targetgaslimit txresend.interval txresend.max-count vmlog
  rpc.ethtxfeecap rpc.unsafe-debug.state-regeneration.time-limit wsreaddeadline wswritedeadline subport discover-types
  nat rwtimerinterval rwtimerwaittime autorestart.timeout autorestart.daemon.path
  opcode-computation-cost-limit gpo.blocks gpo.percentile gpo.maxprice vrank.log-frequency prometheusport`,
);
