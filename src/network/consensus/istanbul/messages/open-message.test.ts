import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import { equalBytes, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import type { Vote } from "./message.ts";
import { decodeEnvelope, encodeContent, encodeEnvelope, signedHash } from "./message-codec.ts";
import { hasValidSeal, type MessageSigner, makeMessage, openMessage, signerOf } from "./open-message.ts";

function signerBy(digit: number): MessageSigner {
  const key = new Uint8Array(32).fill(digit);
  return signerOf(addressOfPublicKey(publicKeyOf(key)), key);
}

const [one, two] = [signerBy(1), signerBy(2)];
const digest = new Uint8Array(32).fill(7);
const commit: Vote = { kind: "commit", sequence: 9n, round: 3, digest, parentHash: ZERO_HASH };
const isOne = (address: Uint8Array): boolean => equalBytes(address, one.address);

describe("messages of validators", () => {
  it("round-trip", () => {
    const { content, sender, payload } = openMessage(makeMessage(commit, one, digest).payload, isOne);
    expect(content).toEqual(commit);
    expect(sender).toEqual(one.address);
    expect(makeMessage(content, one, digest).payload).toEqual(payload);
  });

  it("of non-validators are rejected before anything is hashed", () => {
    const { payload } = makeMessage(commit, two);
    const damaged = encodeEnvelope({ ...decodeEnvelope(payload), signature: new Uint8Array(65) });
    expect(() => openMessage(damaged, isOne)).toThrowError("unauthorized address");
  });

  it("are rejected if not signed by their sender", () => {
    const envelope = { ...decodeEnvelope(makeMessage(commit, two).payload), sender: one.address };
    const forged = { ...envelope, signature: two.sign(signedHash(envelope)) };
    expect(() => openMessage(encodeEnvelope(forged), isOne)).toThrowError("not signed by the sender");
  });

  it("count as commits only with the sender's seal over the block that they name", () => {
    const opened = (made: { payload: Uint8Array }) => openMessage(made.payload, isOne);
    expect(hasValidSeal(opened(makeMessage(commit, one, digest)))).toBe(true);
    expect(hasValidSeal(opened(makeMessage(commit, one, ZERO_HASH)))).toBe(false);
    expect(hasValidSeal(opened(makeMessage(commit, one)))).toBe(false);
    expect(hasValidSeal(opened(makeMessage({ ...commit, kind: "prepare" }, one)))).toBe(false);
  });

  it("have rounds of at most four bytes, and seals only in commits", () => {
    const far = { ...commit, round: 2 ** 32 };
    expect(() => openMessage(makeMessage(far, one).payload, isOne)).toThrowError("round out of range");
    expect(
      openMessage(makeMessage({ ...commit, round: 2 ** 32 - 1 }, one).payload, isOne).content.round,
    ).toBe(2 ** 32 - 1);
    const sealedPrepare = makeMessage({ ...commit, kind: "prepare" }, one, digest);
    expect(() => openMessage(sealedPrepare.payload, isOne)).toThrowError("unexpected committed seal");
  });

  it("have no trailing bytes", () => {
    const content = encodeContent(commit);
    const longer = Uint8Array.of(...content, 0);
    const envelope = { ...decodeEnvelope(makeMessage(commit, one).payload), content: longer };
    const payload = encodeEnvelope({ ...envelope, signature: one.sign(signedHash(envelope)) });
    expect(() => openMessage(payload, isOne)).toThrowError("more than one value");
  });
});
