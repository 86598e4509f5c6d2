import { describe, it } from "vitest";
import { CHANGE_LOG_RULES } from "../../../../test/cluster/change-log.ts";
import { MemoryChangeLog } from "./memory-change-log.ts";

describe("MemoryChangeLog", () => {
  for (const [rule, check] of Object.entries(CHANGE_LOG_RULES))
    it(rule, async () => {
      const log = new MemoryChangeLog(() => 0);
      await check(log, log);
    });
});
