import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type * as Kairn from "../../src/node/index.ts";

const library = new URL("../../dist/index.js", import.meta.url).href;
const { createNode }: typeof Kairn = await import(library);

describe("a node inside a program", () => {
  it("is an EIP-1193 provider: a transfer is mined and its receipt can be read", async () => {
    await using node = await createNode();
    const { provider } = node;
    const [from, to] = (await provider.request({ method: "eth_accounts" })) as [string, string];
    const hash = await provider.request({
      method: "eth_sendTransaction",
      params: [{ from, to, value: "0x5" }],
    });
    await expect
      .poll(() => provider.request({ method: "eth_getTransactionReceipt", params: [hash] }), {
        timeout: 20_000,
      })
      .toMatchObject({ transactionHash: hash, status: "0x1" });
    expect(await provider.request({ method: "eth_getBalance", params: [to, "latest"] })).toBe(
      `0x${(10_000n * 10n ** 18n + 5n).toString(16)}`,
    );
  });

  it("throws the error of JSON-RPC with its code", async () => {
    await using node = await createNode();
    await expect(node.provider.request({ method: "eth_nothing" })).rejects.toMatchObject({ code: -32601 });
  });

  it("is independent of others, each with its own chain", async () => {
    const nodes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => createNode({ dev: { chainId: BigInt(2000 + i) } })),
    );
    try {
      const ids = await Promise.all(nodes.map(({ provider }) => provider.request({ method: "eth_chainId" })));
      expect(ids).toEqual(nodes.map((_, i) => `0x${(2000 + i).toString(16)}`));
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  });

  it("leaves nothing open: a program exits once its nodes are stopped", async () => {
    const program = `
      import { createNode } from ${JSON.stringify(library)};
      for (let i = 0; i < 20; i++) {
        const node = await createNode({ http: { port: 0 }, ws: { port: 0 } });
        const [from] = await node.provider.request({ method: "eth_accounts" });
        await node.provider.request({ method: "eth_sendTransaction", params: [{ from, to: from, value: "0x1" }] });
        await node.stop();
      }
      console.log("stopped");
    `;
    const args = ["--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      timeout: 45_000,
    });
    expect(stdout).toBe("stopped\n");
  });
});
