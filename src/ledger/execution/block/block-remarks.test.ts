import { expect, it } from "vitest";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { AppliedTransaction } from "../transaction/transaction.ts";
import { count, type Tally } from "./block.ts";

it("keeps at most a mebibyte of the console output of a block's transactions", () => {
  const tally: Tally = {
    ...{ receipts: [], gasUsed: 0n, blobGasUsed: 0n, totalFee: 0n, remarks: new Map(), written: 0 },
  };
  const applied = {
    receipt: { gasUsed: 1n },
    fee: 0n,
    console: [new Uint8Array(32 * 1024)],
  } as unknown as AppliedTransaction;
  for (let i = 0; i < 50; i++) count(tally, {} as Transaction, applied);
  const kept = [...tally.remarks.values()].filter(({ console }) => console !== undefined);
  expect(kept).toHaveLength(32);
  expect(tally.receipts).toHaveLength(50);
});
