import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    benchmark: { include: ["bench/**/*.bench.ts"] },
    // compiles the EVM interpreter when its sources changed
    globalSetup: ["scripts/build-evm.mjs"],
    maxWorkers: 2,
  },
});
