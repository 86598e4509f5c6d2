import { beforeAll, describe, expect, it } from "vitest";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Row } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";
import { CHAIN_ID, createLedger } from "../testing/ledger.ts";
import { GENESIS, SENDER, transfer } from "../testing/transfers.ts";
import {
  blockRows,
  positionOf,
  removalRows,
  SENT,
  senderRows,
  sentKey,
  unattributedRow,
} from "./block-rows.ts";

/** Rows by table and key. */
class Rows {
  readonly values = new Map<string, Uint8Array>();

  static #nameOf(table: string, key: Uint8Array): string {
    return `${table} ${bytesToHex(key)}`;
  }

  write(rows: readonly Row[]): void {
    for (const { table, key, value } of rows) {
      if (value === null) this.values.delete(Rows.#nameOf(table, key));
      else this.values.set(Rows.#nameOf(table, key), value);
    }
  }

  readonly sentRow = (key: Uint8Array) => this.values.get(Rows.#nameOf(SENT, key));

  add(executed: ExecutedBlock): void {
    this.write(runSync(blockRows(executed)));
    this.write(runSync(senderRows(executed.block, CHAIN_ID, this.sentRow)));
  }

  /** A copy. */
  get all(): Map<string, Uint8Array> {
    return new Map(this.values);
  }

  /** Blocks of the transactions with nonce 0, newest first. */
  get firstSent(): number[] {
    const row = this.sentRow(sentKey(SENDER, 0n)) ?? new Uint8Array(0);
    const positions = Array.from({ length: row.length / 12 }, (_, i) => positionOf(row.subarray(12 * i)));
    return positions.map(({ blockNumber, index }) => Number(blockNumber) * 10 + index);
  }
}

let blocks: readonly ExecutedBlock[];

beforeAll(async () => {
  const ledger = await createLedger(GENESIS);
  const first = await ledger.add(transfer(0n), transfer(1n, 1n, true), transfer(2n));
  blocks = [first, await ledger.add(), await ledger.add(transfer(3n))];
});

/** A block with the transactions of another, as a development chain makes it after lowering the nonce. */
const again = (number: bigint, { block, hash, receipts }: ExecutedBlock): ExecutedBlock => ({
  hash: hash.map((byte) => byte ^ Number(number)),
  receipts: [...receipts].reverse(),
  block: {
    header: { ...block.header, number },
    transactions: [...block.transactions].reverse(),
  },
});

describe("the rows of blocks", () => {
  it("are all gone once their blocks are removed", () => {
    const rows = new Rows();
    const [first, second, third] = blocks as [ExecutedBlock, ExecutedBlock, ExecutedBlock];
    rows.add(first);
    const before = rows.all;
    rows.add(second);
    rows.add(third);
    rows.write(runSync(removalRows([third, second], CHAIN_ID, () => false)));
    expect(rows.all).toEqual(before);
    rows.write(runSync(removalRows([first], CHAIN_ID, () => false)));
    expect(rows.all.size).toBe(0);
  });

  it("are gone too if those by sender were yet to be written", () => {
    const rows = new Rows();
    const [first] = blocks as [ExecutedBlock];
    rows.write([...runSync(blockRows(first)), unattributedRow(1n)]);
    rows.write(runSync(removalRows([first], CHAIN_ID, (number) => number === 1n)));
    expect(rows.all.size).toBe(0);
  });

  it("keep the earlier positions of a nonce that a development chain has lowered", () => {
    const rows = new Rows();
    const [first] = blocks as [ExecutedBlock];
    const states = [rows.all];
    const added = [first, again(2n, first), again(3n, first)];
    for (const block of added) {
      rows.add(block);
      states.push(rows.all);
    }
    expect(rows.firstSent).toEqual([32, 22, 10]);
    const remove = (removed: readonly ExecutedBlock[]) =>
      rows.write(runSync(removalRows(removed, CHAIN_ID, () => false, rows.sentRow)));
    const sentOnly = (all: Map<string, Uint8Array>) =>
      new Map([...all].filter(([key]) => key.startsWith(SENT)));
    remove([...added.slice(1)].reverse());
    expect(rows.firstSent).toEqual([10]);
    expect(sentOnly(rows.all)).toEqual(sentOnly(states[1] as Map<string, Uint8Array>));
    remove([first]);
    expect(sentOnly(rows.all).size).toBe(0);
  });

  it("are made in steps of some transactions", () => {
    const [first] = blocks as [ExecutedBlock];
    const many = <T>(list: readonly T[]) => Array.from({ length: 600 }, (_, i) => list[i % list.length] as T);
    const executed: ExecutedBlock = {
      hash: first.hash,
      receipts: many(first.receipts),
      block: { header: first.block.header, transactions: many(first.block.transactions) },
    };
    const steps = (rows: Iterator<void, Row[]>) => {
      let count = 0;
      while (rows.next().done !== true) count++;
      return count;
    };
    expect(steps(senderRows(executed.block, CHAIN_ID))).toBe(9);
    expect(steps(blockRows(executed))).toBeGreaterThan(9);
    expect(steps(senderRows(first.block, CHAIN_ID))).toBe(0);
  });
});
