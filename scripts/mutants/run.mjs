// Mutation tests: applies one change at a time to the given files and checks whether the tests of their room catch it.
//   npm run test:mutants -- src/cli src/ledger/execution/transaction/transaction.ts [--max 100] [--seed TEXT] [--tests src/cli] [--only TEXT]
// A mutant is caught if a test fails that passes without it, and survives if all tests pass. Anything else is not counted: time-outs,
// endless loops, a worker that exits. Only tests that import the file are run; no file is changed on disk.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import { mutantsOf } from "./changes.mjs";
import { Imports, testsNear } from "./imports.mjs";
import { judge } from "./judge.mjs";

/** Mutants per worker, whose memory grows with each. */
const BATCH = 50;

function sourcesIn(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`);
  return names
    .filter((name) => /\.ts$/.test(name) && !/\.(test|test-d|bench|d)\.ts$|\/(testing|tests)\//.test(name))
    .sort();
}

/** `max` items drawn by a seed, in the order of the list: those whose hashes are the least. */
function drawn(list, max, seed) {
  const hashes = new Map(
    list.map((item, i) => [item, createHash("sha256").update(`${seed} ${i}`).digest("hex")]),
  );
  const least = [...list].sort((a, b) => (hashes.get(a) < hashes.get(b) ? -1 : 1)).slice(0, max);
  return list.filter((item) => least.includes(item));
}

/** Up to `max` items, evenly spread over a list. */
function spread(list, max) {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, i) => list[Math.floor((i * list.length) / max)]);
}

const short = (code) => code.replace(/\s+/g, " ").slice(0, 60);
const shown = ({ file, line, what, was, text }) =>
  `${file}:${line}  ${what}: ${short(was)}  →  ${short(text)}`;

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
      const line = bytes.toString("utf8", 0, mutant.start).split("\n").length;
      return { ...mutant, file, line, dependents: [...dependents.keys()], tests };
    });
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    max: { type: "string", default: "100" },
    seed: { type: "string" },
    tests: { type: "string", multiple: true },
    only: { type: "string", multiple: true },
  },
});
const isWanted = (mutant) => values.only?.some((text) => shown(mutant).includes(text)) ?? true;
const all = mutantsIn(positionals, values.tests).filter(isWanted);
const max = Number(values.max);
const sample = values.seed === undefined ? spread(all, max) : drawn(all, max, values.seed);
const mutants = sample.map((mutant, i) => ({ ...mutant, number: i + 1 }));
/** By number: `caught`, `survived`, or why it is not counted. */
const verdicts = new Map(
  mutants.map(({ number, tests }) => [number, tests.flat().length > 0 ? "survived" : "no test imports it"]),
);

/** Prints all mutants not caught, and how many were. @param wasRun - whether a surviving mutant was run against all tests */
function report(wasRun) {
  const found = mutants.map((mutant) => {
    const verdict = verdicts.get(mutant.number);
    return { mutant, verdict: verdict === "survived" && !wasRun(mutant) ? "not run" : verdict };
  });
  for (const { mutant, verdict } of found)
    if (verdict !== "caught") console.log(`${verdict}: ${shown(mutant)}`);
  const count = (wanted) => found.filter(({ verdict }) => verdict === wanted).length;
  const caught = count("caught");
  const valid = caught + count("survived");
  const others = valid < mutants.length ? `; ${mutants.length - valid} are not counted` : "";
  const share = valid > 0 ? ` (${Math.round((100 * caught) / valid)} %)` : "";
  console.log(`${caught} of ${valid} mutants caught${share}${others}`);
}

/** Groups of tests that all mutants not caught were run against. */
let ringsRun = 0;
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    report(({ tests }) => tests.length <= ringsRun);
    // this kills the workers
    process.exit(1);
  });
for (const ring of [0, 1, 2]) {
  const left = mutants.filter(
    ({ number, tests }) => tests[ring]?.length > 0 && verdicts.get(number) === "survived",
  );
  for (let i = 0; i < left.length; i += BATCH) {
    const batch = left.slice(i, i + BATCH).map(({ number, file, changed, dependents, tests }) => {
      return { number, file, text: changed, dependents, tests: tests[ring] };
    });
    for (const [number, verdict] of await judge(batch)) verdicts.set(number, verdict);
    const done = Math.min(i + BATCH, left.length);
    process.stderr.write(`tests of ring ${ring + 1}: ${done} of ${left.length}\n`);
  }
  ringsRun = ring + 1;
}
report(() => true);
