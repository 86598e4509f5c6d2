import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSeededRandomness } from "../../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ACKNOWLEDGED } from "../../database/log/acknowledged.ts";
import { SEGMENT_START } from "../../database/log/frame.ts";
import { openDatabase } from "../../database/open-database.ts";
import { DatabaseStateStore } from "./database-state-store.ts";

const { files, timers } = systemRuntime;

/** 60 rounds take a minute. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 3);
const CHILD = fileURLToPath(new URL("../testing/kill-child.ts", import.meta.url));
const LONGEST_LIFE_MS = 700;

const { bytes } = createSeededRandomness(Number(process.env["KILL_SEED"] ?? 1));
const random = (below: number): number => new DataView(bytes(4).buffer).getUint32(0) % below;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kairn-kill-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Output of the writers: states by sequence and root, and the last acknowledged sequence. */
class Announcements {
  readonly #states = new Set<string>(["0 -1"]);
  acknowledged = 0;
  #newest = 0;

  read(output: string): void {
    for (const line of output.split("\n").slice(0, -1)) {
      const [word, sequence, number, root] = line.split(" ");
      if (word === "state") {
        this.#states.add(`${sequence} ${number} ${root}`);
        this.#newest = Number(sequence);
      }
      if (word === "ack") this.acknowledged = Math.max(this.acknowledged, Number(sequence));
    }
  }

  /** Whether a state was announced, or may have been written just before the kill, unannounced. */
  includes(state: string, sequence: number): boolean {
    return this.#states.has(state) || sequence === this.#newest + 1;
  }

  /** The next writer continues from here; later states are lost. */
  restart(state: string, sequence: number): void {
    this.#states.add(state);
    this.acknowledged = sequence;
    this.#newest = sequence;
  }
}

async function runUntilKilled(round: number): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", CHILD, directory, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const closed = new Promise((resolve) => child.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the writer ended with ${code}: ${output.slice(-500)}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("open\n")) resolve();
    });
  });
  // The kill comes at a random moment; no time is asserted.
  await new Promise((resolve) => setTimeout(resolve, random(LONGEST_LIFE_MS)));
  child.kill("SIGKILL");
  await closed;
  return output;
}

/** Opens the database of a killed writer, verifies it, and returns its state. */
async function recovered(
  folder: string,
): Promise<{ state: string; sequence: number; close: () => Promise<void> }> {
  const database = await openDatabase({ engine: "lmdb", directory: folder, files, timers });
  try {
    const store = new DatabaseStateStore(database, { recentBlocks: 64, archive: false });
    store.verify();
    const { sequence } = database;
    const { head } = store;
    const state = head ? `${sequence} ${head.number} ${bytesToHex(head.root)}` : `${sequence} -1`;
    return { state, sequence, close: () => (random(2) ? store.close() : database.abandon()) };
  } catch (error) {
    await database.abandon();
    throw error;
  }
}

/**
 * Truncates the newest log segment that has records after its beginning, or changes a byte there.
 * @returns whether it was truncated; undefined if there is nothing to damage
 */
function damageLog(folder: string): boolean | undefined {
  const segments = readdirSync(folder)
    .filter((name) => name.startsWith("log-"))
    .sort();
  const last = segments.findLast((name) => statSync(join(folder, name)).size > SEGMENT_START);
  if (!last) return undefined;
  const path = join(folder, last);
  const content = readFileSync(path);
  const at = SEGMENT_START + random(content.length - SEGMENT_START);
  const isCut = random(2) === 1;
  if (isCut) {
    truncateSync(path, at);
    rmSync(join(folder, ACKNOWLEDGED), { force: true }); // it would tell that acknowledged records are gone
  } else {
    content[at] = (content[at] as number) ^ 0x40;
    writeFileSync(path, content);
  }
  return isCut;
}

it("loses nothing acknowledged when killed, and opens truncated logs at an announced state", async () => {
  const announcements = new Announcements();
  for (let round = 0; round < ROUNDS; round++) {
    announcements.read(await runUntilKilled(round));

    const copy = `${directory}-copy`;
    cpSync(directory, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
    const isCut = damageLog(copy);
    const damaged = await recovered(copy).catch((error) => error);
    // A changed byte is distinguished from a torn write, and rejected.
    if (isCut === false) expect(damaged).toMatchObject({ code: "LOG_DAMAGED" });
    else {
      expect(announcements.includes(damaged.state, damaged.sequence), damaged.state).toBe(true);
      await damaged.close();
    }
    rmSync(copy, { recursive: true });

    const { state, sequence, close } = await recovered(directory);
    expect(announcements.includes(state, sequence), state).toBe(true);
    expect(sequence).toBeGreaterThanOrEqual(announcements.acknowledged);
    announcements.restart(state, sequence);
    await close();
  }
}, 600_000);
