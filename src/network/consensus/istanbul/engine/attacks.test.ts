import { describe, expect, it } from "vitest";
import { transfer, wallet } from "../../../../ledger/txpool/testing/transactions.ts";
import { encodeItem } from "../../../../protocol/codec/rlp/item.ts";
import { EMPTY_BYTES, numberToBytes } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { Vote } from "../messages/message.ts";
import { encodeEnvelope } from "../messages/message-codec.ts";
import { makeMessage } from "../messages/open-message.ts";
import { withByzantineProposer } from "./testing/byzantine-proposer.ts";

describe("one byzantine validator of four", { timeout: 120_000 }, () => {
  it("cannot invalidate a block by sending it with other transactions", async () => {
    const { network, number, propose, liar, honest, signer } = await withByzantineProposer();
    const [a, b, c] = [0, 1, 2, 3].filter((index) => index !== liar.index) as [number, number, number];
    const { chainId } = network.validator(a).chain.config;
    propose({}, [c], liar.key, [transfer(wallet(0), { nonce: 0n, value: 1n }, chainId)]);
    const digest = propose({}, [a, b]);
    const view = { sequence: BigInt(number), round: 0, digest, parentHash: honest.header.parentHash };
    const prepare = makeMessage({ kind: "prepare", ...view }, signer);
    for (const index of [a, b]) network.deliver(liar.index, index, prepare);
    // two of three honest ones are committed to it from now on, and nothing is decided without the third
    await network.reach(number, 110_000);
    expect(network.validator(c).chain.hash(BigInt(number))).toEqual(digest);
  });

  it("has its recent messages relayed once", async () => {
    const { network, number, propose, liar, signer } = await withByzantineProposer();
    const { link } = network;
    network.link = (passed) => passed.message.content.kind !== "commit" && link(passed);
    const digest = propose({});
    await network.runtime.advance(20);
    const say = (kind: Vote["kind"], said: Uint8Array, nonce: number) => {
      const parentHash = new Uint8Array(32).fill(nonce);
      const message = makeMessage(
        { kind, sequence: BigInt(number), round: 0, digest: said, parentHash },
        signer,
      );
      for (const { index } of network.validators) network.deliver(liar.index, index, message);
    };
    for (let nonce = 0; nonce < 50; nonce++) {
      say("prepare", digest, nonce);
      say("roundChange", new Uint8Array(32).fill(nonce), nonce);
    }
    await network.runtime.advance(20);
    const ways = network.sent.flatMap(({ from, to, message: { sender, content } }) => {
      const isOfLiar = from !== liar.index && bytesToHex(sender) === bytesToHex(liar.address);
      const isAboutIt = content.sequence === BigInt(number) && content.kind !== "preprepare";
      return isOfLiar && isAboutIt ? [`${content.kind} ${from} ${to}`] : [];
    });
    expect(ways.length).toBeGreaterThan(0);
    expect(new Set(ways).size).toBe(ways.length);
  });

  it("causes no signature checks of messages that cannot count, and no hashing of oversized votes", async () => {
    const { network, number, liar } = await withByzantineProposer();
    const victim = network.validator((liar.index + 1) % 4);
    const other = network.validator((liar.index + 2) % 4);
    const previousHash = new Uint8Array(32);
    const say = (sequence: number, sender: Uint8Array, kind: "preprepare" | "prepare" = "preprepare") => {
      const content = encodeItem([[EMPTY_BYTES, numberToBytes(sequence)], new Uint8Array(5_000)]);
      const unsigned = { signature: new Uint8Array(65), committedSeal: EMPTY_BYTES };
      const payload = encodeEnvelope({ previousHash, kind, content, sender, ...unsigned });
      const peer = { address: liar.address, send: () => {} };
      return () => victim.engine.receive(peer, { previousHash, payload });
    };
    for (const sequence of [number, number + 1, number + 2])
      expect(say(sequence, other.address)).not.toThrow();
    expect(say(number, liar.address)).toThrow("message not signed by the sender");
    expect(say(number + 1, liar.address)).not.toThrow();
    expect(say(number, liar.address, "prepare")).toThrow("oversized vote");
  });
});
