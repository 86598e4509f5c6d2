import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Randomness } from "../../platform/runtime/runtime.ts";
import { callerGone, kdfBusy } from "../../wallet/errors.ts";
import {
  type Derivation,
  deriveInProcess,
  type KeyDerivation,
} from "../../wallet/keystore/key-derivation.ts";
import { writeDerivation } from "./derivation-message.ts";
import { workerScript } from "./worker-thread.ts";

/** The key derivations of a node. */
export interface KeyDerivations {
  readonly derive: Derivation;
  /** Aborts derivations in progress, which fail with `CALLER_GONE`. */
  close(): void;
}

/** Costs below which a derivation is not worth a process: a tenth of a second, twice the start of one. */
const INLINE_COSTS = { scryptBlocks: 2 ** 18, rounds: 2 ** 18 };

/**
 * Creates the derivations of a node. A derivation cannot be interrupted, not even in a thread, and a process cannot exit before it is done:
 * so each costly one runs in a process of its own, which is killed when the caller disconnects or the node stops. Cheap ones, those that
 * OpenSSL rejects, and all of them without a built script or if no process can be started, run in this process.
 * @param script - of the process; the built one by default
 */
export function createKeyDerivations(
  randomness: Randomness,
  script: URL | undefined = workerScript("derive-key.js"),
): KeyDerivations {
  const running = new Set<ChildProcess>();
  let isClosed = false;
  return {
    async derive(secret, how, signal) {
      if (isClosed || signal?.aborted) throw callerGone();
      if (script === undefined || isCheap(how)) return deriveInProcess(secret, how);
      const child = start(fileURLToPath(script));
      if (child === undefined) return deriveInProcess(secret, how);
      running.add(child);
      const end = () => child.kill("SIGKILL");
      signal?.addEventListener("abort", end, { once: true });
      try {
        const key = await ask(child, secret, how, randomness);
        if (key !== undefined) return key;
        throw isClosed || signal?.aborted ? callerGone() : kdfBusy(); // killed by the system for lack of memory
      } finally {
        signal?.removeEventListener("abort", end);
        running.delete(child);
      }
    },
    close() {
      isClosed = true;
      for (const child of running) child.kill("SIGKILL");
    },
  };
}

function isCheap(how: KeyDerivation): boolean {
  if (how.kdf === "pbkdf2") return how.c < INLINE_COSTS.rounds;
  return how.n * how.r * how.p < INLINE_COSTS.scryptBlocks || Math.log2(how.n) >= 16 * how.r;
}

/** @returns undefined if no process can be started */
function start(script: string): ChildProcess | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process"); // not loaded at the node's start
  try {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "ignore"], env: {} });
    child.on("error", () => {}); // it has no process id, or its exit event follows
    return child.pid === undefined ? undefined : child;
  } catch {
    return undefined; // under Node's permission model
  }
}

/** @returns the key, or undefined if the process ended early */
async function ask(
  child: ChildProcess,
  secret: Uint8Array,
  how: KeyDerivation,
  randomness: Randomness,
): Promise<Uint8Array | undefined> {
  const { stdin, stdout } = child as ChildProcess & Required<Pick<ChildProcess, "stdin" | "stdout">>;
  const mask = randomness.bytes(how.dklen);
  const message = writeDerivation({ how, secret, mask });
  const key = new Uint8Array(new ArrayBuffer(how.dklen));
  let length = 0;
  stdout?.on("data", (bytes: Buffer) => {
    for (const byte of bytes) {
      key[length] = byte ^ (mask[length] as number);
      length++;
    }
  });
  try {
    stdin?.on("error", () => {}).end(message);
    await once(child, "close");
    return length === key.length ? key : undefined;
  } finally {
    message.fill(0);
    mask.fill(0);
  }
}
