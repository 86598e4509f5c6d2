import { beforeAll, describe, expect, it } from "vitest";
import {
  openRecorded,
  readFixture,
  readJson,
  recordedBlocks,
} from "../../../../network/consensus/testing/recorded-chain.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { exactText } from "../../exact-json.ts";
import { chainConsensusHandlers, istanbulHandlers } from "./chain-consensus.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";
import { governanceHandlers } from "./governance.ts";

const LAST = 60n;
const access = { modules: [], methods: new Map(), subscriptions: new Map() };
const context = { signal: new AbortController().signal, access };

describe("consensus of the recorded chain of four validators", () => {
  let deps: ConsensusDeps & { readonly senderIndex: boolean };

  beforeAll(async () => {
    const { chain, extensions, processor } = await openRecorded(readFixture("bft4/genesis.json").toString());
    for (const block of recordedBlocks("bft4")) {
      if (block.header.number > LAST) break;
      const { totals, staged } = processor.verify(block);
      chain.commit(staged, { block, hash: blockHash(block.header), receipts: totals.receipts });
    }
    await chain.published();
    deps = { chain, extensions, nodeAddress: ZERO_ADDRESS, rewardbase: () => undefined, senderIndex: true };
  }, 60_000);

  it("pays what the reference says it pays", () => {
    const recorded = readJson("bft4/blocks.json.gz");
    const { getRewards } = chainConsensusHandlers(deps);
    for (let number = 1n; number <= LAST; number++) {
      const shown = JSON.parse(exactText(getRewards({ number }, context) as never));
      expect(shown, `block ${number}`).toEqual(recorded[String(number)].rewards);
    }
  });

  it("sums rewards over blocks, and refuses ranges that are none", () => {
    const { getRewards } = chainConsensusHandlers(deps);
    const { getRewardsAccumulated } = governanceHandlers(deps);
    const sum = [1n, 2n, 3n].reduce(
      (total, number) => total + ((getRewards({ number }, context) as { minted: bigint }).minted as bigint),
      0n,
    );
    expect(getRewardsAccumulated({ first: 1n, last: 3n }, context)).toMatchObject({ totalMinted: sum });
    expect(() => getRewardsAccumulated({ first: 3n, last: 1n }, context)).toThrow(
      "invalid block number range",
    );
  });

  it("knows who could decide and who did", () => {
    const recorded = readJson("bft4/istanbul.json");
    const { getCommittee, getBlockWithConsensusInfoByNumber } = chainConsensusHandlers(deps);
    const { getValidators } = istanbulHandlers(deps);
    const block = getBlockWithConsensusInfoByNumber({ number: 5n }, context) as Record<string, unknown>;
    const validators = (getValidators({ number: 5n }, context) as Uint8Array[]).map(bytesToHex);
    const committee = (getCommittee({ number: 5n }, context) as Uint8Array[]).map(bytesToHex);
    expect(block["committee"]).toEqual(committee);
    expect(validators).toEqual(expect.arrayContaining(committee));
    expect(committee).toEqual(expect.arrayContaining(block["committers"] as string[]));
    expect(block["proposer"]).toBe(recorded[5].proposer);
    expect(() => getCommittee({ number: "pending" }, context)).toThrow("pending is not allowed");
    expect(() => getValidators({ number: LAST + 2n }, context)).toThrow("unknown block");
  });
});
