// Two or more nodes in alternating short windows: other load on the machine affects neighbouring windows alike, so
// that ratios are valid even if absolute figures are not. Used by `npm run bench -- --compare BASE`.
import { setTimeout as pause } from "node:timers/promises";
import { start } from "../peers/start.mjs";
import { ROWS } from "./rows.mjs";

/** Reads run in slices of this length until the node has used the intended CPU time, however busy the machine is. */
const SLICE_MS = 150;
const WINDOW_CPU_S = 0.08;
const WARM_UP_CPU_S = 0.5;
const MAX_SLICES = 20;
const IDLE_MS = 1_500;

/**
 * Measures peers in pairs.
 * @param peers the others are compared with the first
 * @param {{ pairs: number, rows?: string[], starts: number, tell: (text: string) => void }} options rows by parts of names
 * @returns rows of `{ name, figures: Map of peer to number[] }`: figures of one index belong together; more is better
 */
export async function measurePairs(peers, { pairs, rows, starts, tell }) {
  const wanted = ROWS.filter(({ name }) => rows === undefined || rows.some((part) => name.includes(part)));
  const measured = starts > 0 ? await measureStarts(peers, starts) : [];
  for (const row of measured) tell(row);
  if (wanted.length === 0) return measured;
  const nodes = [];
  try {
    for (const peer of peers) nodes.push(await start(peer));
    for (const row of wanted) {
      measured.push(await measureRow(row, nodes, pairs));
      tell(measured.at(-1));
    }
  } finally {
    for (const node of nodes) await node.stop();
  }
  return measured;
}

async function measureRow(row, nodes, pairs) {
  const figures = new Map(nodes.map(({ name }) => [name, []]));
  const windows = [];
  for (const node of nodes) windows.push(asWindow(await row.setUp(node), node));
  for (const window of windows) await window.warmUp();
  for (let i = 0; i < pairs; i++) {
    // The order alternates: the second of a pair may have an advantage or disadvantage.
    const order = i % 2 === 0 ? nodes.keys() : [...nodes.keys()].reverse();
    for (const at of order) {
      const { make, run } = windows[at];
      make();
      const before = nodes[at].cpuSeconds();
      const count = await run();
      figures.get(nodes[at].name).push(count / (nodes[at].cpuSeconds() - before));
    }
  }
  return { name: `${row.name}, per CPU s`, figures };
}

/** Rows of reads run for a fixed time, others do a fixed amount of work. */
function asWindow(window, node) {
  if (typeof window === "function") {
    const runFor = (cpuSeconds) => inSlices(window, node, cpuSeconds);
    return { make() {}, run: () => runFor(WINDOW_CPU_S), warmUp: () => runFor(WARM_UP_CPU_S) };
  }
  const warmUp = async () => {
    for (let i = 0; i < 3; i++) {
      window.make();
      await window.run();
    }
  };
  return { ...window, warmUp };
}

/** @returns the amount of work done */
async function inSlices(window, node, cpuSeconds) {
  const end = node.cpuSeconds() + cpuSeconds;
  let done = 0;
  for (let i = 0; i < MAX_SLICES && node.cpuSeconds() < end; i++) done += await window(SLICE_MS);
  return done;
}

async function measureStarts(peers, starts) {
  const columns = ["starts, per s until the first answer", "starts, per CPU s", "idle nodes, per GiB"];
  const rows = columns.map((name) => ({ name, figures: new Map(peers.map((peer) => [peer.name, []])) }));
  for (let i = 0; i < starts; i++) {
    for (const peer of i % 2 === 0 ? peers : [...peers].reverse()) {
      const node = await start(peer);
      await pause(IDLE_MS);
      const values = [1000 / node.startMs, 1 / node.startCpu, 1024 / node.rssMiB()];
      for (const [at, value] of values.entries()) rows[at].figures.get(peer.name).push(value);
      await node.stop();
    }
  }
  return rows;
}
