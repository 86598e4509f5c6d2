import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ethereumHash } from "./ethereum-header.ts";

const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`;
const EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";

/** Block 0 of Ethereum. */
const FIRST = {
  ...{ parentHash: zeros(32), sha3Uncles: NO_UNCLES, miner: zeros(20), logsBloom: zeros(256) },
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  ...{ transactionsRoot: EMPTY_TRIE, receiptsRoot: EMPTY_TRIE, mixHash: zeros(32) },
  ...{ difficulty: "0x400000000", number: "0x0", gasLimit: "0x1388", gasUsed: "0x0", timestamp: "0x0" },
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  nonce: "0x0000000000000042",
};
/** Block 2 of a development chain of go-ethereum, under the rules of Prague. */
const PRAGUE = {
  ...{ difficulty: "0x0", number: "0x2", gasLimit: "0x47e7c4", gasUsed: "0xa410", timestamp: "0x2346" },
  ...{ sha3Uncles: NO_UNCLES, miner: zeros(20), logsBloom: zeros(256), mixHash: zeros(32), nonce: zeros(8) },
  parentHash: "0x3405339aee61e7a887d432c24a4c6dda9a675a4c9e867ba0db4455d2dc87e73b",
  stateRoot: "0x7a0ac406393f238877ee8030400dfffa7cd78fc8209dbdc6379e7f90f97a7763",
  transactionsRoot: "0x542eb824314ce48fc367ef410035b895450119f71ef82b80e5ccbfcfd72c42d8",
  receiptsRoot: "0xd95b673818fa493deec414e01e610d97ee287c9421c8eff4102b1647c1a184e4",
  ...{ extraData: "0x74657374", baseFeePerGas: "0x2da282a8", withdrawalsRoot: EMPTY_TRIE },
  ...{ blobGasUsed: "0x0", excessBlobGas: "0x0", parentBeaconBlockRoot: zeros(32) },
  requestsHash: "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

const hashOf = (block: Record<string, string>) =>
  bytesToHex(ethereumHash(block, "eth_getBlockByNumber") as Uint8Array);

describe("the hash of an Ethereum header", () => {
  it("matches under the first and the newest fork rules", () => {
    expect(hashOf(FIRST)).toBe("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
    expect(hashOf(PRAGUE)).toBe("0x84c82d89ac0fd95a30e4ee94696102051f5a26daa4a1001118c09610f3294c4c");
  });

  it("depends on every field", () => {
    for (const name of Object.keys(PRAGUE)) {
      const [last] = PRAGUE[name as keyof typeof PRAGUE].slice(-1);
      const other = PRAGUE[name as keyof typeof PRAGUE].slice(0, -1) + (last === "1" ? "2" : "1");
      expect(hashOf({ ...PRAGUE, [name]: other })).not.toBe(hashOf(PRAGUE));
    }
  });

  it("is undefined if a mandatory field is missing, and rejects malformed ones", () => {
    const { sha3Uncles: _, ...lacking } = PRAGUE;
    expect(ethereumHash(lacking, "eth_getBlockByNumber")).toBeUndefined();
    expect(() => hashOf({ ...PRAGUE, nonce: "0x0" })).toThrow("eth_getBlockByNumber is not 8 bytes");
  });
});
