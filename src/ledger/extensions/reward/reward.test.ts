import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_PARAMS } from "../../../protocol/params/defaults.ts";
import { rulesOfLevel } from "../../../protocol/params/rules.ts";
import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { emptyStakingInfo, type LiquidityPool, type StakingInfo } from "../staking/staking-info.ts";
import { blockReward, blockRewardWithFees, burntFee, type RewardInput } from "./block-reward.ts";

const addressOf = (i: number): Address => new Uint8Array(20).fill(i);
const [KIF, KEF, BASE, AUTHOR] = [201, 202, 203, 204].map(addressOf) as [Address, Address, Address, Address];
const BEFORE_MAGMA = rulesOfLevel(1n, 3);
const MAGMA = rulesOfLevel(1n, 4);
const KORE = rulesOfLevel(1n, 5);
const PRAGUE = rulesOfLevel(1n, 10);

const simple = { ...DEFAULT_PARAMS, mintingAmount: 100n, deferredTxFee: true };
const shared = { ...simple, policy: 2, ratio: "34/54/12", kip82Ratio: "20/80", minimumStake: 5n };

/** Validators 1, 2, … with the stakes given; their reward addresses are 101, 102, … */
function stakes(amounts: readonly bigint[], pools?: readonly LiquidityPool[]): StakingInfo {
  const nodes = amounts.map((amount, i) => ({
    nodeId: addressOf(i + 1),
    stakingContract: addressOf(i + 51),
    rewardAddress: addressOf(i + 101),
    amount,
  }));
  return { sourceBlock: 0n, nodes, kifAddress: KIF, kefAddress: KEF, ...(pools && { pools }) };
}

function input(fields: Partial<RewardInput>): RewardInput {
  return {
    rules: KORE,
    params: simple,
    rewardbase: BASE,
    totalFee: 1001n,
    staking: () => stakes([]),
    ...fields,
  };
}

/** What an address is paid; addresses are one byte repeated. */
const paid = (reward: ReturnType<typeof blockReward>) =>
  Object.fromEntries(reward.payments.map(({ address, amount }) => [address[0] as number, amount]));

describe("simple reward", () => {
  it("pays everything to the reward base; half of the fees are burnt from magma on", () => {
    expect(blockReward(input({ rules: BEFORE_MAGMA }))).toMatchObject({ burntFee: 0n, proposer: 1101n });
    expect(blockReward(input({ rules: MAGMA }))).toMatchObject({ burntFee: 500n, proposer: 601n });
    expect(paid(blockReward(input({ rules: KORE })))).toEqual({ 203: 601n });
  });

  it("pays non-deferred fees again before magma, and not after", () => {
    const params = { ...simple, deferredTxFee: false };
    expect(paid(blockReward(input({ rules: BEFORE_MAGMA, params })))).toEqual({ 203: 1101n });
    expect(blockReward(input({ rules: MAGMA, params }))).toMatchObject({
      totalFee: 0n,
      burntFee: 0n,
      proposer: 100n,
    });
  });

  it("reports non-deferred fees: paid to the author before magma, half burnt after", () => {
    const params = { ...simple, deferredTxFee: false };
    const before = blockRewardWithFees(input({ rules: BEFORE_MAGMA, params }), AUTHOR);
    expect(paid(before)).toEqual({ 203: 1101n, 204: 1001n });
    const after = blockRewardWithFees(input({ rules: MAGMA, params }), AUTHOR);
    expect(after).toMatchObject({ totalFee: 1001n, burntFee: 500n, proposer: 601n });
    expect(paid(after)).toEqual({ 203: 601n });
    const deferred = input({ rules: MAGMA });
    expect(blockRewardWithFees(deferred, AUTHOR)).toEqual(blockReward(deferred));
  });
});

describe("shared reward before kore", () => {
  it("splits minted amount and fees by the ratio; the infrastructure fund gets the remainder", () => {
    const reward = blockReward(input({ rules: BEFORE_MAGMA, params: shared }));
    expect(paid(reward)).toEqual({ 203: 374n, 201: 595n, 202: 132n });
  });

  it("pays the share of a fund without an address to the proposer", () => {
    const reward = blockReward(input({ rules: MAGMA, params: shared, staking: () => emptyStakingInfo(0n) }));
    expect(reward).toMatchObject({ kif: 0n, kef: 0n, proposer: 601n });
    expect(paid(reward)).toEqual({ 203: 601n });
  });
});

