import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rewardOfBlock } from "../../../ledger/extensions/reward/reward-of-block.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Ledger } from "../../storage/ledger.ts";
import { importPrivateChain } from "../../testing/private-chain.ts";

const AUTHOR = hexToBytes("0x6765d4f1b5dd1b0ef4bc56897a1bb1ca0c9153a7");
const REWARDBASE = hexToBytes("0xdeaa6358201eff070934871b662c2221fd549e93");

/** A chain of the reference node whose unit price changes while transactions wait; see the README beside it. */
describe("a chain without forks whose unit price is voted up", () => {
  let ledger: Ledger;

  beforeAll(async () => {
    ledger = await importPrivateChain("unit-price");
  });
  afterAll(() => ledger.store.close());

  it("has the reference's roots in every block", () => {
    expect(ledger.chain.head.header.number).toBe(34n);
  });

  it("uses the price in force for the block reward, while senders pay their own", () => {
    const { gasUsed } = ledger.chain.header(21n) ?? { gasUsed: 0n };
    const grown = (address: Uint8Array) => {
      const at = (block: bigint) => ledger.chain.stateAt(block)?.account(address)?.balance ?? 0n;
      return at(21n) - at(20n);
    };
    expect(gasUsed).toBe(986_614n);
    expect(grown(AUTHOR)).toBe(gasUsed);
    expect(grown(REWARDBASE)).toBe(gasUsed * 30n);
  });

  it("reports the reward as the reference does", () => {
    const header = ledger.chain.header(21n);
    if (header === undefined) throw new Error("no block 21");
    const noStakes = () => {
      throw new Error("policy 0 reads no stakes");
    };
    expect(rewardOfBlock(ledger.chain, header, noStakes)).toMatchObject({
      minted: 0n,
      totalFee: 59_196_840n,
      proposer: 59_196_840n,
    });
  });
});
