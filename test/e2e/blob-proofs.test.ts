import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type * as Kairn from "../../src/node/index.ts";
import { rawBlobTransaction, SIDECAR } from "../../src/node/testing/blobs.ts";
import { temporaryFolder } from "./started-node.ts";

/** The thread first builds its tables, which takes seconds, or longer on a busy machine. */
const TIMEOUT_MS = 120_000;

const library = new URL("../../dist/index.js", import.meta.url).href;
const { createNode }: typeof Kairn = await import(library);

/** A blob transaction of the `n`th development account. */
function rawOf(node: Kairn.Node, n = 0, sidecar = SIDECAR): string {
  const account = node.dev?.accounts[n];
  if (account === undefined) throw new Error("no development account");
  return rawBlobTransaction({
    privateKey: account.privateKey,
    chainId: node.chain.config.chainId,
    sidecar,
  });
}

const send = ({ provider }: Kairn.Node, raw: string) =>
  provider.request({ method: "eth_sendRawTransaction", params: [raw] });

describe("the thread that verifies blobs", () => {
  it(
    "does not block the chain: blocks are sealed while it loads",
    async () => {
      await using node = await createNode();
      const { provider } = node;
      const done: string[] = [];
      const blob = send(node, rawOf(node)).then(() => done.push("blob"));
      const [, from, to] = (await provider.request({ method: "eth_accounts" })) as string[];
      for (let i = 0; i < 20; i++) {
        const hash = await provider.request({
          method: "eth_sendTransaction",
          params: [{ from, to, value: "0x1" }],
        });
        const receipt = await provider.request({ method: "eth_getTransactionReceipt", params: [hash] });
        expect(receipt).toMatchObject({ status: "0x1" });
      }
      done.push("transfers");
      await blob;
      expect(done).toEqual(["transfers", "blob"]);
      const raw = rawOf(node, 2, { ...SIDECAR, proofs: SIDECAR.proofs.toReversed() });
      await expect(send(node, raw)).rejects.toThrow("can't verify opening proof");
    },
    TIMEOUT_MS,
  );

  it(
    "is shared by the nodes of a process, ends with them, and starts again",
    async () => {
      for (let round = 0; round < 2; round++) {
        const nodes = await Promise.all(Array.from({ length: 5 }, () => createNode()));
        try {
          const hashes = await Promise.all(nodes.map((node) => send(node, rawOf(node))));
          expect(new Set(hashes).size).toBe(1);
        } finally {
          await Promise.all(nodes.map((node) => node.stop()));
        }
      }
    },
    TIMEOUT_MS,
  );

  it(
    "does not keep a process alive, even when stopped while loading",
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, "transaction");
      await using node = await createNode();
      writeFileSync(file, rawOf(node));
      const program = `
        import { readFileSync } from "node:fs";
        import { createNode } from ${JSON.stringify(library)};
        const node = await createNode();
        const params = [readFileSync(${JSON.stringify(file)}, "utf8")];
        const sent = node.provider.request({ method: "eth_sendRawTransaction", params });
        const outcome = sent.then(() => "taken", ({ message }) => message);
        await new Promise((resolve) => setImmediate(resolve));
        await node.stop();
        console.log(await outcome);
      `;
      const args = ["--input-type=module", "--eval", program];
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
      rmSync(folder, { recursive: true });
      expect(stdout.trim()).toBe("the node is stopping");
    },
    TIMEOUT_MS,
  );
});
