import { describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import type { ChainConfig } from "./config.ts";
import { forkBlocks, forkId } from "./fork-id.ts";

const MAINNET = hexToBytes("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
const config = (...blocks: bigint[]): ChainConfig => ({
  chainId: 1n,
  forks: Object.fromEntries(blocks.map((block, i) => [`fork${i}`, block])),
  params: {},
  json: {},
});

describe("forkBlocks", () => {
  it("sorts, removes block 0 and duplicates, and includes the rebalancings", () => {
    const rebalancing = { block: 7n, contract: new Uint8Array(20) };
    expect(forkBlocks({ ...config(0n, 9n, 3n, 9n), kip103: rebalancing })).toEqual([3n, 7n, 9n]);
  });
});

describe("forkId", () => {
  const ethereum = config(1_150_000n, 1_920_000n, 2_463_000n, 2_675_000n, 4_370_000n, 7_280_000n);

  it.each([
    [0n, "0xfc64ec04"],
    [1_149_999n, "0xfc64ec04"],
    [1_150_000n, "0x97c2c34c"],
    [1_920_000n, "0x91d1f948"],
    [2_675_000n, "0x3edd5b10"],
    [4_370_000n, "0xa00bc324"],
    [7_280_000n, "0x668db0af"],
  ])("at block %d of Ethereum's mainnet is as in EIP-2124", (head, expected) => {
    expect(bytesToHex(forkId(ethereum, MAINNET, head))).toBe(expected);
  });
});
