import { describe, expect, it } from "vitest";
import type { StateChanges } from "../../../ledger/state/state.ts";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { EMPTY_CODE_HASH, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { ChangeRecord } from "../change-log.ts";
import { decodeChange, encodeChange, MAX_PAYLOAD } from "../record/change-codec.ts";
import { feed, lastRecord, sent, setUp, withPayload } from "./testing/followed-log.ts";

describe("bad records", () => {
  const POISON: Readonly<
    Record<string, [text: string, (record: ChangeRecord, payload: Uint8Array) => ChangeRecord]>
  > = {
    "a flipped bit": ["checksum", (record, payload) => ({ ...record, payload: payload.with(40, 99) })],
    "another parent": [
      "checksum",
      (record) => ({ ...record, parentHash: new Uint8Array(32), epoch: record.epoch }),
    ],
    "bytes that are none": ["cannot be read", (record) => withPayload(record, Uint8Array.of(1, 2, 3))],
    "more bytes than any block has": [
      "more than",
      (record) => ({ ...record, payload: undefined, size: MAX_PAYLOAD + 1 }),
    ],
    "money out of nowhere": [
      "another state root",
      (record, payload) => {
        const change = decodeChange(payload, (code) => code);
        const [first] = change.changes.accounts;
        const rich = {
          address: new Uint8Array(20).fill(9),
          account: first?.account,
          storageCleared: false,
          storage: [],
        };
        const plain = { type: "eoa", nonce: 0n, balance: 1n } as const;
        const account = rich.account ?? ({ ...EMPTY, ...plain } as NonNullable<typeof rich.account>);
        return withPayload(
          record,
          encodeChange({ ...change, changes: { accounts: [{ ...rich, account }], codes: [] } }),
        );
      },
    ],
  };
  for (const [name, [text, poison]] of Object.entries(POISON))
    it(`rejects ${name}, keeps its chain, and continues once it is repaired`, async () => {
      const { log, writer, reader, follower, refused } = await setUp();
      const good = await lastRecord(log);
      log.replace(poison(good, good.payload));
      for (let i = 0; i < 3; i++)
        await expect(follower.catchUp()).rejects.toMatchObject({ code: "BAD_RECORD" });
      expect(refused.map(({ message }) => message).join()).toContain(text);
      expect(reader.chain.head.header.number).toBe(2n);
      log.replace(good);
      await follower.catchUp();
      expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    });

  it("quarantines each bad record, rereads it less and less often, and continues within five seconds of its repair", async () => {
    const runtime = createSimulatedRuntime();
    const { log, writer, reader, follower, refused } = await setUp(3, false, runtime);
    const good = await lastRecord(log);
    let reads = 0;
    const read = log.read.bind(log);
    log.read = (...asked) => {
      reads++;
      return read(...asked);
    };
    log.replace(withPayload(good, Uint8Array.of(0xc0)));
    const running = follower.run();
    const pass = async (seconds: number) => {
      for (let i = 0; i < 10 * seconds; i++) {
        await runtime.advance(100);
        await new Promise(setImmediate);
      }
    };
    await pass(60);
    expect(refused).toHaveLength(1);
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThan(25);
    log.replace(withPayload(good, Uint8Array.of(0xc1, 0x80)));
    await pass(10);
    expect(refused).toHaveLength(2);
    log.replace(good);
    await pass(6);
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
    await follower.stop();
    await running;
  });

  it("reaches the writer's block or stays where it is, whichever bytes of a record are corrupted", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    await writer.add(
      sent(0n, { to: undefined, value: 0n, input: Uint8Array.of(0x60, 0x00, 0x60, 0x00, 0xa0) }),
    );
    await feed(log, writer);
    const good = await lastRecord(log);
    const [genesis, { hash }] = [reader.chain.head.hash, writer.chain.tip];
    const seen = new Set<string>();
    for (let i = 0; i < good.payload.length; i++) {
      log.replace(withPayload(good, good.payload.with(i, (good.payload[i] as number) ^ (1 << (i % 8)))));
      await follower.catchUp().catch(({ code }) => seen.add(code));
      const { tip } = reader.chain;
      if (tip.header.number === 0n) expect(tip.hash).toEqual(genesis);
      else expect([tip.hash, reader.store.head]).toEqual([hash, writer.store.head]);
      if (tip.header.number > 0n) await reader.chain.exclusive(() => reader.chain.rewind(0n));
    }
    expect([...seen]).toEqual(["BAD_RECORD"]);
    log.replace(good);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(hash);
  });

  it.each<[what: string, text: string, change: (receipt: Receipt) => Receipt]>([
    ["gas", "another amount of gas", (receipt) => ({ ...receipt, gasUsed: receipt.gasUsed + 1n })],
    ["status", "another root", (receipt) => ({ ...receipt, status: 0 })],
  ])("rejects a record with another %s in a receipt", async (_, text, change) => {
    const { log, writer, reader, follower } = await setUp(0);
    await writer.add(sent(0n), sent(1n));
    await feed(log, writer);
    const good = await lastRecord(log);
    const { receipts, ...rest } = decodeChange(good.payload, (code) => code);
    const [first, second] = receipts as [Receipt, Receipt];
    log.replace(withPayload(good, encodeChange({ ...rest, receipts: [first, change(second)] })));
    const message = expect.stringContaining(text);
    await expect(follower.catchUp()).rejects.toMatchObject({ code: "BAD_RECORD", message });
    expect(reader.chain.tip.header.number).toBe(0n);
  });

  it("rejects a record that lacks a contract's code, which no root covers", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    const code = Uint8Array.of(0x60, 0x00);
    const own = { type: "sca", nonce: 1n, balance: 0n, codeHash: keccak256(code), codeInfo: 0x10 } as const;
    const account = { ...EMPTY, key: { type: "fail" } as const, ...own };
    const address = new Uint8Array(20).fill(9);
    const accounts = [{ address, account, storageCleared: false, storage: [] }];
    const codes = [{ hash: account.codeHash, code }];
    await writer.chain.amend({ accounts, codes });
    const { block, receipts, hash } = await writer.add();
    const { number: height, parentHash, stateRoot } = block.header;
    const record = { height, hash, parentHash, stateRoot, epoch: 1n, size: 0, checksum: hash, payload: hash };
    const withCodes = (codes: StateChanges["codes"]) =>
      withPayload(record, encodeChange({ block, receipts, senders: [], changes: { accounts, codes } }));
    log.replace(withCodes([]));
    await expect(follower.catchUp()).rejects.toThrow(
      "the code of 0x0909090909090909090909090909090909090909 is",
    );
    log.replace(withCodes(codes));
    await follower.catchUp();
    expect(reader.store.code(account.codeHash)).toEqual(code);
  });
});

const EMPTY = {
  humanReadable: false,
  key: { type: "legacy" },
  storageRoot: EMPTY_ROOT,
  codeHash: EMPTY_CODE_HASH,
  codeInfo: 0,
};
