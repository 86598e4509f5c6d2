import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hold } from "../row.ts";
import type { SampleFolder } from "./sample-folder.ts";

const READER = fileURLToPath(new URL("./read-all.mjs", import.meta.url));

/** Results of reading folders with a flipped bit. */
export interface FlipCounts {
  /** All responses as before. */
  unharmed: number;
  /** Refused to start, or returned errors for damaged data. */
  refused: number;
  /** Killed by a signal, never with a wrong response. */
  died: number;
}

/** Responses by request, read by a separate process; undefined if it crashed. */
async function readAll({ path, contract }: SampleFolder): Promise<readonly string[] | undefined> {
  const output = join(path, "answers");
  rmSync(output, { force: true });
  const child = spawn(process.execPath, [READER, path, output, contract], { stdio: "ignore" });
  const [code] = await once(child, "close");
  return code === null ? undefined : readFileSync(output, "utf8").split("\n");
}

/**
 * Flips one bit of one file at a time, each in a copy of a folder, and reads everything in it.
 * @param places - which bits: file in the data folder, byte, bit
 * @throws Error if a response differs from that of the intact folder
 */
export async function readFlipped(
  folder: SampleFolder,
  places: readonly { readonly file: string; readonly byte: number; readonly bit: number }[],
): Promise<FlipCounts> {
  const copy = { ...folder, path: `${folder.path}-copy` };
  const counts: FlipCounts = { unharmed: 0, refused: 0, died: 0 };
  const fresh = (): void => {
    rmSync(copy.path, { recursive: true, force: true });
    cpSync(folder.path, copy.path, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  };
  fresh();
  const whole = (await readAll(copy)) ?? [];
  const expected = new Set(whole);
  hold(expected.size > 100, `the unharmed folder answers ${[...expected].join(" ").slice(0, 300)}`);
  for (const { file, byte, bit } of places) {
    fresh();
    const path = join(copy.path, file);
    const bytes = readFileSync(path);
    bytes[byte] = (bytes[byte] as number) ^ (1 << bit);
    writeFileSync(path, bytes);
    const answers = await readAll(copy);
    if (answers === undefined) {
      counts.died++;
      continue;
    }
    const others = answers.filter((line) => !expected.has(line));
    const wrong = others.find((line) => !/ ERROR |^REFUSED |^health /.test(line));
    hold(wrong === undefined, `bit ${bit} of byte ${byte} of ${file}: ${wrong?.slice(0, 400)}`);
    // A rejected folder gives no other response; an error replaces one response.
    const isCut = answers.length !== whole.length && !others.some((line) => / ERROR |^REFUSED /.test(line));
    hold(!isCut, `bit ${bit} of byte ${byte} of ${file}: ${answers.length} of ${whole.length} responses`);
    counts[others.length === 0 ? "unharmed" : "refused"]++;
  }
  rmSync(copy.path, { recursive: true, force: true });
  return counts;
}

/** Names of non-empty segments of the log. */
export function filledSegments(folder: string): string[] {
  const chaindata = join(folder, "chaindata");
  return readdirSync(chaindata)
    .filter((name) => name.startsWith("log-") && statSync(join(chaindata, name)).size > 0)
    .map((name) => join("chaindata", name));
}