describe("shared reward from kore on", () => {
  const params = { ...shared, mintingAmount: 10_000n };

  it("burns the fees up to the amount minted for the proposer", () => {
    expect(burntFee(1001n, { rules: KORE, params })).toBe(1001n);
    expect(burntFee(2001n, { rules: KORE, params })).toBe(1000n + 680n);
    expect(burntFee(1001n, { rules: MAGMA, params })).toBe(500n);
  });

  it("pays stakers by their stake above the minimum", () => {
    const reward = blockReward(input({ params, staking: () => stakes([6n, 8n, 5n, 1n]) }));
    expect(reward).toMatchObject({ stakers: 2720n, proposer: 680n, kif: 5400n, kef: 1200n });
    expect(paid(reward)).toEqual({ 101: 680n, 102: 2040n, 201: 5400n, 202: 1200n, 203: 680n });
  });

  it("pays the proposer the stakers' remainder", () => {
    expect(blockReward(input({ params, staking: () => stakes([5n]) }))).toMatchObject({
      stakers: 0n,
      proposer: 3400n,
    });
    expect(blockReward(input({ params, staking: () => stakes([6n, 6n, 6n]) })).proposer).toBe(680n + 2n);
  });

  it("merges the payments to one reward address", () => {
    const info = stakes([3n, 3n]);
    const joined = { ...info, nodes: info.nodes.map((node) => ({ ...node, rewardAddress: BASE })) };
    expect(paid(blockReward(input({ params, staking: () => joined })))[203]).toBe(680n + 2720n);
  });

  it("adds nothing for non-deferred fees", () => {
    const notDeferred = { ...params, deferredTxFee: false };
    expect(blockReward(input({ params: notDeferred }))).toMatchObject({ totalFee: 0n, burntFee: 0n });
  });
});

describe("liquidity pools from prague on", () => {
  const params = { ...shared, mintingAmount: 10_000n };
  const pools = [{ nodeId: addressOf(1), pool: addressOf(150), amount: 2n }];

  it("share the rewards of their validator, as staker and as proposer", () => {
    const staking = () => stakes([6n, 6n], pools);
    const reward = blockReward(input({ rules: PRAGUE, params, rewardbase: addressOf(101), staking }));
    // Stakers: excess 3 and 1 of 4; the first's 2040 and the proposer's 680 are split 6 : 2.
    expect(paid(reward)).toEqual({ 101: 1530n + 510n, 150: 510n + 170n, 102: 680n, 201: 5400n, 202: 1200n });
  });

  it("do not count before prague", () => {
    const reward = blockReward(input({ params, staking: () => stakes([6n, 6n], pools) }));
    expect(paid(reward)).toMatchObject({ 101: 1360n, 102: 1360n });
  });
});

describe("every reward", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 20n });

  it("pays out exactly the minted amount and the fees, less the burnt ones", () => {
    const cases = fc.record({
      level: fc.integer({ min: 0, max: 11 }),
      policy: fc.constantFrom(0, 1, 2),
      deferredTxFee: fc.boolean(),
      mintingAmount: amount,
      totalFee: amount,
      amounts: fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { maxLength: 6 }),
      hasFunds: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ level, totalFee, amounts, hasFunds, ...fields }) => {
        const info = stakes(amounts);
        const staking = () =>
          hasFunds ? info : { ...info, kifAddress: ZERO_ADDRESS, kefAddress: ZERO_ADDRESS };
        const rules = rulesOfLevel(1n, level);
        const reward = blockReward(input({ rules, params: { ...shared, ...fields }, totalFee, staking }));
        const total = reward.payments.reduce((sum, payment) => sum + payment.amount, 0n);
        expect(total).toBe(reward.minted + reward.totalFee - reward.burntFee);
        expect(reward.proposer + reward.stakers + reward.kif + reward.kef).toBe(total);
      }),
    );
  });
});
