import { rpcCall } from "../json-rpc.ts";
import { startNode } from "../started-node.ts";
import { Load } from "./load.ts";
import { growthPerHour, type Sample, sampleOf } from "./process-memory.ts";

const BLOCK_TIME_MS = 200;
const BLOCKS_PER_SECOND = 1000 / BLOCK_TIME_MS;
/** Interval between samples. */
const SAMPLE_MS = 5000;
/** The first part of a run, during which caches fill, up to ten minutes. */
const WARM_UP = { share: 1 / 3, mostSeconds: 600 };

/** Results of a soak run. */
export interface SoakFigures {
  readonly seconds: number;
  readonly blocks: number;
  /** Ratio of blocks sealed to those expected by the clock; 1 = all. */
  readonly pace: number;
  readonly transactions: number;
  readonly calls: number;
  readonly events: number;
  readonly failures: ReadonlyMap<string, number>;
  /** After the warm-up. */
  readonly growthPerHour: number;
  readonly anonFirst: number;
  readonly anonLast: number;
  /** Maximum handles after the warm-up, minus those at its end. */
  readonly moreHandles: number;
  /** 99th percentile of `eth_call` in milliseconds, after the warm-up and at the end. */
  readonly p99First: number;
  readonly p99Last: number;
  /** Exit code after SIGTERM, and time to stop. */
  readonly exitCode: number | null;
  readonly stopMs: number;
}

/**
 * Runs a node of the built program with five blocks, 20 transactions and 50 calls a second and 20 subscriptions.
 * @param onSample - called every five seconds
 */
export async function soak(seconds: number, onSample: (sample: Sample) => void): Promise<SoakFigures> {
  const node = await startNode("--block-time", `${BLOCK_TIME_MS}ms`);
  const load = new Load(node);
  const { pid } = node.child as { pid: number };
  const samples: Sample[] = [];
  try {
    await load.start();
    const began = performance.now();
    const first = Number(await rpcCall(node.endpoints.http, "eth_blockNumber"));
    while (performance.now() - began < seconds * 1000) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
      const sample = sampleOf(pid, began);
      samples.push(sample);
      onSample(sample);
    }
    const blocks = Number(await rpcCall(node.endpoints.http, "eth_blockNumber")) - first;
    const took = (performance.now() - began) / 1000;
    await load.end();
    const stopping = performance.now();
    node.child.kill("SIGTERM");
    const exitCode = await node.exited;
    const stopMs = performance.now() - stopping;
    const { transactions, calls, events, failures, latencies } = load.tally;
    const third = Math.ceil(latencies.length / 3);
    return {
      ...{ seconds: took, blocks, transactions, calls, events, failures, exitCode, stopMs },
      pace: blocks / (took * BLOCKS_PER_SECOND),
      ...memoryAfterWarmUp(samples, seconds),
      p99First: p99(latencies.slice(0, third)),
      p99Last: p99(latencies.slice(-third)),
    };
  } finally {
    await load.end();
    node.child.kill("SIGKILL");
    await node.stop();
  }
}

function memoryAfterWarmUp(samples: readonly Sample[], seconds: number) {
  const warm = Math.min(seconds * WARM_UP.share, WARM_UP.mostSeconds);
  const after = samples.filter(({ at }) => at >= warm);
  const [first, last] = [after[0], after.at(-1)] as [Sample, Sample];
  return {
    growthPerHour: growthPerHour(after),
    anonFirst: first.anon,
    anonLast: last.anon,
    moreHandles: Math.max(...after.map(({ handles }) => handles)) - first.handles,
  };
}

function p99(latencies: readonly number[]): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
