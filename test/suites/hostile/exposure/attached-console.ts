import { readFileSync } from "node:fs";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { hold } from "../row.ts";

/** Characters that terminals interpret: colours, titles, the clipboard, bells, returns, C1, directions, invisible letters. */
export const EVIL =
  "\u001b[31m\u001b]0;x\u0007\u001b]52;c;eA==\u001b\\\u009b2J\u009d\u0090\r\b\u007f\u202e\u2066\u200b\u2028\u{e0041}";
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Of the console's memory; its own is some 150 MiB. */
const MAX_RESIDENT = 900 * 2 ** 20;
const MAX_MS = 40_000;

/**
 * Attaches a console to a hostile node and evaluates a text there. The console must end by itself, within its memory, without a stack, and
 * print nothing that a terminal interprets.
 * @returns the console's peak memory, in bytes
 */
export async function attachTo(
  address: string,
  typed: string,
  flags: readonly string[] = [],
): Promise<number> {
  const started = startKairn(["attach", address, "--exec", typed, ...flags]);
  const late = setTimeout(() => started.child.kill("SIGKILL"), MAX_MS);
  const watch = new PeakMemory(started.child.pid as number);
  const code = await started.exited;
  clearTimeout(late);
  const { stdout, stderr } = started.printed;
  hold(code === 0 || code === 1, `${typed}: exited with ${code}: ${stderr.slice(0, 500)}`);
  for (const text of [stdout, stderr])
    hold(
      !OBEYED.test(text),
      `${typed}: shows ${JSON.stringify(OBEYED.exec(text))} in ${JSON.stringify(text.slice(0, 500))}`,
    );
  hold(!/node:internal|\.cjs:\d+/.test(stderr), `${typed}: ${stderr}`);
  const peak = watch.stop();
  hold(peak < MAX_RESIDENT, `${typed}: ${peak} bytes of memory`);
  return peak;
}

/** Samples the memory of a process, if the system provides it. */
class PeakMemory {
  #peak = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      this.#peak = Math.max(this.#peak, residentOf(pid));
    }, 50);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#peak;
  }
}

function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has exited, or there is no /proc
  }
}
