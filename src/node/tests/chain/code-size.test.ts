import { expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

/** Init code that leaves a contract of so many zero bytes. */
const leaving = (bytes: number) => `0x62${bytes.toString(16).padStart(6, "0")}6000f3`;
/** The same, followed by zeros up to a size of its own. */
const padded = (bytes: number, size: number) => leaving(bytes).padEnd(2 + 2 * size, "0");

async function deployer(node: Node) {
  const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const [from] = (await ask("eth_accounts")) as [string];
  return async (data: string) => {
    const hash = await ask("eth_sendTransaction", { from, data, gas: "0x3938700" });
    const { status, contractAddress } = (await ask("eth_getTransactionReceipt", hash)) as {
      status: string;
      contractAddress: string;
    };
    const code = (await ask("eth_getCode", contractAddress, "latest")) as string;
    return { status, bytes: code.length / 2 - 1 };
  };
}

it("is limited to 24,576 bytes, and 49,152 of init code, by default", async () => {
  await using node = await createNode();
  const deploy = await deployer(node);
  expect(await deploy(leaving(24_576))).toEqual({ status: "0x1", bytes: 24_576 });
  expect(await deploy(leaving(24_577))).toEqual({ status: "0x0", bytes: 0 });
  expect(await deploy(padded(1, 49_152))).toEqual({ status: "0x1", bytes: 1 });
  await expect(deploy(padded(1, 49_153))).rejects.toThrow(/size exceeded: code size 49153,? limit 49152/);
});

/** As anvil's `--code-size-limit`; the hooks of OpenZeppelin's GovernorStorage need it. */
it("is limited as configured on a development chain, with twice that for init code, in every thread", async () => {
  for (const isolation of [{}, { callSliceMs: 0 }]) {
    await using node = await createNode({ dev: { codeSizeLimit: 30_000 }, ...isolation });
    const deploy = await deployer(node);
    expect(await deploy(leaving(30_000))).toEqual({ status: "0x1", bytes: 30_000 });
    expect(await deploy(leaving(30_001))).toEqual({ status: "0x0", bytes: 0 });
    expect(await deploy(padded(1, 60_000))).toEqual({ status: "0x1", bytes: 1 });
    await expect(deploy(padded(1, 60_001))).rejects.toThrow(/size exceeded: code size 60001,? limit 60000/);
  }
});
