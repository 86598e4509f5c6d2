import { nothing, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, integer, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { method } from "../method.ts";
import type { WireObject } from "../values/wire-types.ts";

const uint = integer("unsigned integer", { goType: "uint", min: 0n, max: MAX_UINT64 });
const level = required(small(int), "0 crit, 1 error, 2 warn, 3 info, 4 debug, 5 trace.");
const file = required(string, "New file in the folder for dumps: a bare name.");
const seconds = required(small(uint), "How long to collect, up to 600.");

/** The process itself: memory, garbage collection, stacks, logs. */
export const debugRuntime = {
  freeOSMemory: method({
    summary: "Runs a full garbage collection now.",
    params: {},
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  gcStats: method({
    summary: "Garbage collections since the start; pauses in nanoseconds, newest first.",
    params: {},
    result: wire<WireObject>("GCStats", {
      type: "object",
      description: "As Go's `debug.GCStats`; see ../debug-runtime.md.",
    }),
    scope: "node",
    unsafe: true,
  }),
  memStats: method({
    summary: "Memory of the process in bytes, in the members of the Go runtime's MemStats.",
    params: {},
    result: wire<WireObject>("MemStats", {
      type: "object",
      description: "As Go's `runtime.MemStats`; see ../debug-runtime.md.",
    }),
    scope: "node",
    unsafe: true,
  }),
  setGCPercent: method({
    summary:
      "Sets by how many percent the heap may grow between two collections; returns the previous setting.",
    params: { percent: required(int, "100 leaves it to V8; a negative number means hardly ever.") },
    result: small(int),
    scope: "node",
    unsafe: true,
  }),
  stacks: method({
    summary: "Stack of the main thread and what the process is waiting for.",
    params: {},
    result: string,
    scope: "node",
    unsafe: true,
  }),
  verbosity: method({
    summary: "Sets the log level.",
    params: { level },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  verbosityByName: method({
    summary: "Sets the log level of one module of the node.",
    params: {
      room: required(string, "Name as in log lines: `rpc`, `txpool`, `consensus`."),
      level,
    },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  vmodule: method({
    summary: "Sets the log levels of single modules, which override the general one.",
    params: { pattern: required(string, "`room=level`, separated by commas; `*` ends a name.") },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  backtraceAt: method({
    summary:
      "Accepts a line of the Go node's source, such as `file.go:234`. This node has no such lines, so it has no effect.",
    params: { location: required(string, "File and line.") },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  setVMLogTarget: method({
    summary:
      "Sets where the output of the vmLog precompile (0x3fd) goes, and returns that as text. This node writes it nowhere: only 0 is accepted.",
    params: { target: required(int, "0 none, 1 file, 2 standard output, 3 both.") },
    result: string,
    scope: "node",
    unsafe: true,
  }),
  metrics: method({
    summary: "All metrics, nested at the `/` of their names.",
    params: { raw: required(boolean, "Numbers instead of texts.") },
    result: wire<WireObject>("Metrics", {
      type: "object",
      description: "Counters and meters in a tree of names.",
    }),
    scope: "node",
  }),
};

/** Profiles of the process, in the formats of Chrome's developer tools. */
export const debugProfiles = {
  cpuProfile: method({
    summary: "Samples the stack for some seconds and writes a .cpuprofile.",
    params: { file, seconds },
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  startCPUProfile: method({
    summary: "Starts a CPU profile.",
    params: { file },
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  stopCPUProfile: method({
    summary: "Ends the CPU profile and writes it.",
    params: {},
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  writeMemProfile: method({
    summary: "Writes a .heapsnapshot. The node is unresponsive meanwhile.",
    params: { file },
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  startPProf: method({
    summary: "Opens Node's inspector to debuggers on this machine; its URL is printed to standard error.",
    params: {
      host: optional(string, "Loopback address; default 127.0.0.1."),
      port: optional(small(int), "Default 6060."),
    },
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  stopPProf: method({
    summary: "Closes the inspector.",
    params: {},
    result: nothing,
    scope: "host",
    unsafe: true,
  }),
  isPProfRunning: method({
    summary: "Whether debuggers can connect.",
    params: {},
    result: boolean,
    scope: "host",
    unsafe: true,
  }),
};
