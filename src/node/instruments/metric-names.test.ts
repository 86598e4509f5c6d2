import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../create-node.ts";

/** What operators expect to find, by kind; each is exported by a node that has sealed a block, answered calls and met no peer. */
const EXPECTED = {
  gauge: [
    ...["head_block", "finalized_block", "sync_target_block", "head_age_seconds", "txpool_transactions"],
    ...["rpc_inflight", "rpc_connections", "ws_connections", "rpc_subscriptions", "keystore_unlocked"],
    ...["consensus_round", "consensus_committed_seals", "db_bytes", "db_failing", "eventloop_lag_seconds"],
  ],
  counter: [
    ...["txpool_rejected_total", "rpc_requests_total", "rpc_errors_total", "consensus_round_changes_total"],
    ...[
      "p2p_bytes_total",
      "db_operations_total",
      "db_log_syncs_total",
      "cache_hits_total",
      "cache_misses_total",
    ],
    ...["keystore_unlock_failures_total", "gc_pause_seconds_total", "http_refused_total"],
    ...["rpc_refused_total", "rpc_clients_cut_total", "rpc_limited_total"],
  ],
  histogram: [
    ...[
      "block_phase_seconds",
      "block_gas_used",
      "block_transactions",
      "rpc_duration_seconds",
      "db_sync_seconds",
    ],
  ],
} as const;

let node: Node;
let folder: string;
let text: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kairn-names-"));
  node = await createNode({
    dev: true,
    dataDir: folder,
    metrics: { port: 0, names: "kairn" },
    http: { port: 0 },
  });
  const [from, to] = (await node.provider.request({ method: "eth_accounts" })) as string[];
  await node.provider.request({ method: "eth_sendTransaction", params: [{ from, to, value: "0x1" }] });
  await node.provider.request({ method: "evm_mine" });
  for (const method of ["eth_chainId", "eth_getBalance"])
    await fetch(node.endpoints.http as string, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }),
    });
  const body = "x".repeat(6 * 1024 * 1024);
  for (const refused of [{ method: "PUT" }, { method: "POST", body }, { method: "POST", body: "{}" }])
    await fetch(node.endpoints.http as string, refused);
  await fetch(node.endpoints.http as string, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Array(1001).fill({ jsonrpc: "2.0", id: 1, method: "eth_chainId" })),
  });
  text = await (await fetch(node.endpoints.metrics as string)).text();
}, 30_000);
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The value of a sample by its name and labels. */
function sample(name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

describe.each(Object.entries(EXPECTED))("each %s is exported with samples", (type, names) => {
  it.each(names)("%s", (name) => {
    expect(text).toContain(`# TYPE kairn_${name} ${type}\n`);
    expect(text).toMatch(new RegExp(`^kairn_${name}(_count)?[ {]`, "m"));
  });
});

it("reports what happened", () => {
  expect(sample("kairn_head_block")).toBeGreaterThan(0);
  expect(sample("kairn_finalized_block")).toBe(sample("kairn_head_block"));
  expect(sample("kairn_sync_target_block")).toBe(sample("kairn_head_block"));
  expect(sample("kairn_keystore_unlocked")).toBe(10);
  expect(sample("kairn_consensus_committed_seals")).toBe(1);
  expect(sample('kairn_rpc_errors_total{code="-32602"}')).toBe(1);
  expect(sample('kairn_rpc_errors_total{code="-32600"}')).toBe(1);
  const refused = [405, 413, 415, 431, 503].map((status) =>
    sample(`kairn_http_refused_total{status="${status}"}`),
  );
  expect(refused).toEqual([1, 1, 1, 0, 0]);
  expect(sample('kairn_rpc_duration_seconds_count{method="eth_chainId",outcome="success"}')).toBe(1);
  expect(sample("kairn_block_gas_used_count")).toBe(sample("kairn_head_block"));
  expect(sample("kairn_block_gas_used_sum")).toBe(21_000);
  expect(sample('kairn_block_gas_used_bucket{le="0"}')).toBe(sample("kairn_head_block") - 1);
  expect(sample('kairn_block_gas_used_bucket{le="21000"}')).toBe(sample("kairn_head_block"));
  expect(sample('kairn_block_transactions_bucket{le="1"}')).toBe(sample("kairn_head_block"));
  expect(sample("kairn_db_sync_seconds_count")).toBeGreaterThan(0);
});

it("has the names shared by Node.js programs", () => {
  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
  ])
    expect(sample(name)).toBeGreaterThan(0);
  expect(sample("nodejs_heap_size_used_bytes")).toBeGreaterThan(1e6);
  expect(sample(`nodejs_version_info{version="${process.version}"}`)).toBe(1);
});
