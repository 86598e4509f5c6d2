import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { compareVerdicts } from "../decoding/verdicts.ts";
import { forkRows } from "./bombs/forks.ts";
import { readOddFiles } from "./bombs/odd-files.ts";
import { fuzzRlp } from "./bombs/rlp-fuzz.ts";
import { type HostileRow, hold } from "./row.ts";
import { peakMemory, startVictim, type Victim, watchKairn } from "./watched.ts";

/** Maximum time for a command to reject a file, including its start. */
const SOON_S = 20;
/** Maximum memory of such a command, in MiB; its start alone takes some 150. */
const LITTLE_MIB = 450;

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-hostile-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A block that claims 256 MiB, and contains zeros: 205 KB that once took 120 s and 5.6 GB. */
const CLAIM = gzipSync(Buffer.concat([Buffer.from("fb0fffffff", "hex"), Buffer.alloc(200 << 20)]));
/** Blocks of one byte. */
const CRUMBS = gzipSync(Buffer.alloc(100 << 20, 0xc0));

async function importBombs(): Promise<string> {
  return inFolder(async (folder) => {
    const figures: string[] = [];
    for (const [name, bytes] of Object.entries({ claim: CLAIM, crumbs: CRUMBS })) {
      const file = join(folder, `${name}.rlp.gz`);
      writeFileSync(file, bytes);
      const data = ["--datadir", join(folder, name), "--testnet"];
      const { code, stderr, seconds, mebibytes } = await watchKairn(["import", ...data, file], SOON_S);
      hold(code !== 0 && code !== null, `${name}: exited with ${code}`);
      hold(stderr.includes(file), `${name}: ${stderr}`);
      hold(mebibytes < LITTLE_MIB, `${name}: ${mebibytes} MiB`);
      figures.push(
        `${(bytes.length / 1024).toFixed(0)} KB ${seconds.toFixed(1)} s, ${mebibytes.toFixed(0)} MiB`,
      );
    }
    return figures.join("; ");
  });
}

/** Dumps of states that unpack to 200 MiB: blanks, nesting, numbers, and an endless name. */
const DUMPS: Readonly<Record<string, Buffer>> = {
  blanks: Buffer.concat([Buffer.from('{"accounts":'), Buffer.alloc(200 << 20, " ")]),
  levels: Buffer.alloc(60 << 20, "["),
  values: Buffer.from(`{"accounts":[${"[],".repeat(15_000_000)}[]]}`),
  name: Buffer.concat([Buffer.from('{"'), Buffer.alloc(60 << 20, "a")]),
  decimal: Buffer.from(
    `{"accounts":{"0x${"11".repeat(20)}":{"nonce":0,"balance":"${"9".repeat(30_000_000)}"}}}`,
  ),
};

/** A valid state of 400,000 slots, which is committed, not only parsed. */
const SOUND = gzipSync(
  `{"accounts":{"0x${"12".repeat(20)}":{"nonce":1,"balance":"0x1","code":"0x6001","storage":{${Array.from(
    { length: 400_000 },
    (_, i) => `"0x${i.toString(16)}":"0x${"5a".repeat(32)}"`,
  ).join(",")}}}}}`,
);
/** How long the idle node is observed, to distinguish the machine's stalls from the node's. */
const IDLE_MS = 3000;
/** What a load may add to the p99 wait, in milliseconds, beyond this multiple of the idle node's. */
const ADDED_MS = 150;
const TIMES_IDLE = 16;

/** Maximum peak memory of a load. */
const MAX_GROWTH_MIB = 700;

/** How long others wait during some work, in milliseconds: p99 and maximum. */
async function waitsBeside(victim: Victim, work: () => Promise<void>): Promise<{ p99: number; max: number }> {
  const waits: number[] = [];
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      const began = performance.now();
      await victim.ask("eth_blockNumber");
      waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await others;
  }
  waits.sort((a, b) => a - b);
  return { p99: waits[Math.floor(waits.length * 0.99)] ?? 0, max: waits.at(-1) ?? 0 };
}

