import { describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash, committedSealMessage } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { decodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import { encodeSeal, withCommittedSeals } from "../../../protocol/block/seal.ts";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { DEFAULT_PARAMS } from "../../../protocol/params/defaults.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { sealAlone } from "../solo/solo-engine.ts";
import { openRecorded, readFixture, readJson, recordedBlocks } from "../testing/recorded-chain.ts";
import { verifyBlobFields, verifyPlainFields } from "./header-rules.ts";

const genesisText = readFixture("bft4/genesis.json").toString();
const keys: string[] = readJson("bft4/validators.json").map(({ nodeKey }: { nodeKey: string }) => nodeKey);

/** The recorded chain of four validators with its first `count` blocks, and the next one. */
async function opened(count: number) {
  const recorded = await openRecorded(genesisText);
  const blocks = [...recordedBlocks("bft4")].slice(0, count + 1);
  for (const block of blocks.slice(0, count)) await recorded.insert(block);
  return { ...recorded, next: blocks[count] as Block };
}

/** A proposed header with the seals of all validators; the last of the keys is a stranger's. */
function committedByAll(header: Header): Header {
  const message = committedSealMessage(blockHash(header));
  const seals = keys.slice(0, -1).map((key) => encodeSeal(sign(message, hexToBytes(key))));
  return withCommittedSeals(header, seals, 0);
}

/** One chain for all tests that only look. */
const { rules, chain, next } = await opened(2);

describe("a header that breaks a rule", () => {
  it.each<[string, (header: Header) => Partial<Header>]>([
    ["header is missing baseFee", () => ({ baseFee: undefined as never })],
    [
      "invalid baseFee: have 1, want 25000000000, parentBaseFee 25000000000, parentGasUsed 0",
      () => ({ baseFee: 1n }),
    ],
    ["block in the future", () => ({ time: 5_000_000_000n })],
    ["invalid extra data format", ({ extra }) => ({ extra: extra.subarray(0, 40) })],
    ["invalid blockscore", () => ({ blockScore: 2n })],
    ["unknown ancestor", () => ({ parentHash: new Uint8Array(32) })],
    ["invalid timestamp", ({ time }) => ({ time: time - 100_000_000n })],
    ["unauthorized", ({ gasUsed }) => ({ gasUsed: gasUsed + 1n })],
  ])("is refused: %s", (reason, change) => {
    const header = { ...next.header, ...change(next.header) };
    expect(() => rules.verifyHeader(header, chain.tip.header)).toThrowError(reason);
  });

  it.each<[string, (header: Header) => Partial<Header>]>([
    ["invalid randao fields", () => ({ randomReveal: undefined as never })],
    ["invalid randao fields", () => ({ mixHash: new Uint8Array(32) })],
    ["header is missing excessBlobGas", () => ({ excessBlobGas: undefined as never })],
    ["invalid excessBlobGas: have 1, want 0", () => ({ excessBlobGas: 1n })],
    ["blob gas used 262144 exceeds maximum allowance 131072", () => ({ blobGasUsed: 262_144n })],
    ["blob gas used 5 not a multiple of blob gas per blob 131072", () => ({ blobGasUsed: 5n })],
    ["governance is not allowed in non-epoch block", () => ({ governance: hexToBytes("0x827b7d") })],
  ])("and is sealed by its proposer is refused: %s", (reason, change) => {
    // A proposer's reveal holds for its own blocks alone, so the block is sealed again by the one that made it.
    const author = rules.author(next.header);
    const proposed = keys
      .map((key) =>
        sealAlone({ ...next, header: { ...next.header, ...change(next.header) } }, hexToBytes(key)),
      )
      .find(({ header }) => Buffer.compare(rules.author(header), author) === 0) as Block;
    expect(() => rules.verifyHeader(committedByAll(proposed.header), chain.tip.header)).toThrowError(reason);
  });

  it("is rejected with too few, foreign or duplicate committed seals", () => {
    const { committedSeals } = decodeIstanbulExtra(next.header.extra);
    const verify = (seals: readonly Uint8Array[]) => () =>
      rules.verifyHeader(withCommittedSeals(next.header, seals, 0), chain.tip.header);
    const [first, second] = committedSeals as [Uint8Array, Uint8Array];
    expect(verify([])).toThrowError("zero committed seals");
    expect(verify([first, second])).toThrowError("invalid committed seals");
    expect(verify([first, second, first])).toThrowError("invalid committed seals");
    expect(verify([...committedSeals.slice(1), new Uint8Array(65)])).toThrowError("invalid signature");
    expect(verify(committedSeals)).not.toThrow();
  });

  it("is rejected if it is more than one second ahead of the clock", () => {
    const { config, params } = chain;
    const verify = (aheadMs: number) => () =>
      verifyPlainFields(next.header, chain.tip.header, {
        config,
        params,
        nowMs: Number(next.header.time) * 1000 - aheadMs,
      });
    expect(verify(1001)).toThrowError(expect.objectContaining({ code: "FUTURE_BLOCK" }));
    expect(verify(1000)).not.toThrow();
  });
});

describe("fields of inactive forks", () => {
  const config = parseChainConfig({ chainId: 1 });
  const parent = { number: 0n, time: 0n } as Header;

  it.each<[string, Partial<Header>]>([
    ["unexpected excessBlobGas before osaka", { excessBlobGas: 0n }],
    ["unexpected blobGasUsed before osaka", { blobGasUsed: 0n }],
  ])("are refused: %s", (reason, fields) => {
    expect(() => verifyBlobFields({ number: 1n, ...fields } as Header, parent, config)).toThrowError(reason);
  });

  it("are rejected: a base fee before magma", () => {
    const input = { config, params: { at: () => DEFAULT_PARAMS }, nowMs: 0 };
    const header = { number: 1n, baseFee: 0n } as Header;
    expect(() => verifyPlainFields(header, parent, input)).toThrowError("invalid baseFee before fork");
  });
});

describe("the hash of a parent", () => {
  it("does not depend on its committed seals", () => {
    const reduced = withCommittedSeals(chain.tip.header, [], 3);
    expect(blockHash(reduced)).toEqual(next.header.parentHash);
  });
});
