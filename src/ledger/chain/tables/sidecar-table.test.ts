import { expect, it } from "vitest";
import { blobTransaction, SIDECAR } from "../../../node/testing/blobs.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";
import { SidecarTable } from "./sidecar-table.ts";

const transactions = [1, 2].map((key) =>
  blobTransaction({ privateKey: new Uint8Array(32).fill(key), chainId: 1n }),
);

function tableOver() {
  const rows = new Map<string, Uint8Array>();
  const write = async (added: readonly Row[]) => {
    for (const { key, value } of added) rows.set(String(key), value as Uint8Array);
  };
  const store = { get: (_: string, key: Uint8Array) => rows.get(String(key)), range: () => [], write };
  const table = new SidecarTable(store as unknown as StateStore);
  const block = { header: { number: 7n }, transactions };
  const insert = (sidecars?: ExecutedBlock["sidecars"]) =>
    write(table.inserted({ block, ...(sidecars && { sidecars }) } as unknown as ExecutedBlock));
  return { table, insert };
}

it("stores the sidecars that come with a block, and otherwise those of the pool", async () => {
  const { table, insert } = tableOver();
  const second = transactionHash(transactions[1] as never);
  table.takeFrom((hash) => (String(hash) === String(second) ? SIDECAR : undefined));
  await insert();
  expect(table.get(7n, 0)).toBeUndefined();
  expect(table.get(7n, 1)?.proofs).toEqual(SIDECAR.proofs);
  await insert(new Map([[0, SIDECAR]]));
  expect(table.get(7n, 0)?.commitments).toEqual(SIDECAR.commitments);
});

it("stores a later sidecar, and finds none for impossible positions", async () => {
  const { table } = tableOver();
  await table.keep(7n, 0, SIDECAR);
  expect(table.get(7n, 0)?.commitments).toEqual(SIDECAR.commitments);
  expect([table.get(7n, 2 ** 32), table.get(2n ** 64n + 7n, 0)]).toEqual([undefined, undefined]);
});

it("drops sidecars after three weeks of blocks, now and then, and those of removed blocks", async () => {
  const store = await createStateStore({ engine: "memory" });
  const table = new SidecarTable(store);
  const header = (number: bigint) => ({ number }) as ExecutedBlock["block"]["header"];
  const insert = (number: bigint) =>
    table.inserted({ block: { header: header(number), transactions: [] } } as unknown as ExecutedBlock);
  const WEEKS = 1_814_400n;
  // a multiple of the interval
  const due = WEEKS + 1024n - (WEEKS % 1024n);
  const [old, oldest, kept, newest] = [due - WEEKS - 1n, 0n, due - WEEKS, due];
  for (const number of [old, oldest, kept, newest]) await table.keep(number, 3, SIDECAR);
  expect(insert(due + 1n)).toEqual([]);
  await store.write(insert(due));
  const held = () => [oldest, old, kept, newest].map((number) => table.get(number, 3) !== undefined);
  expect(held()).toEqual([false, false, true, true]);
  expect(insert(1024n)).toEqual([]);
  await store.write(table.rewind(header(due)));
  expect(held()).toEqual([false, false, true, true]);
  await store.write(table.rewind(header(due - 1n)));
  expect(held()).toEqual([false, false, true, false]);
});
