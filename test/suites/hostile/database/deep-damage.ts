import { closeSync, cpSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createNode } from "../../../../src/node/create-node.ts";
import { createSeededRandomness } from "../../../../src/platform/runtime/simulated.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { runKairn } from "../../../e2e/kairn-process.ts";
import { hold } from "../row.ts";

const PAGE = 4096;
/** Pages of each copy that are damaged. */
const PAGES_DAMAGED = 3;
/** Slots of the contract, which make the file larger than what is verified at each clean start. */
const SLOTS = 75_000;
const MIN_BYTES = 17 << 20;

type Random = (below: number) => number;

/** Damages a page. @param read - reads another page into a buffer */
type Damage = (page: Buffer, random: Random, read: (into: Buffer) => void) => void;

const DAMAGES: Readonly<Record<string, Damage>> = {
  zeros: (page) => page.fill(0),
  "one bit": (page, random) => flip(page, random(PAGE), random),
  "a bit of its head": (page, random) => flip(page, random(60), random),
  noise: (page, random) => {
    for (let at = 16; at < PAGE; at++) page[at] = random(256);
  },
  "another page": (page, _random, read) => read(page),
  "another page under its number": (page, _random, read) => {
    const number = page.readBigUInt64LE(0);
    read(page);
    page.writeBigUInt64LE(number, 0);
  },
};

function flip(page: Buffer, at: number, random: Random): void {
  page[at] = (page[at] as number) ^ (1 << random(8));
}

/**
 * Damages pages anywhere in the file of a cleanly stopped node, which a start does not verify, and reads the copies with the
 * commands that do not start a node.
 * @throws Error if one is killed by a signal, or does not mention the file
 */
export async function readDeepDamage(copies: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-hostile-"));
  const [whole, copy] = [join(folder, "whole"), join(folder, "copy")];
  const store = join(copy, "chaindata", "store.mdb");
  const { bytes } = createSeededRandomness(4);
  const random: Random = (below) => new DataView(bytes(4).buffer).getUint32(0) % below;
  const codes: Record<string, number> = {};
  try {
    await fill(whole);
    for (let i = 0; i < copies; i++) {
      const kinds = Object.entries(DAMAGES);
      const [kind, damage] = kinds[i % kinds.length] as [string, Damage];
      rmSync(copy, { recursive: true, force: true });
      cpSync(whole, copy, { recursive: true });
      damagePages(store, damage, random);
      for (const words of [
        ["db", "stats"],
        ["db", "check"],
        ["export", join(copy, "blocks.rlp")],
      ]) {
        const { code, stderr } = await runKairn([...words, "--datadir", copy, "--quiet"]);
        const name = words.slice(0, words[0] === "db" ? 2 : 1).join(" ");
        const about = `${name} after ${kind} (copy ${i}): exited with ${code}, ${stderr.slice(0, 300)}`;
        hold(code === 0 || (code === 74 && stderr.includes(`${store} is damaged`)), about);
        const end = stderr.includes("reading it ended the process") ? `${code} (a signal within)` : code;
        codes[`${name} ${end}`] = (codes[`${name} ${end}`] ?? 0) + 1;
      }
    }
    const text = Object.entries(codes).map(([name, times]) => `${name} ${times} times`);
    return `${copies} copies: ${text.join(", ")}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(dataDir: string): Promise<void> {
  const storage = Object.fromEntries(
    Array.from({ length: SLOTS }, (_, i) => [`0x${(i * 7919).toString(16)}`, `0x${"5a".repeat(32)}`]),
  );
  const account = { nonce: 1, balance: "0x1", code: "0x6001", storage };
  const state = gzipSync(JSON.stringify({ accounts: { [`0x${"12".repeat(20)}`]: account } }));
  {
    await using node = await createNode({ dev: true, dataDir, ipc: false, sealing: { kind: "manual" } });
    await node.provider.request({ method: "anvil_loadState", params: [bytesToHex(state)] });
    await node.provider.request({ method: "anvil_mine", params: ["0x64"] });
  }
  const { size } = statSync(join(dataDir, "chaindata", "store.mdb"));
  hold(size > MIN_BYTES, `the file has only ${size} bytes`);
}

function damagePages(path: string, damage: Damage, random: Random): void {
  const file = openSync(path, "r+");
  try {
    const pages = Math.floor(statSync(path).size / PAGE);
    const anyPage = (): number => 2 + random(pages - 2);
    for (let i = 0; i < PAGES_DAMAGED; i++) {
      const [at, page] = [anyPage() * PAGE, Buffer.alloc(PAGE)];
      readSync(file, page, 0, PAGE, at);
      damage(page, random, (into) => readSync(file, into, 0, PAGE, anyPage() * PAGE));
      writeSync(file, page, 0, PAGE, at);
    }
  } finally {
    closeSync(file);
  }
}
