import assert from "node:assert/strict";
import type { ChangeLog, NewRecord } from "../../src/network/cluster/change-log.ts";
import { recordChecksum } from "../../src/network/cluster/record/record-checksum.ts";

const CHAIN = { genesisHash: new Uint8Array(32).fill(7), chainId: 2019n };
const START = { height: 0n, hash: CHAIN.genesisHash };
const ALL = { records: 100, bytes: 1 << 20, largest: 1 << 20 };

/** The contract of every change log; each rule gets an empty one. */
export const CHANGE_LOG_RULES: Readonly<Record<string, (log: ChangeLog, other: ChangeLog) => Promise<void>>> =
  {
    async "one writer at a time: the second waits, a new epoch ends the old one"(log, other) {
      await log.prepare(CHAIN, START);
      await other.prepare(CHAIN, START);
      const first = await log.acquire({ holder: "a", url: "http://a", ttlMs: 60_000 });
      assert.equal(first?.epoch, 1n);
      assert.equal(await other.acquire({ holder: "b", url: "", ttlMs: 60_000 }), undefined);
      await log.append(1n, [record(1n)]);
      await log.release(1n);
      assert.equal((await other.acquire({ holder: "b", url: "", ttlMs: 60_000 }))?.epoch, 2n);
      await assert.rejects(log.append(1n, [record(2n)]), { code: "LOG_FENCED" });
      await assert.rejects(log.renew(1n, 1_000), { code: "LOG_FENCED" });
      await assert.rejects(log.truncate(1n, START), { code: "LOG_FENCED" });
      await other.append(2n, [record(2n)]);
      const { state, records } = await log.read(0n, ALL);
      assert.deepEqual([state.height, state.holder], [2n, "b"]);
      assert.deepEqual(
        records.map(({ height, epoch }) => [height, epoch]),
        [
          [1n, 1n],
          [2n, 2n],
        ],
      );
      assert.deepEqual(records[1]?.payload, record(2n).payload);
      assert.deepEqual([...(records[1]?.checksum ?? [])], [...record(2n).checksum]);
    },
    async "concurrent requests are all answered"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      const looks = Array.from({ length: 8 }, () => log.state());
      const appended = log.append(1n, [record(1n)]);
      const [head, snapshot] = await Promise.all([log.hashAt(0n), log.snapshot(), appended, ...looks]);
      assert.deepEqual([head, snapshot], [undefined, undefined]);
      assert.equal((await log.state()).height, 1n);
    },
    async "an expired lease is acquired by comparing its recorded end, unless it was renewed"(log, other) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      const { until } = await other.state();
      await log.renew(1n, 90_000);
      const second = { holder: "b", url: "", ttlMs: 60_000 };
      assert.equal(await other.acquire({ ...second, overdue: until }), undefined);
      const { until: renewed } = await other.state();
      assert.equal((await other.acquire({ ...second, overdue: renewed }))?.epoch, 2n);
      await assert.rejects(log.renew(1n, 1_000), { code: "LOG_FENCED" });
    },
    async "an interrupted snapshot is started again, and is removed with its block"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await log.append(1n, [record(1n), record(2n)]);
      const at = { height: 2n, hash: record(2n).hash };
      const part = (number: number, byte: number) => {
        const bytes = Uint8Array.of(byte);
        return { part: number, parts: 2, file: "store.mdb", sha256: hashOf(1n), bytes };
      };
      await log.addSnapshotPart(1n, at, part(0, 1));
      await log.addSnapshotPart(1n, at, part(1, 1));
      await log.addSnapshotPart(1n, at, part(0, 2));
      assert.equal(await log.snapshot(), undefined);
      await log.addSnapshotPart(1n, at, part(1, 2));
      assert.equal((await log.snapshot())?.height, 2n);
      assert.deepEqual([...(await log.snapshotPart(2n, 0)).bytes], [2]);
      await log.truncate(1n, { height: 1n, hash: record(1n).hash });
      assert.equal(await log.snapshot(), undefined);
    },
    async "its previous holder reacquires the lease immediately"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      assert.equal((await log.acquire({ holder: "a", url: "", ttlMs: 60_000 }))?.epoch, 2n);
    },
    async "an append is idempotent, also in part"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await log.append(1n, [record(1n), record(2n)]);
      await log.append(1n, [record(1n), record(2n)]);
      await log.append(1n, [record(2n), record(3n)]);
      const { records } = await log.read(0n, ALL);
      assert.deepEqual(
        records.map(({ height }) => height),
        [1n, 2n, 3n],
      );
    },
    async "feeders append without a lease: each adds missing blocks, none conflicting ones"(log, other) {
      await log.prepare(CHAIN, START);
      await other.prepare(CHAIN, START);
      await log.append(0n, [record(1n)]);
      await Promise.all(
        [log, other].map((feeder) => feeder.append(0n, [record(1n), record(2n), record(3n)])),
      );
      await other.append(0n, [record(2n)]);
      await assert.rejects(other.append(0n, [{ ...record(4n), parentHash: hashOf(9n) }]), {
        code: "LOG_INCONSISTENT",
      });
      const { state, records } = await log.read(0n, ALL);
      assert.deepEqual([state.height, state.epoch], [3n, 0n]);
      assert.deepEqual(
        records.map(({ height }) => height),
        [1n, 2n, 3n],
      );
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await assert.rejects(other.append(0n, [record(4n)]), { code: "LOG_FENCED" });
    },
    async "a record that does not follow the last one is rejected with its whole batch"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await log.append(1n, [record(1n)]);
      await assert.rejects(log.append(1n, [record(3n)]), { code: "LOG_INCONSISTENT" });
      await assert.rejects(log.append(1n, [{ ...record(2n), parentHash: hashOf(9n) }]), {
        code: "LOG_INCONSISTENT",
      });
      assert.equal((await log.state()).height, 1n);
    },
    async "truncation removes records, and others can replace them"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await log.append(1n, [record(1n), record(2n), record(3n)]);
      await log.truncate(1n, { height: 1n, hash: hashOf(1n) });
      assert.equal((await log.read(1n, ALL)).records.length, 0);
      const other = { ...record(2n), hash: hashOf(20n) };
      await log.append(1n, [other]);
      assert.deepEqual(await log.hashAt(2n), other.hash);
    },
    async "truncation over many records and several ranges leaves none above the head"(log) {
      const start = { height: 64_000n, hash: hashOf(64_000n) };
      await log.prepare(CHAIN, start);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      const records = Array.from({ length: 2_600 }, (_, i) => record(64_001n + BigInt(i), 10));
      await log.append(1n, records);
      assert.equal((await log.state()).height, 66_600n);
      const to = { height: 64_100n, hash: hashOf(64_100n) };
      await log.truncate(1n, to);
      await log.truncate(1n, to);
      assert.deepEqual([(await log.state()).height, await log.hasStray()], [64_100n, false]);
      assert.equal(await log.hashAt(66_000n), undefined);
      await log.append(1n, records.slice(100));
      assert.equal((await log.read(66_590n, ALL)).records.length, 10);
    },
    async "reads are bounded by records and bytes, and an oversized record is returned without its payload"(
      log,
    ) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      await log.append(1n, [record(1n, 1_000), record(2n, 1_000), record(3n, 5_000)]);
      assert.equal((await log.read(0n, { ...ALL, records: 2 })).records.length, 2);
      assert.equal((await log.read(0n, { ...ALL, bytes: 1_500 })).records.length, 1);
      for (const bytes of [1_500, 2_500, 4_999]) {
        const { records } = await log.read(2n, { ...ALL, bytes });
        assert.deepEqual(
          records.map(({ payload }) => payload),
          [record(3n, 5_000).payload],
        );
      }
      const [large] = (await log.read(2n, { ...ALL, largest: 1_500 })).records;
      assert.deepEqual([large?.height, large?.payload, large?.size], [3n, undefined, 5_000]);
    },
    async "records continue from one range to the next, and old ranges are dropped"(log) {
      const start = { height: 65_533n, hash: hashOf(65_533n) };
      await log.prepare(CHAIN, start);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      const heights = [65_534n, 65_535n, 65_536n, 65_537n];
      await log.append(
        1n,
        heights.map((height) => record(height)),
      );
      const read = async (after: bigint) => (await log.read(after, ALL)).records.map(({ height }) => height);
      const seen = await read(65_533n);
      assert.deepEqual([...seen, ...(await read(seen.at(-1) as bigint))].slice(0, 4), heights);
      await log.prune(1n, 65_536n, 1);
      assert.equal((await log.state()).first, 65_536n);
      assert.deepEqual(await read(65_535n), [65_536n, 65_537n]);
    },
    async "a log of another chain is rejected"(log) {
      await log.prepare(CHAIN, START);
      const other = { ...CHAIN, genesisHash: hashOf(1n) };
      await assert.rejects(log.open(other), { code: "LOG_OTHER_CHAIN" });
      await assert.rejects(log.prepare(other, START), { code: "LOG_OTHER_CHAIN" });
      await assert.rejects(log.open({ ...CHAIN, chainId: 1n }), { code: "LOG_OTHER_CHAIN" });
    },
    async "a snapshot is visible once all its parts are"(log) {
      await log.prepare(CHAIN, START);
      await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
      const part = (n: number) => ({
        part: n,
        parts: 2,
        file: "data.mdb",
        sha256: hashOf(1n),
        bytes: Uint8Array.of(n),
      });
      await log.addSnapshotPart(1n, START, part(0));
      assert.equal(await log.snapshot(), undefined);
      await log.addSnapshotPart(1n, START, part(1));
      assert.deepEqual(await log.snapshot(), { ...START, parts: 2 });
      assert.deepEqual((await log.snapshotPart(0n, 1)).bytes, Uint8Array.of(1));
      await assert.rejects(log.snapshotPart(0n, 2), { code: "LOG_INCONSISTENT" });
      await assert.rejects(log.addSnapshotPart(0n, START, part(0)), { code: "LOG_FENCED" });
    },
  };

/** A fake hash for a height. */
function hashOf(height: bigint): Uint8Array {
  const hash = Buffer.alloc(32);
  hash.writeBigUInt64BE(height, 24);
  return new Uint8Array(hash);
}

function record(height: bigint, size = 100): NewRecord {
  const payload = Uint8Array.from({ length: size }, (_, i) => (i * 7 + Number(height)) & 0xff);
  const parentHash = height === 1n ? START.hash : hashOf(height - 1n);
  const fields = { height, hash: hashOf(height), parentHash, stateRoot: hashOf(height + 1_000n) };
  return { ...fields, payload, checksum: recordChecksum(fields, payload) };
}
