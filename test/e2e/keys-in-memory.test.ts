import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { startNode } from "./started-node.ts";

const { cases } = JSON.parse(
  readFileSync(new URL("../fixtures/vectors/keystore/keyfiles.json", import.meta.url), "utf8"),
) as {
  cases: readonly {
    name: string;
    json: object;
    password: string;
    address: string;
    privateKeys: readonly (readonly string[])[];
  }[];
};

/** How often bytes occur in what a process may write; undefined where this user may not look (another system, ptrace). */
function occurrences(pid: number, wanted: Buffer): number | undefined {
  try {
    const memory = openSync(`/proc/${pid}/mem`, "r");
    try {
      const maps = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
      const regions = maps.flatMap((line) => /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []);
      let found = 0;
      for (let i = 0; i < regions.length; i += 3) {
        const [start, end] = [regions[i + 1], regions[i + 2]].map((text) => Number.parseInt(`${text}`, 16));
        found += occurrencesBetween(memory, start as number, end as number, wanted);
      }
      return found;
    } finally {
      closeSync(memory);
    }
  } catch {
    return undefined;
  }
}

function occurrencesBetween(memory: number, start: number, end: number, wanted: Buffer): number {
  const part = Buffer.alloc(2 ** 22);
  let found = 0;
  for (let at = start; at < end; at += part.length - wanted.length + 1) {
    let length: number;
    try {
      length = readSync(memory, part, 0, Math.min(part.length, end - at), at);
    } catch {
      return found; // pages of the kernel's own
    }
    const text = part.subarray(0, length);
    for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + 1)) found++;
  }
  return found;
}

it.skipIf(occurrences(process.pid, Buffer.alloc(8, 1)) === undefined)(
  "a key is in the memory of the node while it is unlocked, and nowhere afterwards",
  async () => {
    const file = cases.find(({ name }) => name === "v4-single-light");
    if (file === undefined) throw new Error("no such vector");
    const { address, password, privateKeys } = file;
    const key = Buffer.from(String(privateKeys.flat()[0]).replace(/^0x/, ""), "hex");
    const node = await startNode("--lightkdf");
    try {
      const { http } = node.endpoints;
      await rpcCall(http, "personal_newAccount", "makes the folder");
      writeFileSync(join(node.dataDir, "keystore", "UTC--vector"), JSON.stringify(file.json), {
        mode: 0o600,
      });
      await expect
        .poll(() => rpcCall(http, "personal_listAccounts"), { timeout: 5000 })
        .toContain(address.toLowerCase());
      const count = () => occurrences(node.child.pid as number, key);
      await rpcCall(http, "personal_unlockAccount", address, password, 0);
      await rpcCall(http, "eth_sign", address, "0x00");
      expect(count()).toBe(1);
      await rpcCall(http, "personal_lockAccount", address);
      await rpcCall(http, "personal_sign", "0x00", address, password);
      expect(count()).toBe(0);
    } finally {
      await node.stop();
    }
  },
);
