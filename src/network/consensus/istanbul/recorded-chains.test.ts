import { describe, expect, it } from "vitest";
import { shownParams } from "../../../ledger/extensions/governance/shown-params.ts";
import { blockReward } from "../../../ledger/extensions/reward/block-reward.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { roundOf } from "../../../protocol/block/istanbul-extra.ts";
import { authorOf } from "../../../protocol/block/seal.ts";
import { governanceJson } from "../../../protocol/params/parameter-json.ts";
import { PARAMETERS } from "../../../protocol/params/parameters.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  readJson,
  recordedBlocks,
} from "../testing/recorded-chain.ts";

const hexList = (addresses: readonly Address[]) => addresses.map(bytesToHex);

/** The reference node's response to `kaia_getRewards`. */
function expectReward({ extensions, chain }: RecordedChain, recorded: Record<string, unknown>) {
  const { number, rewardbase } = chain.tip.header;
  const { payments, ...totals } = blockReward({
    rules: rulesAt(chain.config, number),
    params: extensions.params.at(number),
    rewardbase,
    totalFee: BigInt(recorded["totalFee"] as number),
    staking: () => extensions.staking.at(number),
  });
  const { rewards, ...amounts } = recorded;
  expect(Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, Number(value)]))).toEqual(
    amounts,
  );
  const paid = payments.map(({ address, amount }) => [bytesToHex(address), Number(amount)]);
  expect(Object.fromEntries(paid)).toEqual(rewards);
}

describe("recorded chains", () => {
  it.each(["all-types", "forks"])(
    "%s: every header, state root and reward",
    async (name) => {
      const recorded = await openRecorded(readFixture(`${name}/genesis.json`).toString());
      const expected = readJson(`${name}/expect.json`);
      const answers = readJson(`${name}/blocks.json.gz`);
      for (const block of recordedBlocks(name)) {
        await recorded.insert(block);
        const { number } = block.header;
        expectReward(recorded, answers[String(number)].rewards);
      }
      expect(bytesToHex(recorded.chain.tip.hash)).toBe(expected.headHash);
    },
    120_000,
  );

  it("bft4: councils, committees, proposers and parameters through votes and round changes", async () => {
    const recorded = await openRecorded(readFixture("bft4/genesis.json").toString());
    const { validators, params } = recorded.extensions;
    const istanbul = readJson("bft4/istanbul.json");
    const recordedParams = readJson("bft4/params.json");
    const answers = readJson("bft4/blocks.json.gz");
    for (const block of recordedBlocks("bft4")) {
      await recorded.insert(block);
      const { header } = block;
      const { number } = header;
      const want = istanbul[Number(number)];
      const round = roundOf(header.extra);
      expect(hexList(validators.council(number)).sort()).toEqual([...want.council].sort());
      expect(hexList(validators.committee(number, round)).sort()).toEqual([...want.committee].sort());
      expect(hexList(validators.qualified(number))).toEqual(want.validators);
      expect(validators.proposer(number, round)).toEqual(authorOf(header));
      expect(bytesToHex(validators.proposer(number, 0))).toBe(want.originProposer);
      if (recordedParams[String(number)] !== undefined) {
        const have = JSON.parse(
          governanceJson(shownParams(params.at(number), recorded.chain.rulesAt(number)), PARAMETERS),
        );
        expect(have).toMatchObject(normalized(recordedParams[String(number)]));
      }
      expectReward(recorded, answers[String(number)].rewards);
    }
    expect(bytesToHex(recorded.chain.tip.hash)).toBe(readJson("bft4/expect.json").headHash);
  }, 120_000);

  it("bft4: a rewind reverts votes and councils, and the same blocks can be inserted again", async () => {
    const recorded = await openRecorded(readFixture("bft4/genesis.json").toString());
    const { chain, extensions, insert } = recorded;
    const blocks = [...recordedBlocks("bft4")].slice(0, 60);
    for (const block of blocks) await insert(block);
    const before = {
      council: hexList(extensions.validators.council(61n)),
      params: extensions.params.at(61n),
    };
    await chain.rewind(5n);
    expect(extensions.params.votes().size).toBe(0);
    expect(extensions.params.data()).toHaveLength(1);
    for (const block of blocks.slice(5)) await insert(block);
    expect({
      council: hexList(extensions.validators.council(61n)),
      params: extensions.params.at(61n),
    }).toEqual(before);
    expect(chain.tip.hash).toEqual(blockHash(blocks.at(-1)?.header as never));
  }, 120_000);
});

/** Amounts are recorded as numbers. */
function normalized(params: Record<string, unknown>): Record<string, unknown> {
  const decimal = ["reward.mintingamount", "reward.minimumstake"];
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      decimal.includes(name) ? String(BigInt(value as number)) : value,
    ]),
  );
}
