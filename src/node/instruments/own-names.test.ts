import { expect, it } from "vitest";
import { Metrics } from "../../platform/telemetry/metrics.ts";
import { ownNamesText } from "./own-names.ts";

function filled(): Metrics {
  const metrics = new Metrics({ now: () => 0, elapsed: () => 0 });
  metrics.gauge("blockchain/head/blocknumber", () => 7);
  metrics.gauge("system/memory/pauses", () => 2_000_000_000);
  const process = metrics.timer("chain/process");
  for (const ms of [0.05, 1, 3, 20_000]) process.update(ms);
  metrics.timer("rpc/duration/eth_call/success").update(1);
  metrics.timer('rpc/duration/no"such/success').update(1);
  metrics.gauge("system/handles", () => 9);
  return metrics;
}

it("are in base units, with labels for variants, and omit metrics without samples", () => {
  const lines = ownNamesText(filled()).split("\n");
  expect(lines).toContain("kairn_head_block 7");
  expect(lines).toContain("kairn_gc_pause_seconds_total 2");
  expect(lines).toContain('kairn_rpc_requests_total{method="eth_call",outcome="success"} 1');
  expect(lines.filter((line) => line.startsWith("kairn_rpc_requests_total"))).toHaveLength(1);
  expect(lines.some((line) => /peers|handles|such/.test(line))).toBe(false);
});

it("count durations in cumulative buckets, in seconds", () => {
  const lines = ownNamesText(filled()).split("\n");
  const bucket = (le: string) =>
    lines.find((line) => line.includes(`_bucket{phase="process",le="${le}"}`))?.split(" ")[1];
  expect(["0.0001", "0.0005", "0.001", "0.0025", "0.005", "10", "+Inf"].map(bucket)).toEqual([
    ...["1", "1", "2", "2", "3", "3", "4"],
  ]);
  expect(lines).toContain('kairn_block_phase_seconds_count{phase="process"} 4');
  expect(lines.find((line) => line.startsWith("kairn_block_phase_seconds_sum"))).toMatch(/ 20\.00405/);
});
