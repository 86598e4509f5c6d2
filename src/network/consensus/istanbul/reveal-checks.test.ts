import { describe, expect, it } from "vitest";
import { revealMessage } from "../../../ledger/extensions/randao/random-reveal.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { type Bls, blsSecretKey, loadBls } from "../../../protocol/crypto/bls.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { openRecorded, readFixture, recordedBlocks } from "../testing/recorded-chain.ts";
import { RevealChecks } from "./reveal-checks.ts";

const native = await loadBls();
const [secret, other] = [1, 2].map((i) => blsSecretKey(new Uint8Array(32).fill(i))) as [
  Uint8Array,
  Uint8Array,
];
const [key, otherKey] = [native.publicKey(secret), native.publicKey(other)];
const recorded = [...recordedBlocks("all-types")].map(({ header }) => header);

/** Headers of a chain, with reveals of one key. */
function headersOf(count: number, by: Uint8Array = secret): Header[] {
  return recorded
    .slice(0, count)
    .map((header) => ({ ...header, randomReveal: native.sign(revealMessage(header.number), by) }));
}

function open(keys: (number: bigint) => Uint8Array = () => key, hasMany = true) {
  const verified = { single: 0, together: [] as number[] };
  const bls: Pick<Bls, "verify" | "verifyAll"> = {
    verify(...args) {
      verified.single++;
      return native.verify(...args);
    },
    ...(hasMany && {
      verifyAll(signed) {
        verified.together.push(signed.length);
        return native.verifyAll?.(signed) ?? false;
      },
    }),
  };
  const checks = new RevealChecks({ bls, keys: { publicKey: (_, number) => keys(number) } });
  return { checks, verified };
}

describe("reveals of many headers", () => {
  it("are checked together, each once", () => {
    const { checks, verified } = open();
    const headers = headersOf(5);
    checks.checkAhead(headers);
    expect(headers.map((header) => checks.isValid(header, key))).toEqual(new Array(5).fill(true));
    expect(verified).toEqual({ single: 0, together: [5] });
  });

  it("are checked individually if one is invalid", () => {
    const { checks, verified } = open();
    const headers = headersOf(5);
    headers[3] = { ...(headers[3] as Header), randomReveal: headers[2]?.randomReveal as Uint8Array };
    checks.checkAhead(headers);
    expect(headers.map((header) => checks.isValid(header, key))).toEqual([true, true, true, false, true]);
    expect(verified).toEqual({ single: 5, together: [5] });
  });

  it("are valid only for the key that they were checked against", () => {
    const { checks } = open();
    const headers = headersOf(3);
    checks.checkAhead(headers);
    expect(headers.map((header) => checks.isValid(header, otherKey))).toEqual([false, false, false]);
    const others = headersOf(3, other);
    checks.checkAhead(others);
    expect(others.map((header) => checks.isValid(header, otherKey))).toEqual([true, true, true]);
  });

  it("are checked with the keys at the first block, since those of later ones are not known", () => {
    const asked: bigint[] = [];
    const { checks } = open((number) => {
      asked.push(number);
      return key;
    });
    const headers = headersOf(3);
    checks.checkAhead(headers);
    expect(new Set(asked)).toEqual(new Set([headers[0]?.number]));
  });

  it("are skipped without a key, without a reveal, or if there are few", () => {
    const { checks, verified } = open(() => {
      throw new NodeError("RANDAO", "bls pubkey not found for the proposer");
    });
    checks.checkAhead(headersOf(3));
    const once = open();
    once.checks.checkAhead(headersOf(1));
    once.checks.checkAhead(
      headersOf(3).map((header, i) => ({ ...header, ...(i > 0 && { randomReveal: EMPTY_BYTES }) })),
    );
    expect([verified.together, once.verified.together]).toEqual([[], []]);
    const slow = open(undefined, false);
    const [first, second] = headersOf(2) as [Header, Header];
    slow.checks.checkAhead([first, second]);
    expect([slow.checks.isValid(first, key), slow.verified.single]).toEqual([true, 1]);
  });
});

describe("the header rules", () => {
  it("accept a chain whose reveals were checked ahead, and none with an invalid one", async () => {
    const { rules, insert, chain } = await openRecorded(readFixture("all-types/genesis.json").toString());
    const blocks = [...recordedBlocks("all-types")].slice(0, 12);
    rules.verifyAhead(blocks.map(({ header }) => header));
    for (const block of blocks.slice(0, 10)) await insert(block);
    const [good, next] = blocks.slice(10) as [(typeof blocks)[0], (typeof blocks)[0]];
    const wrong = { ...good.header, randomReveal: next.header.randomReveal as Uint8Array };
    rules.verifyAhead([wrong, next.header]);
    expect(() => rules.verifyHeader(wrong, chain.tip.header)).toThrow();
    await insert(good);
    expect(chain.tip.header.number).toBe(11n);
  });
});
