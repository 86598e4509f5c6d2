import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_PARAMS } from "../../../protocol/params/defaults.ts";
import { rulesOfLevel } from "../../../protocol/params/rules.ts";
import { type Address, ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StakingInfo } from "../staking/staking-info.ts";
import { sortAddresses } from "./address-order.ts";
import { Selection, type SelectionInput } from "./committee.ts";
import { GoRandom, legacySeed, randaoSeed } from "./go-random.ts";
import { uniformProposers, weightedProposers, withoutRemoved } from "./proposer-list.ts";
import {
  demotedValidators,
  effectiveCommitteeSize,
  faultsOf,
  qualifiedValidators,
  quorumOf,
} from "./qualified.ts";

const vectors = new URL("../../../../test/fixtures/vectors/net/", import.meta.url);
// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
const read = (name: string): any => JSON.parse(readFileSync(new URL(name, vectors), "utf8"));
const addressOf = (i: number): Address => new Uint8Array(20).fill(i + 1);
const addresses = (count: number): Address[] => Array.from({ length: count }, (_, i) => addressOf(i));

describe("Go's random generator", () => {
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  it.each(read("go-rand.json").vectors as any[])(
    "with seed $seed",
    ({ seed, uint64, shuffle10, legacyShuffle10 }) => {
      const random = new GoRandom(BigInt(seed));
      const words = uint64.map(() => random.next());
      const hex = (word: number) => word.toString(16).padStart(8, "0");
      expect(
        words.map(({ high, low }: { high: number; low: number }) => `0x${hex(high)}${hex(low)}`),
      ).toEqual(uint64);
      const ten = Array.from({ length: 10 }, (_, i) => i);
      expect(new GoRandom(BigInt(seed)).shuffled(ten)).toEqual(shuffle10);
      expect(new GoRandom(BigInt(seed)).legacyShuffled(ten)).toEqual(legacyShuffle10);
    },
  );

  it("shuffles without losing elements", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.array(fc.integer()),
        (seed, list) => {
          const sorted = [...list].sort();
          expect(new GoRandom(seed).shuffled(list).sort()).toEqual(sorted);
          expect(new GoRandom(seed).legacyShuffled(list).sort()).toEqual(sorted);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("is seeded by the first bytes of hashes", () => {
    const hash = new Uint8Array(32).fill(0xff);
    expect(randaoSeed(hash)).toBe(-1n);
    expect(legacySeed(hash)).toBe(2n ** 60n - 1n);
  });
});

describe("the order of addresses", () => {
  it("follows their checksummed hex: upper case first", () => {
    const spelled = [
      "0x5A1a7213DF91F73cE58aaBf612F6f48B12CCd49b",
      "0x5ac3EB8584e9DC61414DbF2F2Cf1c47c2a26B82e",
      "0x672a53273a3802B411457B2f5dEA942DDF8C1985",
    ];
    const shuffled = [2, 1, 0].map((i) => hexToBytes((spelled[i] as string).toLowerCase()));
    expect(sortAddresses(shuffled).map(bytesToHex)).toEqual(spelled.map((text) => text.toLowerCase()));
  });
});

function selectionOf(input: Partial<SelectionInput>): Selection {
  return new Selection({
    number: 5n,
    policy: 2,
    committeeSize: 3,
    randao: true,
    qualified: addresses(6),
    parentHash: ZERO_HASH,
    parentMixHash: undefined,
    parentProposer: addressOf(2),
    proposerList: () => ({ list: addresses(6), madeAt: 0n, interval: 6n }),
    ...input,
  });
}

describe("committees and proposers", () => {
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  it.each(read("committee-randao.json").rows as any[])("of recorded block $number, round $round", (row) => {
    const selection = selectionOf({
      number: BigInt(row.number),
      committeeSize: row.size,
      qualified: row.qualified.map(hexToBytes),
      parentHash: hexToBytes(row.prevHash),
      parentMixHash: hexToBytes(row.prevMixHash),
    });
    expect(bytesToHex(selection.proposer(row.round))).toBe(row.proposer);
    expect(selection.committee(row.round).map(bytesToHex)).toEqual(row.committee);
  });

  it("rotates under policy 0 and is sticky under policy 1", () => {
    expect(selectionOf({ policy: 0 }).proposer(0)).toEqual(addressOf(3));
    expect(selectionOf({ policy: 0, parentProposer: ZERO_ADDRESS }).proposer(0)).toEqual(addressOf(1));
    expect(selectionOf({ policy: 1 }).proposer(0)).toEqual(addressOf(2));
    expect(selectionOf({ policy: 1 }).proposer(5)).toEqual(addressOf(1));
  });

  it("follows the interval's proposer list under policy 2 before randao", () => {
    const selection = selectionOf({ randao: false });
    expect([selection.proposer(0), selection.proposer(3)]).toEqual([addressOf(4), addressOf(1)]);
  });

  it.each([
    [0, 2],
    [2, 2],
  ])("includes the proposer, the next one and others in a random committee (policy %i)", (policy) => {
    const selection = selectionOf({ policy, randao: false });
    const committee = selection.committee(0);
    expect(committee).toHaveLength(3);
    expect(committee.slice(0, 2)).toEqual([selection.proposer(0), selection.proposer(1)]);
    expect(new Set(committee.map(bytesToHex)).size).toBe(3);
  });

  it("is all validators, or only the proposer, depending on the size", () => {
    expect(selectionOf({ committeeSize: 6 }).committee(0)).toHaveLength(6);
    const alone = selectionOf({ committeeSize: 1, randao: false });
    expect(alone.committee(2)).toEqual([alone.proposer(2)]);
  });

  it("skips repetitions of the proposer to find the next one", () => {
    const list = [0, 0, 0, 0, 0, 3].map(addressOf);
    const committee = (interval: bigint) => {
      const proposerList = () => ({ list, madeAt: 0n, interval });
      return selectionOf({ randao: false, number: 1n, proposerList }).committee(0);
    };
    expect(committee(5n).slice(0, 2)).toEqual([addressOf(0), addressOf(3)]);
    // The reference node looks no further than one update interval, and then everybody is in the committee.
    expect(committee(4n)).toEqual(addresses(6));
  });
});

function stakingOf(amounts: readonly bigint[]): StakingInfo {
  const nodes = amounts.map((amount, i) => ({
    nodeId: addressOf(i),
    stakingContract: addressOf(100 + i),
    rewardAddress: addressOf(50 + i),
    amount,
  }));
  return { sourceBlock: 0n, nodes, kefAddress: addressOf(200), kifAddress: addressOf(201) };
}

describe("qualification", () => {
  const params = { ...DEFAULT_PARAMS, policy: 2, minimumStake: 5n, governingNode: addressOf(0) };
  const input = { rules: rulesOfLevel(1n, 3), params, staking: () => stakingOf([1n, 5n, 4n]) };

  it("demotes validators with too little stake, under policy 2 from istanbul on", () => {
    expect(demotedValidators(addresses(3), input)).toEqual([addressOf(0), addressOf(2)]);
    expect(qualifiedValidators(addresses(3), input)).toEqual([addressOf(1)]);
    expect(demotedValidators(addresses(3), { ...input, params: { ...params, policy: 0 } })).toEqual([]);
    expect(demotedValidators(addresses(3), { ...input, rules: rulesOfLevel(1n, 0) })).toEqual([]);
  });

  it("never demotes all, nor the governing node in single mode", () => {
    expect(demotedValidators(addresses(3), { ...input, staking: () => stakingOf([]) })).toEqual([]);
    const single = { ...input, params: { ...params, governanceMode: "single" as const } };
    expect(demotedValidators(addresses(3), single)).toEqual([addressOf(2)]);
  });

  it("has the published quorums", () => {
    const sizes = [1, 2, 3, 4, 5, 6, 7, 10, 21];
    expect(sizes.map(quorumOf)).toEqual([1, 2, 3, 3, 4, 4, 5, 7, 14]);
    expect(sizes.map(faultsOf)).toEqual([0, 0, 0, 1, 1, 1, 2, 3, 6]);
    expect(effectiveCommitteeSize(30, 21)).toBe(21);
  });
});

describe("proposer lists before randao", () => {
  const hash = new Uint8Array(32).fill(0x5a);

  it("name every validator once from kore on", () => {
    const list = uniformProposers(addresses(7), hash);
    expect(sortAddresses(list)).toEqual(sortAddresses(addresses(7)));
  });

  it("name validators by their share of the stakes before kore, each at least once", () => {
    const list = weightedProposers(addresses(3), {
      staking: stakingOf([70n, 30n, 0n]),
      useGini: false,
      hash,
    });
    const times = addresses(3).map((address) => list.filter((entry) => entry[0] === address[0]).length);
    expect(times).toEqual([70, 30, 1]);
  });

  it("flatten the weights by the Gini coefficient", () => {
    const list = weightedProposers(addresses(2), {
      staking: stakingOf([9_000_000n, 1_000_000n]),
      useGini: true,
      hash,
    });
    const first = list.filter((entry) => entry[0] === 1).length;
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(90);
  });

  it("name every validator once without stakes, and no removed ones", () => {
    const list = weightedProposers(addresses(3), { staking: stakingOf([]), useGini: false, hash });
    expect(list).toHaveLength(3);
    expect(withoutRemoved(list, [addressOf(1)])).toHaveLength(2);
  });
});
