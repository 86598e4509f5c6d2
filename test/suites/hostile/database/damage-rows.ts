import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSeededRandomness } from "../../../../src/platform/runtime/simulated.ts";
import { hold } from "../row.ts";
import { type Damage, type Outcomes, outcomesText, readDamaged } from "./damaged-files.ts";
import type { Outcome } from "./read-folder.ts";
import { type Ending, type SampleFolder, sampleFolder } from "./sample-folder.ts";

const STORE = "chaindata/store.mdb";
const BLOCKS = 40;

type Random = (below: number) => number;

function seededRandom(seed: number): Random {
  const { bytes } = createSeededRandomness(seed);
  return (below) => new DataView(bytes(4).buffer).getUint32(0) % below;
}

/** Changes `count` bits of the database's file anywhere, and a fifth as many within rows, history among them. */
export async function flipStore(count: number): Promise<string> {
  const random = seededRandom(12);
  return inSample("stopped", async (folder) => {
    const { size } = statSync(join(folder.path, STORE));
    const flip = (byte: number): Damage => ({ file: STORE, what: "bit", at: byte, bit: random(8) });
    const aimed = rowsOf(folder);
    hold(aimed.length > 50, "no rows of the contract in the file");
    const anywhere = Array.from({ length: count }, () => flip(random(size)));
    const inRows = Array.from({ length: Math.max(3, Math.ceil(count / 5)) }, () =>
      flip((aimed[random(aimed.length)] as number) + random(24)),
    );
    const allowed = (): readonly Outcome[] => ["refused", "errors", "unharmed"];
    const text = outcomesText(await readDamaged(folder, anywhere, allowed));
    return `anywhere ${text}; in rows ${outcomesText(await readDamaged(folder, inRows, allowed))}`;
  });
}

/** Offsets in the file where a row starts with the contract's address: its account now and at earlier blocks. */
function rowsOf({ path, contract }: SampleFolder): number[] {
  const file = readFileSync(join(path, STORE));
  const needle = Buffer.from(contract.slice(2), "hex");
  const places: number[] = [];
  for (let at = file.indexOf(needle); at >= 0; at = file.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** Changes bits of the log of a node that was killed: this once lost all later blocks. */
export async function flipLog(count: number): Promise<string> {
  const random = seededRandom(18);
  return inSample("killed", async (folder) => {
    const file = filesOf(folder).find(({ name, size }) => isLog(name) && size > 100);
    hold(file !== undefined, "no log in the folder");
    const damages = Array.from({ length: count }, (): Damage => {
      return { file: file.name, what: "bit", at: random(file.size), bit: random(8) };
    });
    return outcomesText(await readDamaged(folder, damages, () => ["refused"]));
  });
}

/** Removes, empties, cuts and zeroes each file of folders whose node stopped, was killed, or was killed after a restart. */
export async function loseFiles(times: number, endings: readonly Ending[]): Promise<string> {
  const random = seededRandom(21);
  const total: Outcomes = {};
  for (const ending of endings)
    await inSample(ending, async (folder) => {
      const damages = filesOf(folder).flatMap((file) => lossesOf(file, times, random));
      const outcomes = await readDamaged(folder, damages, (damage) => allowedFor(damage, ending));
      for (const [name, count] of Object.entries(outcomes) as [Outcome, number][])
        total[name] = (total[name] ?? 0) + count;
    });
  return outcomesText(total);
}

function lossesOf({ name: file, size }: FileOf, times: number, random: Random): Damage[] {
  const each: Damage[] = [{ file, what: "removed" }];
  if (size === 0) return each;
  each.push({ file, what: "cut", at: 0 }, { file, what: "zeros", at: 0 });
  const blocks = Math.ceil(size / 4096);
  const hasContent = file === STORE || isLog(file) || file === "transactions.rlp";
  for (let i = 0; i < (hasContent ? times : 1); i++) {
    each.push({ file, what: "cut", at: random(size) });
    if (blocks > 1) each.push({ file, what: "zeros", at: 4096 * random(blocks) });
  }
  return each;
}

/** What may become of a folder by the file that was damaged; never a death by a signal. */
function allowedFor({ file, what, at }: Damage, ending: Ending): readonly Outcome[] {
  const isLost = what === "removed" || (what === "cut" && at === 0);
  // a database that has nothing yet is made again from the log
  if (file === STORE && ending === "killed") return isLost ? ["told"] : ["told", "refused", "unharmed"];
  if (file === STORE) return isLost ? ["refused"] : ["refused", "errors", "unharmed"];
  // what ends as an interrupted write would, within its last sectors, is taken for one
  if (isLog(file)) return isLost ? ["refused"] : ["refused", "cut"];
  if (file.startsWith("chaindata/")) return ["unharmed"];
  // nothing else knows what keys and waiting transactions there were
  return isLost ? ["unsaid", "told"] : ["told"];
}

function isLog(file: string): boolean {
  return file.startsWith("chaindata/log-");
}

interface FileOf {
  /** Within the folder. */
  readonly name: string;
  readonly size: number;
}

function filesOf({ path }: SampleFolder): FileOf[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, stat: statSync(join(path, name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ name, stat: { size } }) => ({ name, size }));
}

async function inSample<T>(ending: Ending, use: (folder: SampleFolder) => Promise<T>): Promise<T> {
  const folder = await sampleFolder(BLOCKS, ending);
  try {
    return await use(folder);
  } finally {
    rmSync(folder.path, { recursive: true });
  }
}
