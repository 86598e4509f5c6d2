import { describe, expect, it } from "vitest";
import type { BlockRow, PoolSender } from "../../rpc/spec/dashboard/wire.ts";
import { withLater } from "./live.ts";
import { explainGap } from "./pool.ts";
import { isAddress, toKei } from "./read.ts";
import { proposersOf } from "./rounds.ts";

const [A, B] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`];
const tx = (nonce: number, isReady: boolean) =>
  ({
    nonce,
    isReady,
    hash: `0x${nonce}`,
    type: "ValueTransfer",
    to: null,
    value: "0x0",
    price: "0x0",
  }) as const;
const sender = (nonce: number, pending: number[], queued: number[]): PoolSender => ({
  ...{ address: A, nonce },
  pending: pending.map((one) => tx(one, true)),
  queued: queued.map((one) => tx(one, false)),
});

describe("what waits in the pool", () => {
  it("is explained if nonces are missing", () => {
    expect(explainGap(sender(5, [5, 6], []))).toBeUndefined();
    expect(explainGap(sender(5, [], [7, 8]))).toMatch(
      /^2 transactions are waiting for nonces 5 to 6:.* 2 are missing/,
    );
    expect(explainGap(sender(5, [5, 6], [8]))).toMatch(
      /^One transaction is waiting for nonce 7:.* one is missing/,
    );
    expect(explainGap(sender(5, [], [5]))).toMatch(/nonce 5 is next, but not executable/);
  });
});

describe("what validators did", () => {
  const block = (number: number, proposer: string | null, round: number) =>
    ({ number, proposer, round }) as BlockRow;

  it("counts blocks and late rounds of each validator, including former ones", () => {
    const seats = proposersOf(
      [block(3, A, 1), block(2, B, 0), block(1, A, 0), block(0, null, 0)],
      [A.toUpperCase()],
    );
    expect(seats).toEqual([
      { address: A, isQualified: true, proposed: 2, late: 1, last: 3 },
      { address: B, isQualified: false, proposed: 1, late: 0, last: 2 },
    ]);
  });
});

describe("a list fetched while the stream continued", () => {
  const line = (at: number, id: number) => ({ at, id });

  it("keeps what was streamed after the fetch", () => {
    const fetched = [line(10, 1), line(20, 2)];
    const streamed = [line(10, 1), line(20, 2), line(20, 3), line(30, 4)];
    expect(withLater(fetched, streamed).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(withLater([], streamed)).toEqual(streamed);
  });

  it("drops what a node wrote before its restart", () => {
    expect(withLater([line(40, 1)], [line(30, 7), line(40, 1), line(50, 2)])).toEqual([
      line(40, 1),
      line(50, 2),
    ]);
  });
});

describe("user input", () => {
  it("is an amount only if every digit counts", () => {
    expect(toKei("12.5")).toBe(12_500_000_000_000_000_000n);
    expect(toKei("0.000000000000000001")).toBe(1n);
    for (const text of ["", "1.", ".5", "1e3", "-1", "1.0000000000000000001", "0x10"])
      expect(toKei(text)).toBeUndefined();
  });

  it("is an address only with all its digits", () => {
    expect(isAddress(` ${A} `)).toBe(true);
    for (const text of ["", A.slice(0, -1), `${A}0`, A.slice(2)]) expect(isAddress(text)).toBe(false);
  });
});
