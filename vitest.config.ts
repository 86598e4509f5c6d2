import { defineConfig } from "vitest/config";
import { faultSites } from "./test/contract/fault-sites.ts";

/** Files that change something their process shares: a module, V8's flags, the environment. */
const ALONE = [
  "src/cli/commands/import.test.ts",
  "src/node/tests/calls/evm-compile.test.ts",
  "test/contract/**/*.test.ts",
];

/** Their sources are transformed. */
const FAULTS = "test/contract/*-faults.test.ts";

/** Tests of the sources, which share the machine. */
const UNIT = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
  sequence: { groupOrder: 0 },
};

export default defineConfig({
  test: {
    // tests that depend on timing may fail once on a busy machine
    retry: process.env["CI"] ? 1 : 0,
    // a safety net for busy machines, not a measurement
    expect: { poll: { timeout: 15_000 } },
    // nodes under test accept no connections from other machines
    env: { P2P_ADDR: "127.0.0.1" },
    benchmark: { include: ["bench/**/*.bench.ts"] },
    // compiles the EVM interpreter when its sources changed, bundles the thread in which calls are executed, builds the dashboard's page
    globalSetup: ["scripts/build-evm.mjs", "scripts/build-execution.mjs", "scripts/build-dashboard.mjs"],
    projects: [
      {
        // modules cache only results of pure functions, so test files share what they import, which is most of their cost
        extends: true,
        test: {
          ...{ name: "unit", include: ["src/**/*.test.ts"], exclude: ALONE },
          ...{ isolate: false, restoreMocks: true, unstubEnvs: true },
          ...UNIT,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, exclude: [FAULTS], ...UNIT } },
      { extends: true, plugins: [faultSites()], test: { name: "faults", include: [FAULTS], ...UNIT } },
      {
        // the built program, in processes that mostly wait: patient with slow machines
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