/** Loads packed states, prepared in advance, while others call; their p99 wait is checked, the maximum is printed. */
async function besideState<T>(
  packed: T,
  load: (victim: Victim, packed: T) => Promise<void>,
): Promise<string> {
  const victim = await startVictim();
  try {
    const before = peakMemory(victim.pid);
    const idle = await waitsBeside(victim, () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
    const read = await waitsBeside(victim, () => load(victim, packed));
    const grown = peakMemory(victim.pid) - before;
    const figures = Object.entries({ idle, beside: read })
      .map(([name, { p99, max }]) => `${name} p99 ${p99.toFixed(0)}, longest ${max.toFixed(0)} ms`)
      .join("; ");
    hold(read.p99 < ADDED_MS + TIMES_IDLE * idle.p99, `others waited: ${figures}`);
    hold(grown < MAX_GROWTH_MIB, `memory grew by ${grown} MiB`);
    return `eth_blockNumber ${figures}; peak +${grown.toFixed(0)} MiB`;
  } finally {
    await victim.stop();
  }
}

async function loadSound(victim: Victim, packed: string): Promise<void> {
  hold((await victim.ask("anvil_loadState", packed)) === true, "a valid state is rejected");
}

async function loadBombs(
  victim: Victim,
  packed: readonly (readonly [name: string, hex: string])[],
): Promise<void> {
  for (const [name, hex] of packed) {
    const outcome = await victim.ask("anvil_loadState", hex).then(
      () => "taken",
      (error: Error) => error.message,
    );
    hold(outcome.startsWith("not a state dump"), `${name}: ${outcome}`);
  }
}

const packedBombs = () => Object.entries(DUMPS).map(([name, dump]) => [name, hexOf(gzipSync(dump))] as const);

function hexOf(bytes: Buffer): string {
  return `0x${bytes.toString("hex")}`;
}

/** Every file that a command reads, replaced by each bomb: rejected soon, with the name of the file, in little memory. */
async function fileBombs(): Promise<string> {
  const deep = `${"[".repeat(500_000)}`;
  const long = Buffer.alloc(65 << 20, " ");
  const readers: Readonly<Record<string, (file: string, data: string) => string[]>> = {
    config: (file, data) => ["node", "--config", file, "--datadir", data],
    genesis: (file, data) => ["init", "--datadir", data, file],
    state: (file) => ["dev", "--ephemeral", "--rpcport", "0", "--wsport", "0", "--load-state", file],
    dapps: (file) => [
      "dev",
      "--ephemeral",
      "--rpcport",
      "0",
      "--fee-payer-port",
      "0",
      "--fee-payer-dapps",
      file,
    ],
    password: (file, data) => ["account", "new", "--datadir", data, "--password", file],
  };
  return inFolder(async (folder) => {
    let [slowest, largest, count] = [0, 0, 0];
    for (const [reader, args] of Object.entries(readers)) {
      for (const [bomb, bytes] of Object.entries({ deep: Buffer.from(deep), long, endless: undefined })) {
        if (reader === "password" && bomb === "deep") continue; // any text is a passphrase
        if (reader === "state" && bomb === "endless") continue; // 512 MiB of it: `loadBombs`
        const file = bytes === undefined ? "/dev/zero" : join(folder, `${reader}-${bomb}`);
        if (bytes !== undefined) writeFileSync(file, bytes);
        const run = await watchKairn(args(file, join(folder, `${reader}-${bomb}-data`)), SOON_S);
        const about = `${reader} ${bomb}: exited with ${run.code}, ${run.stderr.slice(0, 300)}`;
        hold(run.code !== 0 && run.code !== null, about);
        hold(!/ {4}at |RangeError|heap|Maximum call/.test(run.stderr), about);
        hold(run.mebibytes < LITTLE_MIB, `${about}, ${run.mebibytes} MiB`);
        [slowest, largest] = [Math.max(slowest, run.seconds), Math.max(largest, run.mebibytes)];
        count++;
      }
    }
    return `${count} refused, the slowest in ${slowest.toFixed(1)} s, the largest at ${largest.toFixed(0)} MiB`;
  });
}

async function mutatedTransactions(): Promise<string> {
  const { count, taken, differing, untyped } = compareVerdicts();
  hold(differing.length === 0, `${differing.length} differ: ${differing[0]}`);
  hold(untyped.length === 0, `${untyped.length} untyped errors: ${untyped[0]}`);
  return `${count} mutated transactions, ${taken} taken, 0 differ`;
}

/** Files and other nodes: bombs in files, and nodes with harmful responses. */
export const bombs: readonly HostileRow[] = [
  { id: "B1", promise: "archives of blocks cost no more than a block", run: importBombs },
  { id: "B2", promise: "packed bombs do not delay others", run: () => besideState(packedBombs(), loadBombs) },
  {
    id: "B2l",
    promise: "a large packed state does not delay others",
    isLong: true,
    run: () => besideState(hexOf(SOUND), loadSound),
  },
  { id: "F6b", promise: "bad files are rejected, naming the file", run: fileBombs },
  {
    id: "F6c",
    promise: "anything in place of a file stops the start or is read as a file (short: 9 of 136)",
    run: () => readOddFiles((reader, kind) => reader % 2 === 0 && kind === (reader / 2) % 8),
  },
  {
    id: "F6cl",
    promise: "anything in place of a file stops the start or is read as a file",
    isLong: true,
    run: () => readOddFiles(() => true),
  },
  ...forkRows,
  { id: "F1", promise: "RLP is decoded unambiguously or rejected", run: async () => fuzzRlp(100_000) },
  {
    id: "F2",
    promise: "transactions are accepted and rejected like in the reference",
    run: mutatedTransactions,
  },
  {
    id: "F1l",
    promise: "RLP is decoded unambiguously or rejected, 10 M inputs",
    isLong: true,
    run: async () => fuzzRlp(10_000_000),
  },
];
