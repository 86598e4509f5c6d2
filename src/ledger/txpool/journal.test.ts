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

/** A journal on a disk that takes so many bytes in one write, and the paths of files that are open. */
function onFullDisk() {
  const { files, timers, advance } = createSimulatedRuntime();
  const disk = { room: 1_000_000, open: [] as string[] };
  const journal = new TransactionJournal({
    files: {
      ...files,
      openRewritable(path) {
        const file = files.openRewritable(path);
        disk.open.push(path);
        const write = (bytes: Uint8Array) => {
          if (bytes.length > disk.room) throw Object.assign(new Error("ENOSPC: full"), { code: "ENOSPC" });
          file.write(bytes);
        };
        const close = () => void disk.open.splice(disk.open.indexOf(path), 1);
        return { ...file, write, close };
      },
    },
    path: "transactions.rlp",
    timers,
    waiting: () => [],
    onDamage: () => {},
    onHealth: () => {},
  });
  return { journal, disk, files, advance };
}

it("is unhealthy until the disk takes as much as it refused, and at least a page, each time it fails", async () => {
  const { journal, disk, files, advance } = onFullDisk();
  const input = new Uint8Array(20_000);
  const long = transfer(SENDER, { nonce: 0n, gas: 10_000_000n, input }, CHAIN_ID, "TxTypeValueTransferMemo");
  for (const [tx, tooLittle, enough] of [
    [long, 20_000, 25_000],
    [transfer(SENDER, { nonce: 0n }, CHAIN_ID), 4_095, 4_096],
  ] as const) {
    disk.room = 0;
    await expect(journal.add(tx)).rejects.toThrow("ENOSPC");
    expect(journal.health).toMatchObject({ state: "failing", code: "ENOSPC" });
    disk.room = tooLittle;
    await advance(10_000);
    expect(journal.health.state).toBe("failing");
    disk.room = enough;
    await advance(10_000);
    expect(journal.health).toEqual({ state: "healthy" });
  }
  expect([disk.open, files.exists("transactions.rlp.probe")]).toEqual([["transactions.rlp"], false]);
});

it("removes what a node that was killed wrote to find out whether there is space", async () => {
  const { journal, files } = onFullDisk();
  files.openRewritable("transactions.rlp.probe").write(new Uint8Array(4_096));
  expect(await journal.load()).toEqual([]);
  expect(files.exists("transactions.rlp.probe")).toBe(false);
});
