import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proposerSealMessage } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { unsealedExtra } from "../../../protocol/block/istanbul-extra.ts";
import { encodeSeal, withProposerSeal } from "../../../protocol/block/seal.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { addressOfPublicKey, publicKeyOf, sign } from "../../../protocol/crypto/secp256k1.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { decodeGovernanceData, encodeGovernanceData, equalParams } from "./governance-data.ts";
import { effectiveFrom, GovernanceHistory } from "./governance-history.ts";
import { GovernanceRules } from "./governance-rules.ts";
import { createVote, decodeVote, encodeVote } from "./vote.ts";

const path = new URL("../../../../test/fixtures/vectors/net/governance.json", import.meta.url);
const recorded: { readonly blocks: readonly { readonly vote: string; readonly governance: string }[] } =
  JSON.parse(readFileSync(path, "utf8"));
const key = new Uint8Array(32).fill(7);
const voter = addressOfPublicKey(publicKeyOf(key));
const other = new Uint8Array(20).fill(9);

describe("votes", () => {
  const votes = recorded.blocks.map(({ vote }) => vote).filter((vote) => vote !== "0x");

  it.each(votes)("round-trips the recorded %s", (vote) => {
    expect(bytesToHex(encodeVote(decodeVote(hexToBytes(vote))))).toBe(vote);
  });

  it.each([
    ["kip71.gastarget", 31_000_000],
    ["istanbul.committeesize", 5],
    ["reward.mintingamount", "9600000000000000001"],
    ["reward.ratio", "50/30/20"],
    ["governance.govparamcontract", `0x${"12".repeat(20)}`],
    ["governance.addvalidator", `0x${"12".repeat(20)},0x${"34".repeat(20)}`],
  ])("round-trips %s = %s", (name, value) => {
    const vote = createVote(voter, name, value);
    expect(decodeVote(encodeVote(vote))).toEqual(vote);
  });

  it.each([
    ["governance.governancemode", "none"],
    ["istanbul.epoch", 5],
    ["reward.minimumstake", "5"],
    ["kip71.gastarget", "5"],
    ["unknown.name", 1],
    ["governance.addvalidator", "0x12"],
  ])("refuses %s = %s", (name, value) => {
    expect(() => createVote(voter, name, value)).toThrowError();
  });

  it("reads the last 20 bytes of an address written as text, as on mainnet", () => {
    const text = new TextEncoder().encode(`0x${"ab".repeat(20)}`);
    const vote = encodeItem([voter, new TextEncoder().encode("governance.addvalidator"), text]);
    expect(decodeVote(vote)).toMatchObject({ validators: [text.slice(-20)] });
  });

  it("fails only with a governance error, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(() => decodeVote(bytes)).toThrowError(expect.objectContaining({ code: "GOVERNANCE_VOTE" }));
      }),
    );
  });
});

describe("governance data", () => {
  it("of the recorded epoch block are the last votes of the epoch, sorted", () => {
    const governance = recorded.blocks.at(-1)?.governance as string;
    const data = decodeGovernanceData(hexToBytes(governance));
    expect(data).toEqual({
      unitPrice: 26_000_000_000n,
      gasTarget: 31_000_000n,
      mintingAmount: 9_600_000_000_000_000_001n,
    });
    expect(bytesToHex(encodeGovernanceData(data))).toBe(governance);
  });

  it.each([
    ["0xc0", "invalid rlp"],
    ["0x8161", "invalid rlp"],
    ["0x827b7b", "invalid json"],
    [bytesToHex(encodeItem(new TextEncoder().encode('{"a":1}'))), "invalid gov data"],
  ])("%s is refused: %s", (bytes, reason) => {
    expect(() => decodeGovernanceData(hexToBytes(bytes))).toThrowError(reason);
  });

  it("are equal if names and values are; addresses are compared by bytes", () => {
    expect(equalParams({ governingNode: voter.slice() }, { governingNode: voter })).toBe(true);
    expect(equalParams({ unitPrice: 1n }, { unitPrice: 1n, gasTarget: 1n })).toBe(false);
  });
});

describe("parameters take effect", () => {
  it.each([
    [10n, true, 0n],
    [19n, true, 0n],
    [20n, true, 10n],
    [29n, true, 10n],
    [30n, true, 20n],
    [20n, false, 0n],
    [21n, false, 10n],
    [31n, false, 20n],
  ])("at block %s (kore %s) from data up to block %s", (number, kore, want) => {
    expect(effectiveFrom(number, 10n, kore)).toBe(want);
  });
});

/** A header sealed by `key`. */
function header(number: bigint, fields: Partial<Header> = {}): Header {
  const blank = {
    parentHash: ZERO_HASH,
    rewardbase: voter,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
  };
  const unsealed: Header = {
    ...blank,
    receiptsRoot: ZERO_HASH,
    bloom: new Uint8Array(256),
    blockScore: 1n,
    number,
    gasUsed: 0n,
    time: number,
    timeFoS: 0,
    extra: unsealedExtra(EMPTY_BYTES, [voter]),
    governance: EMPTY_BYTES,
    vote: EMPTY_BYTES,
    ...fields,
  };
  return withProposerSeal(unsealed, encodeSeal(sign(proposerSealMessage(unsealed), key)));
}

