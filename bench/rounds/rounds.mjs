// Nodes in turn, round by round: each is started fresh, measured and stopped, so that drift of the machine affects all alike.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../../scripts/lib.mjs";
import { KEY } from "../peers/peers.mjs";
import { start } from "../peers/start.mjs";
import { load1 } from "../rpc/lib/proc.mjs";

/** Number of starts of a node per round in the phase `startup`. */
const STARTS = 2;
const IDLE_MS = 2_500;
const PHASE_MS = 280_000;

/**
 * Measures peers in turn.
 * @param {import("../peers/peers.mjs").Peer[]} peers
 * @param {{ rounds: number, phases: string[], flags: Record<string, string[]> }} options `flags` go to the load client of a phase
 * @returns records: `{ peer, round, phase, … }`, with `error` if something could not be measured
 */
export async function measureRounds(peers, { rounds, phases, flags }) {
  const records = [];
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      const note = (record) => records.push({ peer: peer.name, round, ...record });
      try {
        if (phases.includes("startup")) await measureStarts(peer, note);
        const rest = phases.filter((phase) => phase !== "startup" && !peer.skip?.includes(phase));
        if (rest.length > 0) await measurePhases(peer, rest, flags, `${round}${Date.now()}`, note);
      } catch (error) {
        note({ error: String(error) });
      }
    }
  }
  return records;
}

async function measureStarts(peer, note) {
  for (let i = 0; i < STARTS; i++) {
    const node = await start(peer);
    await pause(IDLE_MS);
    const { startMs, startCpu } = node;
    note({ phase: "startup", kind: "startup", startMs, startCpu, idleRssMiB: node.rssMiB(), load1: load1() });
    await node.stop();
  }
}

async function measurePhases(peer, phases, flags, run, note) {
  const node = await start(peer);
  try {
    for (const phase of phases) {
      const startedMs = Date.now();
      for (const record of runPhase(phase, node, [...(flags[phase] ?? []), "--run", run]))
        note({ phase, ...record });
      const took = ((Date.now() - startedMs) / 1000).toFixed(1);
      console.error(new Date().toISOString().slice(11, 19), peer.name, phase, `${took} s`);
    }
  } finally {
    await node.stop();
  }
}

/** The load comes from a separate process. */
function runPhase(phase, { url, ws, pid }, flags) {
  const out = join(tmpdir(), `kairn-bench-${process.pid}.json`);
  const target = ["--url", url, "--pid", `${pid}`, "--key", KEY, ...(ws ? ["--ws", ws] : [])];
  const args = [join(root, "bench", "rpc", "phase.mjs"), phase, ...target, "--out", out, ...flags];
  spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"], timeout: PHASE_MS });
  try {
    return JSON.parse(readFileSync(out, "utf8")).results;
  } catch {
    return [{ error: "no output" }];
  } finally {
    rmSync(out, { force: true });
  }
}
