// The child of run.mjs: runs the tests of many mutants in one worker, which imports modules not affected by mutants only once.
// A file that imports a changed one, directly or not, is a separate module per mutant, with the number in its id.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { createVitest } from "vitest/node";

const MARK = /[?&]mutant=(\d+)$/;
/** A test that takes longer counts as failed. */
const TEST_MS = 30_000;
/** By number: the path and the changed text of a file, and the files that import it. */
const mutants = new Map();

const variants = {
  name: "mutants",
  enforce: "pre",
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
    return relative(".", path) === mutant.file ? mutant.text : readFileSync(path, "utf8");
  },
};

const numberOf = ({ moduleId }) => Number(MARK.exec(moduleId)[1]);
const report = (module) => process.send({ number: numberOf(module), isOver: true, ok: module.ok() });

const vitest = await createVitest(
  "test",
  {
    ...{ config: false, watch: false, isolate: false, maxWorkers: 1, fileParallelism: false },
    ...{ include: ["src/**/*.test.ts"], testTimeout: TEST_MS, hookTimeout: TEST_MS },
    ...{ restoreMocks: true, unstubEnvs: true, env: { P2P_ADDR: "127.0.0.1" } },
    globalSetup: ["scripts/build-evm.mjs", "scripts/build-execution.mjs", "scripts/build-dashboard.mjs"],
    reporters: [
      {
        onTestModuleStart: (module) => process.send({ number: numberOf(module) }),
        onTestModuleEnd: report,
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
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
  for (const error of unhandledErrors) {
    const number = MARK.exec(error.VITEST_TEST_PATH ?? "")?.[1];
    if (number !== undefined)
      process.send({ number: Number(number), isOver: true, isStray: true, ok: false });
  }
  process.send({ isDone: true });
});
process.send({ isReady: true });