const executed = (block: Header) => ({
  block: { header: block, transactions: [] },
  hash: ZERO_HASH,
  receipts: [],
});

/** Governance of a chain with epochs of ten blocks; a map stands for the database. */
function governanceOf(governance: object = { governanceMode: "none" }) {
  const forks = Object.fromEntries(
    ["istanbul", "london", "ethTxType", "magma", "kore"].map((fork) => [`${fork}CompatibleBlock`, 0]),
  );
  const config = parseChainConfig({ chainId: 1, ...forks, istanbul: { epoch: 10, sub: 4 }, governance });
  const rows = new Map<string, [Uint8Array, Uint8Array]>();
  const store = {
    range: (table: string): [Uint8Array, Uint8Array][] =>
      [...rows].filter(([name]) => name.startsWith(`${table}/`)).map(([, row]) => row),
  };
  const history = new GovernanceHistory({ config, genesis: header(0n), store });
  const ancestry = { header: () => undefined, stateAt: () => undefined };
  const rules = new GovernanceRules({ history, ancestry, council: () => [voter] });
  const insert = (block: Header): void => {
    rules.verifyHeader(block);
    for (const { table, key: id, value } of history.inserted(executed(block))) {
      const name = `${table}/${bytesToHex(id)}`;
      if (value === null) rows.delete(name);
      else rows.set(name, [id, value]);
    }
    history.committed(executed(block));
    rules.committed(executed(block));
  };
  const reopened = () => new GovernanceHistory({ config, genesis: header(0n), store });
  return { history, rules, insert, reopened };
}

describe("governance of a chain", () => {
  it("collects a vote in the next epoch block, and applies it one epoch later", () => {
    const { history, rules, insert, reopened } = governanceOf();
    rules.cast(voter, "governance.unitprice", 5, 1n);
    rules.cast(voter, "governance.unitprice", 7, 1n);
    for (let number = 1n; number <= 10n; number++) insert(sealed(rules, number));
    expect(rules.ownVotes).toEqual([]);
    expect(history.announced(10n).unitPrice).toBe(7n);
    expect([history.at(19n).unitPrice, history.at(20n).unitPrice]).toEqual([0n, 7n]);
    expect(reopened().at(20n).unitPrice).toBe(7n);
    history.rewind(header(9n));
    expect(history.at(20n).unitPrice).toBe(0n);
    expect(history.votes().size).toBe(2);
  });

  it.each([{ epoch: 0 }, { epoch: "" }, {}])("needs an epoch of at least one block: %j", (istanbul) => {
    const config = parseChainConfig({ chainId: 1, istanbul: { sub: 1, ...istanbul } });
    const store = { range: () => [] };
    expect(() => new GovernanceHistory({ config, genesis: header(0n), store })).toThrow(
      "chain configuration: istanbul.epoch is 0 or missing",
    );
  });

  it("rejects governance data that do not follow from votes", () => {
    const { insert } = governanceOf();
    const governance = encodeGovernanceData({ unitPrice: 7n });
    expect(() => insert(header(9n, { governance }))).toThrowError(
      "governance is not allowed in non-epoch block",
    );
    expect(() => insert(header(10n, { governance }))).toThrowError(
      "does not match the vote in previous epoch",
    );
    insert(header(1n, { vote: encodeVote(createVote(voter, "governance.unitprice", 7)) }));
    expect(() => insert(header(10n))).toThrowError("does not match the vote in previous epoch");
    expect(() => insert(header(10n, { governance }))).not.toThrow();
  });

  it("accepts votes only by the block's author, if it is in the council", () => {
    const { rules } = governanceOf();
    const voteOf = (who: Uint8Array) =>
      header(1n, { vote: encodeVote(createVote(who, "governance.unitprice", 7)) });
    expect(() => rules.verifyHeader(voteOf(other))).toThrowError("your vote couldn't be placed");
    expect(() => rules.verifyHeader(voteOf(voter))).not.toThrow();
  });

  it.each([
    ["kip71.lowerboundbasefee", 800_000_000_000, "lowerboundbasefee is greater than upperboundbasefee"],
    ["kip71.upperboundbasefee", 1, "upperboundbasefee is less than lowerboundbasefee"],
    ["governance.govparamcontract", `0x${"12".repeat(20)}`, "govparamcontract is not an account"],
    ["governance.removevalidator", bytesToHex(voter), "gov node is found in the valset vote value"],
    ["governance.governancemode", "none", "your vote couldn't be placed"],
  ])("refuses to cast %s = %s: %s", (name, value, reason) => {
    const { rules } = governanceOf({ governanceMode: "single", governingNode: bytesToHex(voter) });
    expect(() => rules.cast(voter, name, value, 1n)).toThrowError(reason);
  });

  it("lets only the governing node vote in single mode", () => {
    const { rules } = governanceOf({ governanceMode: "single", governingNode: bytesToHex(other) });
    expect(() => rules.cast(voter, "governance.unitprice", 5, 1n)).toThrowError(
      "you don't have the right to vote",
    );
  });
});

/** What the node would propose, sealed. */
function sealed(rules: GovernanceRules, number: bigint): Header {
  const { vote, governance } = rules.prepare(header(number));
  return header(number, { vote, governance });
}
