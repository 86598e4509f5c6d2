import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Ledger } from "../../storage/ledger.ts";
import { importPrivateChain, privateChainFile } from "../../testing/private-chain.ts";

/** What the reference's `kaia_getBlockReceipts` shows of each transaction: status or error, contract address, gas used. */
type Outcomes = Record<string, [status: number, contractAddress: string | null, gasUsed: number][]>;

/** A chain of the reference node that passes every fork under random transactions; see the README beside it. */
describe("a chain that crosses every fork with transactions of every type", () => {
  const outcomes = JSON.parse(
    new TextDecoder().decode(privateChainFile("every-fork", "outcomes.json")),
  ) as Outcomes;
  let ledger: Ledger;

  beforeAll(async () => {
    ledger = await importPrivateChain("every-fork");
  });
  afterAll(() => ledger.store.close());

  it("has the reference's roots in every block", () => {
    expect(Number(ledger.chain.head.header.number)).toBe(Object.keys(outcomes).length);
  });

  it("has the reference's receipts, including the contract address of a transaction to the zero address", () => {
    let toZero = 0;
    for (const [number, recorded] of Object.entries(outcomes)) {
      const receipts = (ledger.chain.receipts(BigInt(number)) ?? []).map((receipt) => [
        receipt.status,
        receipt.contractAddress === undefined ? null : bytesToHex(receipt.contractAddress),
        Number(receipt.gasUsed),
      ]);
      expect(receipts, `block ${number}`).toEqual(recorded);
      const { transactions = [] } = ledger.chain.block(BigInt(number)) ?? {};
      toZero += transactions.filter(
        ({ to, type }) => !type.ethereum && to !== undefined && isZeroBytes(to),
      ).length;
    }
    expect(toZero).toBeGreaterThan(0);
  });
});
