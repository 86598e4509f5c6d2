import { readFileSync } from "node:fs";
import { type Finished, type KairnProcess, startKairn } from "../../e2e/kairn-process.ts";

/** Peak memory of a process so far, in MiB; 0 if not available, or if it has exited. */
export function peakMemory(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** A finished command, with its time and memory. */
export interface Watched extends Finished {
  readonly seconds: number;
  readonly mebibytes: number;
}

/** Runs a command and watches its memory; stops it after `mostSeconds`. */
export async function watchKairn(args: readonly string[], mostSeconds: number): Promise<Watched> {
  const began = performance.now();
  const { child, exited, printed }: KairnProcess = startKairn(args);
  let mebibytes = 0;
  const looking = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakMemory(child.pid));
  }, 10);
  const late = setTimeout(() => child.kill("SIGKILL"), 1000 * mostSeconds);
  const code = await exited;
  clearInterval(looking);
  clearTimeout(late);
  return { code, ...printed, seconds: (performance.now() - began) / 1000, mebibytes };
}

/** A running node, called over HTTP. */
export interface Victim {
  readonly pid: number | undefined;
  readonly url: string;
  /** @returns the result @throws Error with the error's text */
  ask(method: string, ...params: unknown[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a development node in memory on free ports. */
export async function startVictim(...args: readonly string[]): Promise<Victim> {
  const ports = ["--rpcport", "0", "--wsport", "0", "--json"];
  const started = startKairn(["dev", "--ephemeral", ...ports, ...args]);
  const { endpoints } = JSON.parse(await started.firstLine()) as { endpoints: { http: string } };
  return {
    pid: started.child.pid,
    url: endpoints.http,
    async ask(method, ...params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const response = await fetch(endpoints.http, { method: "POST", headers, body });
      const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
    async stop() {
      started.child.kill("SIGTERM");
      await started.exited;
    },
  };
}
