import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBlocks } from "../ledger/chain/chain-file.ts";
import { parseGenesis } from "../ledger/chain/genesis.ts";
import { initialGenesis } from "../ledger/chain/genesis-init.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import { isZeroBytes } from "../protocol/primitives/bytes.ts";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../protocol/transaction/recovery.ts";
import { type Ledger, openLedger } from "./ledger.ts";

/** What the reference's `kaia_getBlockReceipts` shows of each transaction: status or error, contract address, gas used. */
type Outcomes = Record<string, [status: number, contractAddress: string | null, gasUsed: number][]>;

const folder = new URL("../../test/fixtures/private-chains/every-fork/", import.meta.url);
const fixture = (name: string) => gunzipSync(readFileSync(new URL(`${name}.gz`, folder)));
async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** A chain of the reference node that passes every fork under random transactions; see the README beside it. */
describe("a chain that passes every fork under transactions of every type", () => {
  const outcomes = JSON.parse(fixture("outcomes.json").toString()) as Outcomes;
  let ledger: Ledger;

  beforeAll(async () => {
    ledger = await openLedger({
      genesis: initialGenesis(parseGenesis(fixture("genesis.json").toString())),
      history: "archive",
      recovery: createInlineRecovery,
      runtime: systemRuntime,
    });
    await ledger.importer.importAll(readBlocks(once(fixture("chain.rlp"))));
  });
  afterAll(() => ledger.store.close());

  it("has the reference's roots in every block", () => {
    expect(Number(ledger.chain.head.header.number)).toBe(Object.keys(outcomes).length);
  });

  it("has the reference's receipts, with the address that a transaction to the zero address names", () => {
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
