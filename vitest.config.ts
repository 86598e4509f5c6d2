import { defineConfig } from "vitest/config";

/** Files that change what their process shares: a module, V8's flags, the environment. */
const ALONE = ["src/node/tests/calls/evm-compile.test.ts", "test/contract/**/*.test.ts"];

/** Tests of the sources, which share the machine. */
const UNIT = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
  sequence: { groupOrder: 0 },
};

export default defineConfig({
  test: {
    // what goes by the clock may fail once on a machine that is busy with other things
    retry: process.env["CI"] ? 1 : 0,
    // a net for machines that are busy, not a measure
    expect: { poll: { timeout: 15_000 } },
    // nodes under test let no other machine connect
    env: { P2P_ADDR: "127.0.0.1" },
    benchmark: { include: ["bench/**/*.bench.ts"] },
    // compiles the EVM interpreter when its sources changed, bundles the thread in which calls are executed, builds the dashboard's page
    globalSetup: ["scripts/build-evm.mjs", "scripts/build-execution.mjs", "scripts/build-dashboard.mjs"],
    projects: [
      {
        // modules remember nothing but results of pure functions, so that files share what they import: it is most of their cost
        extends: true,
        test: {
          ...{ name: "unit", include: ["src/**/*.test.ts"], exclude: ALONE },
          ...{ isolate: false, restoreMocks: true, unstubEnvs: true },
          ...UNIT,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, ...UNIT } },
      {
        // the built program, processes of its own that mostly wait: patient with slow machines
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
