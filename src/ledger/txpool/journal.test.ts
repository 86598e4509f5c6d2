import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { TransactionJournal } from "./journal.ts";
import { transfer, wallet } from "./testing/transactions.ts";

const CHAIN_ID = 2019n;
const SENDER = wallet(0);

it("is rewritten only once it has doubled, however many transactions wait", async () => {
  const { files, timers } = createSimulatedRuntime();
  const waiting: Transaction[] = [];
  /** Number of transactions at each rewrite; eight are the first above 256 KiB. */
  const rewrites: number[] = [];
  const journal = new TransactionJournal({
    files: {
      ...files,
      openRewritable(path) {
        const file = files.openRewritable(path);
        const replace = (bytes: Uint8Array) => {
          rewrites.push(waiting.length);
          return file.replace(bytes);
        };
        return { ...file, replace };
      },
    },
    path: "transactions.rlp",
    timers,
    waiting: () => waiting,
    onDamage: () => {},
    onHealth: () => {},
  });
  const memo = { gas: 10_000_000n, input: new Uint8Array(32_768) };
  for (let nonce = 0n; nonce < 70n; nonce++) {
    const long = transfer(SENDER, { nonce, ...memo }, CHAIN_ID, "TxTypeValueTransferMemo");
    journal.add(long);
    waiting.push(long);
    await new Promise((resolve) => setImmediate(resolve));
    await journal.settled();
  }
  expect(rewrites).toEqual([8, 17, 35]);
});
