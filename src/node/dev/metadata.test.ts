import { expect, it } from "vitest";
import { createNode } from "../create-node.ts";

it("describes a development chain like Hardhat, and its snapshots like anvil", async () => {
  await using node = await createNode();
  const call = (method: string) => node.provider.request({ method });
  const id = (await call("evm_snapshot")) as string;
  const { hash } = (await node.provider.request({
    method: "eth_getBlockByNumber",
    params: ["latest", false],
  })) as { hash: string };
  const about = { chainId: 1337, latestBlockNumber: 0, latestBlockHash: hash, forkedNetwork: null };
  const hardhat = await call("hardhat_metadata");
  expect(hardhat).toMatchObject(about);
  expect(hardhat).not.toHaveProperty("snapshots");
  const snapshots = { [id]: { blockNumber: 0, blockHash: hash } };
  expect(await call("anvil_metadata")).toMatchObject({ ...about, snapshots });
});
