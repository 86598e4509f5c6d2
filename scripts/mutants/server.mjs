// The child of run.mjs: runs the tests of many mutants in one worker, which imports modules not affected by mutants only once.
// A file that imports a changed one, directly or not, is a separate module per mutant, with the number in its id.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { createVitest } from "vitest/node";
import { LOOPS, withCountedLoops } from "./loops.mjs";

const MARK = /[?&]mutant=(\d+)$/;
/** Time limit of a test; a mutant whose test exceeds it is not counted. */
const TEST_MS = 30_000;
/** By number: the path and the changed text of a file, and the files that import it. */
const mutants = new Map();

const variants = {
  name: "mutants",
  enforce: "pre",
  // transformed files are cached on disk for all runs; mutants are not
  configureVitest: ({ experimental_defineCacheKeyGenerator }) =>
    experimental_defineCacheKeyGenerator(({ id }) => !MARK.test(id) && undefined),
  async resolveId(source, importer) {
    const number = Number((MARK.exec(source) ?? MARK.exec(importer ?? ""))?.[1] ?? -1);
    const mutant = mutants.get(number);
    if (mutant === undefined) return undefined;
    const found = await this.resolve(source.replace(MARK, ""), importer?.replace(MARK, ""), {
      skipSelf: true,
    });
    const file = found && relative(".", found.id);
    return mutant.dependents.has(file) ? `${found.id}?mutant=${number}` : found;
  },
  load(id) {
    const mutant = mutants.get(Number(MARK.exec(id)?.[1] ?? -1));
    if (mutant === undefined) return undefined;
    const path = id.replace(MARK, "");
    return relative(".", path) === mutant.file ? withCountedLoops(mutant.text) : readFileSync(path, "utf8");
  },
};

const numberOf = ({ moduleId }) => Number(MARK.exec(moduleId)[1]);
/** Whether errors prove nothing about a mutant: the test may just have been slow. */
const isVoid = (errors) =>
  errors.some(({ message }) => message.startsWith(LOOPS)) ||
  errors.every(({ message }) => /^(Test|Hook) timed out in /.test(message));

/** What failed in a test file: `{ test, isVoid, message }`; a file that cannot be loaded and hooks of suites have an empty name. */
function failuresOf(module) {
  const failure = (test, errors) => ({ test, isVoid: isVoid(errors), message: errors[0]?.message ?? "" });
  const suites = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  const tests = [...module.children.allTests("failed")];
  return [
    ...suites.map((error) => failure("", [error])),
    ...tests.map((test) => failure(test.fullName, test.result().errors)),
  ];
}

const tellAlive = () => process.send({ kind: "alive" });
const vitest = await createVitest(
  "test",
  {
    ...{ config: false, watch: false, isolate: false, maxWorkers: 1, fileParallelism: false },
    ...{ include: ["src/**/*.test.ts"], testTimeout: TEST_MS, hookTimeout: TEST_MS },
    ...{ restoreMocks: true, unstubEnvs: true, env: { P2P_ADDR: "127.0.0.1" } },
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ["scripts/build-evm.mjs", "scripts/build-execution.mjs", "scripts/build-dashboard.mjs"],
    experimental: { fsModuleCache: true },
    setupFiles: ["scripts/mutants/first-failure.mjs"],
    sequence: {
      sequencer: class {
        sort = (files) => files;
        shard = (files) => files;
      },
    },
    reporters: [
      {
        onTestModuleStart: tellAlive,
        onTestCaseReady: tellAlive,
        onTestCaseResult: tellAlive,
        onTestModuleEnd: (module) =>
          process.send({ kind: "end", number: numberOf(module), failures: failuresOf(module) }),
      },
    ],
  },
  { plugins: [variants] },
);
await vitest.standalone();
process.on("message", async (batch) => {
  for (const { number, file, text, dependents } of batch)
    mutants.set(number, { file, text, dependents: new Set(dependents) });
  const project = vitest.getRootProject();
  const specifications = batch.flatMap(({ number, tests }) =>
    tests.map((test) => project.createSpecification(`${resolve(test)}?mutant=${number}`)),
  );
  await vitest.runTestSpecifications(specifications, true);
  process.send({ kind: "done" });
});
process.send({ kind: "ready" });
