import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { occurrences } from "./process-memory.ts";
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

it.skipIf(occurrences(process.pid, [Buffer.alloc(8, 1)]) === undefined)(
  "a key is in the memory of the node only while it is unlocked",
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
      const count = () => occurrences(node.child.pid as number, [key])?.[0];
      const another = "the passphrase of another key";
      const texts = [key.toString("hex"), "2a".repeat(32), another].flatMap((text) => [
        Buffer.from(text),
        Buffer.from(text, "utf16le"),
      ]);
      await rpcCall(http, "personal_unlockAccount", address, password, 0);
      await rpcCall(http, "eth_sign", address, "0x00");
      expect(count()).toBe(1);
      await rpcCall(http, "personal_lockAccount", address);
      await rpcCall(http, "personal_sign", "0x00", address, password);
      expect(count()).toBe(0);
      const wallet = `${"2a".repeat(32)}0x00${address}`;
      await rpcCall(http, "personal_replaceRawKey", wallet, password, another);
      expect(await rpcCall(http, "personal_unlockAccount", address, password)).toBe(false);
      expect(count()).toBe(0);
      expect(occurrences(node.child.pid as number, texts)).toEqual(texts.map(() => 0));
    } finally {
      await node.stop();
    }
  },
);
