import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNode } from "../../../../src/node/create-node.ts";
import type { Runtime } from "../../../../src/platform/runtime/runtime.ts";
import { systemRuntime } from "../../../../src/platform/runtime/system.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { type HostileRow, hold } from "../row.ts";

/**
 * The parts of the machine that can fail, and how many calls of each, in one of the runs below, are tested. Timers and clocks
 * cannot: a throw in the turn of a timer is a defect, which ends a process with a crash file.
 */
const BOUNDARIES = { files: 60, randomness: 12 } as const;
type Boundary = keyof typeof BOUNDARIES;

/** Maximum duration of a call after a failure; retries take less. */
const CALL_MS = 20_000;

/** Makes the n-th call across a boundary fail, in one run of a node after the other. */
export function failingBoundaries(id: string, step: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: "a failure of any call of files or randomness ends in an error of the caller",
    isLong,
    async run() {
      const unhandled: string[] = [];
      const note = (error: unknown) => unhandled.push((error as Error).stack ?? String(error));
      process.on("unhandledRejection", note);
      process.on("uncaughtException", note);
      let [lives, failed, refused] = [0, 0, 0];
      try {
        for (const [boundary, max] of Object.entries(BOUNDARIES) as [Boundary, number][])
          for (let n = 1; n <= max; n += step) {
            const failing = failingAt(boundary, n);
            refused += await live(failing.runtime, `${boundary} ${n}`);
            lives++;
            hold(unhandled.length === 0, `call ${n} of ${boundary}: ${unhandled.join("; ")}`);
            if (!failing.hasFailed()) break; // it has fewer calls
            failed++;
          }
      } finally {
        process.off("unhandledRejection", note);
        process.off("uncaughtException", note);
      }
      return `${failed} failures in ${lives} lives, ${refused} calls refused, 0 rejections or exceptions unhandled`;
    },
  };
}

/** Starts a node, uses and stops it. @returns how many of these steps were refused */
async function live(runtime: Runtime, name: string): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-boundary-"));
  let refused = 0;
  const tried = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await inTime(work(), name);
    } catch (error) {
      hold(!(error instanceof LateError), (error as Error).message);
      refused++;
      return undefined;
    }
  };
  try {
    const node = await tried(() => createNode({ dev: true, dataDir, ipc: false, runtime }));
    if (node === undefined) return refused;
    const [from] = node.dev?.accounts ?? [];
    const sender = from && bytesToHex(from.address);
    for (const [method, ...params] of [
      ["eth_sendTransaction", { from: sender, to: sender, value: "0x1" }],
      ["evm_snapshot"],
      ["evm_mine"],
      ["anvil_setBalance", sender, "0x1234567"],
      ["personal_newAccount", "secret"],
      ["evm_revert", "0x1"],
      ["eth_getLogs", { fromBlock: "0x0" }],
    ] as const)
      await tried(() => node.provider.request({ method, params }));
    await tried(() => node.stop());
    // Effects of a late cancellation would appear in a later turn.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return refused;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class LateError extends Error {}

async function inTime<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`${name}: no response within ${CALL_MS} ms`)), CALL_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The real machine, except for one call. */
function failingAt(boundary: Boundary, n: number): { runtime: Runtime; hasFailed: () => boolean } {
  let calls = 0;
  // biome-ignore lint/suspicious/noExplicitAny: any function of the boundary, and of what it opens
  const wrap = (part: any): any =>
    new Proxy(part, {
      get(target, key) {
        const value = target[key];
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (++calls === n) {
            const error = Object.assign(new Error(`EIO: call ${n} of ${boundary}`), { code: "EIO" });
            // As the real call does: a rejection that nobody handles would not be noticed in a throw.
            if (REJECTS.has(key)) return Promise.reject(error);
            throw error;
          }
          const result = value.apply(target, args);
          return OPENS.has(key) ? wrap(result) : result;
        };
      },
    });
  return {
    runtime: { ...systemRuntime, [boundary]: wrap(systemRuntime[boundary]) },
    hasFailed: () => calls >= n,
  };
}

/** Calls that answer with a promise. */
const REJECTS: ReadonlySet<string | symbol> = new Set(["append", "replace", "lock"]);
const OPENS: ReadonlySet<string | symbol> = new Set(["openAppend", "openRewritable"]);
