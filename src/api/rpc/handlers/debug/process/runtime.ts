import type { DumpFolder } from "../../../../../platform/telemetry/dump-folder.ts";
import type { EventTrace } from "../../../../../platform/telemetry/event-trace.ts";
import type { GarbageCollector } from "../../../../../platform/telemetry/garbage-collector.ts";
import { LEVELS, type LogLevels } from "../../../../../platform/telemetry/logger.ts";
import type { LoopDelay } from "../../../../../platform/telemetry/loop-delay.ts";
import type { Metrics } from "../../../../../platform/telemetry/metrics.ts";
import { metricsTree } from "../../../../../platform/telemetry/metrics-tree.ts";
import type { Profiler } from "../../../../../platform/telemetry/profiler.ts";
import { type ThreadStack, threadStacks } from "../../../../../platform/telemetry/thread-stacks.ts";
import { refused } from "../../../engine/errors.ts";
import type { debugProfiles, debugRuntime } from "../../../spec/debug/runtime.ts";
import type { Handlers } from "../../../spec/method.ts";
import { nullAfter } from "../null-after.ts";
import { gcStats, memStats } from "./memory.ts";
import { type After, checkedSeconds, pause } from "./timed-profile.ts";

/** What the process offers for its own inspection. */
export interface RuntimeDeps {
  readonly collector: GarbageCollector;
  readonly metrics: Metrics;
  readonly profiler: Profiler;
  readonly trace: EventTrace;
  readonly delay: LoopDelay;
  readonly levels: LogLevels;
  /** Where files requested by callers are written. */
  readonly dumps: DumpFolder;
  /** Milliseconds since the process started. */
  readonly uptime: () => number;
  readonly after: After;
}

/** The process itself. */
export function debugRuntimeHandlers(deps: RuntimeDeps): Handlers<typeof debugRuntime> {
  const { collector, levels } = deps;
  return {
    async freeOSMemory() {
      await collector.collect();
      return null;
    },
    gcStats: () => gcStats(collector.collections()),
    memStats: () => memStats(collector, deps.uptime()),
    // The reference keeps 32 signed bits.
    setGCPercent: ({ percent }) => collector.setPercent(Number(BigInt.asIntN(32, percent))),
    stacks,
    verbosity({ level }) {
      levels.setVerbosity(checkedLevel(level));
      return null;
    },
    verbosityByName({ room, level }) {
      levels.setRooms(new Map([[room, checkedLevel(level)]]));
      return null;
    },
    vmodule({ pattern }) {
      levels.setRooms(parsePattern(pattern));
      return null;
    },
    backtraceAt({ location }) {
      if (!/^[^:]+\.go:[+-]?\d+$/.test(location)) throw refused("expect file.go:234");
      return null;
    },
    setVMLogTarget({ target }) {
      if (target < 0n || target > 3n) throw refused("target should be between 0 and 3");
      if (target > 0n) throw refused("this node writes no texts of the contract 0x3fd");
      return "no output";
    },
    metrics: ({ raw }) => metricsTree(deps.metrics, raw),
  };
}

/** Profiles of the process. */
export function debugProfileHandlers({
  profiler,
  after,
  dumps,
}: RuntimeDeps): Handlers<typeof debugProfiles> {
  return {
    async cpuProfile({ file, seconds }, { signal }) {
      const length = checkedSeconds(seconds);
      await profiler.startCpu(dumps.place(file, profiler.lastFile));
      await pause(after, length, signal);
      return nullAfter(profiler.stopCpu());
    },
    startCPUProfile: async ({ file }) => nullAfter(profiler.startCpu(dumps.place(file, profiler.lastFile))),
    stopCPUProfile: () => nullAfter(profiler.stopCpu()),
    writeMemProfile: async ({ file }) => nullAfter(profiler.writeHeap(dumps.place(file))),
    startPProf({ host = "127.0.0.1", port = 6060 }) {
      profiler.openInspector(host, port);
      return null;
    },
    stopPProf() {
      profiler.closeInspector();
      return null;
    },
    isPProfRunning: () => profiler.isInspecting,
  };
}

function checkedLevel(level: number): number {
  if (level >= LEVELS.length) throw refused(`insert log level less than ${LEVELS.length}`);
  if (level < 0) throw refused("insert log level greater than or equal to 0");
  return level;
}

function parsePattern(pattern: string): Map<string, number> {
  const rules = pattern.split(",").filter((rule) => rule.trim() !== "");
  return new Map(rules.map(parseRule));
}

function parseRule(rule: string): [string, number] {
  const parsed = /^\s*([^=\s]+)\s*=\s*(-?\d+)\s*$/.exec(rule);
  if (parsed === null) throw refused("expect comma-separated list of filename=N");
  return [parsed[1] as string, Number(parsed[2])];
}

async function stacks(): Promise<string> {
  const { stack = "" } = new Error("main thread");
  const waiting = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) waiting.set(kind, (waiting.get(kind) ?? 0) + 1);
  const parts = [
    `main thread [running]:\n${stack.split("\n").slice(1).map(withoutFolders).join("\n")}`,
    ...(await threadStacks()).map(threadText),
    `waiting for:\n${[...waiting].map(([kind, count]) => `    ${kind} x ${count}`).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function threadText({ name, frames }: ThreadStack): string {
  if (frames === undefined) return `${name} [waiting for work]`;
  return [`${name} [running]:`, ...frames.map((frame) => withoutFolders(`    at ${frame}`))].join("\n");
}

/** The program's path on the machine is not disclosed. */
function withoutFolders(line: string): string {
  const start = line.indexOf("(") + 1 || line.indexOf("at ") + 3;
  return line.slice(0, start) + line.slice(Math.max(start, line.lastIndexOf("/") + 1));
}
