import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const server = fileURLToPath(new URL("server.mjs", import.meta.url));
/** Silence allowed until the tests have run without a mutant: on a busy machine, building and importing everything takes minutes. */
const START_MS = 900_000;
/** After that, a mutant hangs if it is silent this many times longer than any before it, within these bounds. */
const PATIENCE = 20;
const LEAST_PATIENCE_MS = 20_000;
const MOST_PATIENCE_MS = 60_000;
/** Numbers of the control runs without a mutant, the first and the last of each batch. */
const BEFORE = 0;
const AFTER = 1_000_000;

/**
 * Runs the tests of a batch in a process of its own.
 * @returns by number, how many test files were run and what failed in them; and the mutant running when the process ended or hung
 */
function runOnce(batch) {
  const child = fork(server, [], { stdio: ["ignore", "ignore", "inherit", "ipc"], detached: true });
  const results = new Map(batch.map(({ number }) => [number, { files: 0, failures: [] }]));
  // mutants run in this order; one that hangs may not get to report its start
  const running = () => batch.find(({ number, tests }) => results.get(number).files < tests.length)?.number;
  return new Promise((done) => {
    let timer;
    const kill = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // it has ended
      }
    };
    process.once("exit", kill);
    const end = () => {
      clearTimeout(timer);
      child.removeAllListeners();
      process.off("exit", kill);
      kill();
      done({ results, stopped: running() });
    };
    let spokeMs = performance.now();
    let silenceMs = 0;
    const wait = () => {
      const now = performance.now();
      const isStarting = running() === BEFORE;
      if (!isStarting) silenceMs = Math.max(silenceMs, now - spokeMs);
      spokeMs = now;
      clearTimeout(timer);
      const patienceMs = Math.min(Math.max(PATIENCE * silenceMs, LEAST_PATIENCE_MS), MOST_PATIENCE_MS);
      timer = setTimeout(end, isStarting ? START_MS : patienceMs);
    };
    wait();
    child.once("exit", end);
    child.on("message", ({ kind, number, failures }) => {
      wait();
      if (kind === "ready") child.send(batch);
      else if (kind === "done") end();
      else if (kind === "end") {
        const result = results.get(number);
        result.files++;
        result.failures.push(...failures);
      }
    });
  });
}

/** @param unsteady - names of tests that failed in a control run */
function verdictOn({ tests }, { files, failures }, unsteady) {
  const own = failures.filter(({ test }) => !unsteady.has(test));
  if (own.some(({ isVoid }) => !isVoid)) return "caught";
  if (own.length > 0) return "hung";
  if (failures.length > 0) return "failed without it too";
  return files < tests.length ? "not run" : "survived";
}

/**
 * Runs a batch of mutants `{ number, file, text, dependents, tests }` between two control runs of all their tests.
 * @returns pairs of a number and its verdict: `caught`, `survived`, or why it is not counted
 */
export async function judge(batch) {
  if (batch.length === 0) return [];
  const tests = [...new Set(batch.flatMap((mutant) => mutant.tests))];
  const plain = { file: "", text: "", dependents: tests, tests };
  const { results, stopped } = await runOnce([
    { ...plain, number: BEFORE },
    ...batch,
    { ...plain, number: AFTER },
  ]);
  const controls = [results.get(BEFORE), results.get(AFTER)].flatMap(({ failures }) => failures);
  const unsteady = new Set(controls.map(({ test }) => test));
  for (const { test, message } of controls)
    process.stderr.write(`fails without a mutant: ${test || "a file or a hook"}: ${message.slice(0, 300)}\n`);
  const found = (mutants) =>
    mutants.map((mutant) => [mutant.number, verdictOn(mutant, results.get(mutant.number), unsteady)]);
  if (stopped === undefined || stopped === AFTER) return found(batch);
  if (stopped === BEFORE) {
    process.stderr.write("the tests did not even get through without a mutant\n");
    return batch.map(({ number }) => [number, "not run"]);
  }
  const at = batch.findIndex(({ number }) => number === stopped);
  const isCaught = verdictOn(batch[at], results.get(stopped), unsteady) === "caught";
  return [
    ...found(batch.slice(0, at)),
    [stopped, isCaught ? "caught" : "hung"],
    ...(await judge(batch.slice(at + 1))),
  ];
}
