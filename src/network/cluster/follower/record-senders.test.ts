import { describe, expect, it } from "vitest";
import { contractAddress } from "../../../protocol/account/address.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { decodeChange, encodeChange } from "../record/change-codec.ts";
import { addUnsigned, feed, lastRecord, SENDER, sent, setUp, withPayload } from "./testing/followed-log.ts";

describe("the senders of a record", () => {
  const OTHER = new Uint8Array(20).fill(7);

  it("uses the senders that it recovers itself, reports a record with wrong ones, and continues", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0);
    await writer.add(sent(0n));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    expect(change.senders).toEqual([SENDER.address]);
    log.replace(withPayload(good, encodeChange({ ...change, senders: [OTHER] })));
    await follower.catchUp();
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    const shown = () => senderOf(transaction as Transaction, 2019n);
    const found = (sender: Uint8Array) => [...reader.chain.sent(sender, { from: 0n, to: 9n })].length;
    // At once, before anything was recovered, and afterwards.
    expect([shown(), found(SENDER.address), found(OTHER)]).toEqual([SENDER.address, 1, 0]);
    expect(refused).toEqual([]);
    await reader.chain.attributed(1n);
    expect([shown(), found(SENDER.address), found(OTHER)]).toEqual([SENDER.address, 1, 0]);
    expect(refused.map(({ message }) => message)).toEqual([
      "the record of block 1 is refused: transaction 0 was not sent by 0x0707070707070707070707070707070707070707",
    ]);
    expect(follower.status).toMatchObject({ refused: 1, failure: undefined });
    await writer.add(sent(1n));
    await feed(log, writer);
    await follower.catchUp();
    expect(reader.chain.head.header.number).toBe(2n);
  });

  it("trusts the record's senders only if configured to", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0, true);
    await writer.add(sent(0n));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    log.replace(withPayload(good, encodeChange({ ...change, senders: [OTHER] })));
    await follower.catchUp();
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    expect(senderOf(transaction as Transaction, 2019n)).toEqual(OTHER);
    expect(refused).toEqual([]);
  });

  it("rejects a created contract's address that is derived from someone other than the signer", async () => {
    const { log, writer, reader, follower } = await setUp(0);
    await writer.add(sent(0n, { to: undefined, value: 0n }));
    await feed(log, writer);
    const good = await lastRecord(log);
    const change = decodeChange(good.payload, keccak256);
    const [receipt] = change.receipts as [Receipt];
    expect(receipt.contractAddress).toEqual(contractAddress(SENDER.address, 0n));
    const receipts = [{ ...receipt, contractAddress: contractAddress(OTHER, 0n) }];
    log.replace(withPayload(good, encodeChange({ ...change, receipts, senders: [OTHER] })));
    await expect(follower.catchUp()).rejects.toThrow("the receipt of transaction 0 names another contract");
    expect(reader.chain.head.header.number).toBe(0n);
    log.replace(good);
    await follower.catchUp();
    expect(reader.chain.head.hash).toEqual(writer.chain.tip.hash);
  });

  it("goes no further than a few blocks past one with a forged sender", async () => {
    const { log, writer, reader, follower, refused } = await setUp(0);
    // Only validators could seal that.
    await addUnsigned(log, writer);
    for (let i = 0; i < 6; i++) await writer.add();
    await feed(log, writer);
    await expect(follower.catchUp()).rejects.toThrow("block 1 has an invalid signature");
    expect(Number(reader.chain.tip.header.number)).toBeLessThan(6);
    const [transaction] = reader.chain.block(1n)?.transactions ?? [];
    expect(() => senderOf(transaction as Transaction, 2019n)).toThrow();
    expect(refused.map(({ message }) => message).join()).toContain("the record of block 1");
  });
});
