// Mutation tests: applies one change at a time to the given files and checks whether the tests of their room catch it.
//   npm run test:mutants -- src/cli src/ledger/execution/transaction/transaction.ts [--max 100] [--tests src/cli]
// A mutant survives if all tests still pass. Only tests that import the file are run; no file is changed on disk.
import { fork } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutantsOf } from "./changes.mjs";
import { Imports, testsNear } from "./imports.mjs";

const server = fileURLToPath(new URL("server.mjs", import.meta.url));
/** A mutant that keeps one test file busy for longer counts as caught: an endless loop. */
const TIMEOUT_MS = 120_000;
/** Mutants per worker, whose memory grows with each. */
const BATCH = 25;
/** Mutants whose batch failed even without a mutant: the machine may have been too slow. */
const undecided = new Set();

function sourcesIn(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`);
  return names
    .filter((name) => /\.ts$/.test(name) && !/\.(test|test-d|bench|d)\.ts$|\/(testing|tests)\//.test(name))
    .sort();
}

/** Up to `max` items, evenly spread over a list. */
function spread(list, max) {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, i) => list[Math.floor((i * list.length) / max)]);
}

/**
 * Runs a batch in a process of its own; its last entry is not a mutant.
 * @returns the numbers that failed, and the one running when the process ended or hung
 */
function runOnce(batch) {
  const child = fork(server, [], { stdio: ["ignore", "ignore", "inherit", "ipc"], detached: true });
  const failed = new Set();
  let current;
  // remaining runs: the test runner chooses the order of files
  let left = batch.flatMap(({ tests }) => tests).length;
  return new Promise((done) => {
    let timer;
    const end = (stopped) => {
      clearTimeout(timer);
      child.removeAllListeners();
      if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      done({ failed, stopped });
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(current), TIMEOUT_MS);
    };
    wait();
    child.once("exit", () => end(current));
    child.on("message", ({ isReady, isDone, isStray, number, isOver, ok }) => {
      wait();
      if (isReady) child.send(batch);
      // the worker may have ended before the rest of the batch
      else if (isDone) end(left > 0 ? current : undefined);
      else if (!isOver) current = number;
      else {
        if (!isStray) left--;
        if (!ok) failed.add(number);
      }
    });
  });
}

/** The mutants of a batch caught by a test. If the control run, without a mutant, fails, the worker's results are void. */
async function caughtIn(batch) {
  if (batch.length === 0) return [];
  const last = batch.at(-1);
  const control = { ...last, number: 0, text: readFileSync(last.file, "utf8") };
  const { failed, stopped } = await runOnce([...batch, control]);
  if (stopped === undefined && !failed.has(0)) return [...failed];
  if (batch.length === 1) {
    if (failed.has(0) || stopped === 0) undecided.add(last.number);
    return [last.number];
  }
  if (stopped > 0) {
    const at = batch.findIndex(({ number }) => number === stopped);
    const before = batch.slice(0, at).filter(({ number }) => !failed.has(number));
    return [...(await caughtIn(before)), ...failed, stopped, ...(await caughtIn(batch.slice(at + 1)))];
  }
  const half = batch.length >> 1;
  return [...(await caughtIn(batch.slice(0, half))), ...(await caughtIn(batch.slice(half)))];
}

function mutantsIn(paths, named) {
  const imports = new Imports("src");
  return paths.flatMap(sourcesIn).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    const bytes = Buffer.from(source);
    const dependents = imports.dependents(file);
    const tests = named
      ? [
          [...dependents.keys()].filter((name) =>
            named.some((each) => name.startsWith(each) && name.endsWith(".test.ts")),
          ),
        ]
      : testsNear(file, dependents);
    return mutantsOf(source).map((mutant) => {
      const text = Buffer.concat([
        bytes.subarray(0, mutant.start),
        Buffer.from(mutant.text),
        bytes.subarray(mutant.end),
      ]);
      const line = bytes.toString("utf8", 0, mutant.start).split("\n").length;
      return { ...mutant, file, line, changed: String(text), dependents: [...dependents.keys()], tests };
    });
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { max: { type: "string", default: "100" }, tests: { type: "string", multiple: true } },
});
const mutants = spread(mutantsIn(positionals, values.tests), Number(values.max)).map((mutant, i) => ({
  ...mutant,
  number: i + 1,
}));
let survivors = mutants;
for (const ring of [0, 1, 2]) {
  const left = survivors.filter(({ tests }) => tests[ring] !== undefined);
  const noticed = new Set();
  for (let i = 0; i < left.length; i += BATCH) {
    const batch = left.slice(i, i + BATCH).map(({ number, file, changed, dependents, tests }) => {
      return { number, file, text: changed, dependents, tests: tests[ring] };
    });
    for (const number of await caughtIn(batch)) noticed.add(number);
    process.stderr.write(
      `tests of ring ${ring + 1}: ${Math.min(i + BATCH, left.length)} of ${left.length}\n`,
    );
  }
  survivors = survivors.filter(({ number }) => !noticed.has(number));
}
for (const { file, line, was, text, what } of survivors) {
  const short = (code) => code.replace(/\s+/g, " ").slice(0, 60);
  console.log(`${file}:${line}  ${what}: ${short(was)}  →  ${short(text)}`);
}
const tried = mutants.length - undecided.size;
const caught = tried - survivors.length;
const percent = Math.round((100 * caught) / tried);
const others = undecided.size > 0 ? `; ${undecided.size} are undecided` : "";
console.log(`${caught} of ${tried} mutants caught (${percent} %)${others}`);
