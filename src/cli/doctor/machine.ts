import { availableParallelism, totalmem } from "node:os";
import { readTextWithin } from "../../platform/intake/read-file.ts";
import { bad, doubtful, type Finding, good } from "./finding.ts";

/** The minimum version of Node that is tested, as in package.json. */
const MIN_NODE_VERSION = [20, 19] as const;
const GIB = 2 ** 30;
const MIN_MEMORY = GIB;
const ENOUGH_MEMORY = 4 * GIB;
const ENOUGH_FILES = 4096;

/** The resources of the process; tests pass their own. */
export interface HostMachine {
  /** `20.20.2` */
  readonly nodeVersion: string;
  /** Bytes, of the container where there is one. */
  readonly memory: number;
  readonly cores: number;
  /** Files that may be open at once; undefined if unknown. */
  readonly openFiles: number | undefined;
}

/** This machine. */
export function thisMachine(): HostMachine {
  const constrained = process.constrainedMemory?.() ?? 0;
  return {
    nodeVersion: process.versions.node,
    memory: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(),
    cores: availableParallelism(),
    openFiles: openFiles(),
  };
}

function openFiles(): number | undefined {
  try {
    const line = readTextWithin("/proc/self/limits")
      .split("\n")
      .find((text) => text.startsWith("Max open files"));
    const [soft] = (line ?? "").slice("Max open files".length).trim().split(" ");
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : soft ? Number(soft) : undefined;
  } catch {
    return undefined; // not Linux
  }
}

/** Whether version, memory and limits suffice for a node. */
export function checkMachine({ nodeVersion, memory, cores, openFiles: files }: HostMachine): Finding[] {
  const findings = [checkVersion(nodeVersion), checkMemory(memory)];
  findings.push(
    cores > 1
      ? good("processor", `${cores} cores`)
      : doubtful("processor", "one core", "long calls and traces compete with the node: give it two"),
  );
  if (files === undefined) return findings;
  const isEnough = files >= ENOUGH_FILES;
  const advice = "raise it: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536";
  findings.push(
    isEnough ? good("open files", `at most ${files}`) : doubtful("open files", `at most ${files}`, advice),
  );
  return findings;
}

function checkVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor, minMinor] = MIN_NODE_VERSION;
  const isEnough = major > minMajor || (major === minMajor && minor >= minMinor);
  if (isEnough) return good("Node.js", version);
  return bad("Node.js", version, `install ${MIN_NODE_VERSION.join(".")} or later: https://nodejs.org`);
}

function checkMemory(memory: number): Finding {
  const text = `${(memory / GIB).toFixed(1)} GiB`;
  if (memory < MIN_MEMORY) return bad("memory", text, "give the machine or container at least 1 GiB");
  if (memory < ENOUGH_MEMORY)
    return doubtful("memory", text, "enough for a development chain; a public network wants 4 GiB");
  return good("memory", text);
}
