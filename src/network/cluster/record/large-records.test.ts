import { describe, expect, it } from "vitest";
import type { AccountChange } from "../../../ledger/state/state.ts";
import { EMPTY_CODE_HASH, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { encodeBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../../protocol/codec/rlp/list.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import type { ChangeRecord } from "../change-log.ts";
import { lastRecord, setUp, withPayload } from "../follower/testing/followed-log.ts";
import { type BlockChange, decodeChange, decodeChangeInSteps, encodeChange } from "./change-codec.ts";
import { recordChecksum, recordChecksumInSteps } from "./record-checksum.ts";
import { verifyRecord } from "./verify-record.ts";

/** A numbered hash. */
function hashOf(i: number): Uint8Array {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt32BE(i, 1);
  return new Uint8Array(bytes);
}

function accountOf(i: number, slots: number): AccountChange {
  const storage = Array.from({ length: slots }, (_, slot) => ({ slot: hashOf(slot), value: hashOf(slot) }));
  const account = {
    type: "eoa",
    nonce: 0n,
    balance: 1n,
    humanReadable: false,
    key: { type: "legacy" },
  } as const;
  const empty = { storageRoot: EMPTY_ROOT, codeHash: EMPTY_CODE_HASH, codeInfo: 0 };
  return {
    address: hashOf(i).subarray(0, 20),
    account: { ...account, ...empty },
    storageCleared: false,
    storage,
  };
}

/** Runs steps to their end. @returns the result, and their number */
function counted<T>(steps: Generator<void, T>): [T, number] {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return [step.value, count];
  }
}

const PLAIN = { hashCode: keccak256, checkHeader: () => {} };

describe("large records", () => {
  it("are decoded in steps, whether they have many accounts, slots or codes", async () => {
    const { log } = await setUp(1);
    const { payload } = await lastRecord(log);
    const none = decodeChange(payload, keccak256);
    const with_ = (changes: Partial<BlockChange["changes"]>) =>
      encodeChange({ ...none, changes: { accounts: [], codes: [], ...changes } });
    const codes = Array.from({ length: 4_000 }, (_, i) => ({ hash: hashOf(i), code: hashOf(i) }));
    for (const large of [
      with_({ accounts: Array.from({ length: 4_000 }, (_, i) => accountOf(i, 0)) }),
      with_({ accounts: [accountOf(0, 4_000)] }),
      with_({ codes }),
    ]) {
      const [decoded, steps] = counted(decodeChangeInSteps(large, PLAIN));
      expect(decoded).toEqual(decodeChange(large, keccak256));
      expect(steps).toBeGreaterThan(10);
    }
  });

  it("have their checksum computed in steps", async () => {
    const { log } = await setUp(1);
    const record = await lastRecord(log);
    const payload = new Uint8Array(5 << 20).fill(7);
    const [sum, steps] = counted(recordChecksumInSteps(record, payload));
    expect([sum, steps]).toEqual([recordChecksum(record, payload), 5]);
  });

  it("are hashed into the state between other work", async () => {
    const { log, reader } = await setUp(1);
    const record = await lastRecord(log);
    const change = decodeChange(record.payload, keccak256);
    const large = encodeChange({ ...change, changes: { accounts: [accountOf(1, 16_000)], codes: [] } });
    const rounds: number[] = [];
    for (const payload of [record.payload, large]) {
      let count = 0;
      const pace = { isDue: () => true, yield: async () => void count++ };
      const checks = { ...reader, recovery: createInlineRecovery(2019n) };
      await verifyRecord(withPayload(record, payload), checks, pace).catch(({ message }) =>
        expect(message).toContain("another state root"),
      );
      rounds.push(count);
    }
    const [small, many] = rounds as [number, number];
    // 256 slots a step to decode them, 128 to look them up, 256 to hash them.
    expect(many - small).toBeGreaterThan(16_000 / 256 + 16_000 / 128 + 16_000 / 256);
  });

  it("have no more accounts and slots than their gas pays for, except where edits need none", async () => {
    const { log, reader } = await setUp(1);
    const record = await lastRecord(log);
    const change = decodeChange(record.payload, keccak256);
    const most = 16_384 + Number(change.block.header.gasUsed / 500n);
    const verified = (slots: number, trustsSenders: boolean) => {
      const changes = { accounts: [accountOf(1, slots)], codes: [] };
      const payload = encodeChange({ ...change, changes });
      const checks = { ...reader, recovery: createInlineRecovery(2019n), trustsSenders };
      return verifyRecord(withPayload(record, payload), checks);
    };
    await expect(verified(most - 1, false)).rejects.toThrow("another state root");
    await expect(verified(most, false)).rejects.toThrow("than its gas pays for");
    await expect(verified(most, true)).rejects.toThrow("another state root");
  });

  it("cost nothing if their header is not the validators'", async () => {
    const { log, reader } = await setUp(1);
    const record = await lastRecord(log);
    const { block } = decodeChange(record.payload, keccak256);
    const header = { ...block.header, stateRoot: hashOf(1) };
    const unreadable = encodeItem(Array.from({ length: 100 }, () => new Uint8Array(0)));
    const payload = encodeList([
      encodeBlock({ ...block, header }),
      ...[unreadable, encodeItem(new Uint8Array(0)), unreadable, unreadable],
    ]);
    const forged: ChangeRecord = { ...record, hash: blockHash(header), stateRoot: header.stateRoot };
    const consensus = {
      verifyHeader() {
        throw new Error("no seals");
      },
    };
    const checks = { chain: reader.chain, consensus, recovery: createInlineRecovery(2019n) };
    await expect(verifyRecord(withPayload(forged, payload), checks)).rejects.toThrow("no seals");
  });

  it("have a limit on accounts, which take far more memory than bytes", async () => {
    const { log } = await setUp(1);
    const { payload } = await lastRecord(log);
    const { block } = decodeChange(payload, keccak256);
    const none = encodeItem([]);
    const account = (i: number) =>
      encodeItem([hashOf(i).subarray(0, 20), new Uint8Array(0), new Uint8Array(0), []]);
    const encode = (count: number) =>
      encodeList([
        ...[encodeBlock(block), none, encodeItem(new Uint8Array(0)), none],
        encodeList(Array.from({ length: count }, (_, i) => account(i))),
      ]);
    expect(decodeChange(encode(1 << 18), keccak256).changes.accounts).toHaveLength(1 << 18);
    expect(() => decodeChange(encode((1 << 18) + 1), keccak256)).toThrow("more than a block can");
  });
});
