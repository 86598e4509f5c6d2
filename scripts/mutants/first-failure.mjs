// Loaded before each test file: once a test has caught a mutant, its other tests are skipped; an endless loop is broken.
import { afterEach, beforeEach } from "vitest";
import { LOOPS } from "./loops.mjs";

/** CPU time of a test after which a loop in a changed file counts as endless: far more than any test needs. */
const MOST_MICROSECONDS = 4_000_000;

/** Numbers of mutants that were caught; global, as this file is loaded again each time. */
globalThis.caughtMutants ??= new Set();
const caught = globalThis.caughtMutants;
const numberOf = ({ file }) => Number(/mutant=(\d+)$/.exec(file.filepath)?.[1] ?? 0);

let begun = process.cpuUsage();
let rounds = 0;
let isLooping = false;
globalThis.countMutantLoop = () => {
  if (++rounds % 64 > 0 || process.cpuUsage(begun).user < MOST_MICROSECONDS) return;
  isLooping = true;
  throw new Error(LOOPS);
};

beforeEach(({ task, skip }) => {
  if (caught.has(numberOf(task))) skip();
  begun = process.cpuUsage();
});

afterEach(({ task }) => {
  const number = numberOf(task);
  // a control run shows all failures
  if (number > 0 && (isLooping || task.result?.state === "fail")) caught.add(number);
  if (!isLooping) return;
  isLooping = false;
  throw new Error(LOOPS);
});
