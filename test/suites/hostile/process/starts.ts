import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";
import { type HostileRow, hold } from "../row.ts";
import { KilledNode } from "./killed-node.ts";

const KEY_FILES = 1000;
const MAX_KEYS_MS = 2000;
const MAX_BLOCKS_MS = 3000;
/** Blocks mined by one call, which must return within five minutes. */
const MINED_BLOCKS = 5000;

/** A large keystore. */
export const manyKeyFiles: HostileRow = {
  id: "R12k",
  promise: "a node with 1,000 key files starts within 2 s",
  async run() {
    const folder = temporaryFolder();
    const keystore = join(folder, "keystore");
    mkdirSync(keystore, { recursive: true, mode: 0o700 });
    for (let i = 0; i < KEY_FILES; i++) {
      const address = randomBytes(20).toString("hex");
      const name = `UTC--2026-01-01T00-00-00.000000000Z--${address}`;
      writeFileSync(join(keystore, name), JSON.stringify(keyFile(address)), { mode: 0o600 });
    }
    try {
      const began = performance.now();
      const node = await startNodeIn(folder);
      const ms = Math.round(performance.now() - began);
      const cpuMs = cpuOf(node.child.pid);
      await node.stop();
      hold(cpuMs < MAX_KEYS_MS, `it took ${cpuMs} ms of CPU`);
      return `${cpuMs} ms of CPU, ${ms} ms by the clock`;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A long chain, after a kill. */
export function longChain(id: string, blocks: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: `a chain of ${blocks.toLocaleString("en-US")} blocks starts within 3 s after a kill`,
    isLong,
    async run() {
      const killed = new KilledNode("--no-mining");
      try {
        await killed.start();
        for (let mined = 0; mined < blocks; mined += MINED_BLOCKS)
          await killed.call("anvil_mine", `0x${MINED_BLOCKS.toString(16)}`);
        const ms = Math.round(await killed.restart("SIGKILL"));
        const cpuMs = cpuOf(killed.node.child.pid);
        const head = Number(await killed.call("eth_blockNumber"));
        hold(head === blocks, `it has ${head} blocks`);
        hold(cpuMs < MAX_BLOCKS_MS, `it took ${cpuMs} ms of CPU`);
        return `${cpuMs} ms of CPU, ${ms} ms by the clock`;
      } finally {
        await killed.end();
      }
    },
  };
}

/** Milliseconds of CPU that a process took so far; wall-clock time would include other processes. */
function cpuOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fieldsAfterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fieldsAfterName[11]) + Number(fieldsAfterName[12])) * 10;
}

function keyFile(address: string) {
  const hex = (bytes: number) => randomBytes(bytes).toString("hex");
  const kdfparams = { dklen: 32, n: 4096, p: 6, r: 8, salt: hex(32) };
  const cipher = { cipher: "aes-128-ctr", cipherparams: { iv: hex(16) }, ciphertext: hex(32) };
  return { version: 3, id: "", address, crypto: { ...cipher, kdf: "scrypt", kdfparams, mac: hex(32) } };
}
