import { beforeAll, describe, expect, it } from "vitest";
import { SupplyHistory } from "../../../../ledger/extensions/supply/supply-history.ts";
import type { StateStore } from "../../../../ledger/state/state.ts";
import {
  openRecorded,
  readFixture,
  readJson,
  recordedBlocks,
} from "../../../../network/consensus/testing/recorded-chain.ts";
import { TimeSlice } from "../../../../platform/runtime/turns/time-slice.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { HeavyReads } from "../../services/heavy-reads.ts";
import { type ExactJson, type ExactObject, exactText } from "../../spec/values/exact-json.ts";
import type { JsonText } from "../../spec/values/json-text.ts";
import { chainConsensusHandlers, istanbulHandlers } from "./chain-consensus.ts";
import type { ConsensusDeps } from "./consensus-reader.ts";
import { governanceHandlers } from "./governance.ts";
import { rewardOf } from "./rewards.ts";
import { supplyHandlers } from "./supply.ts";

const LAST = 60n;
const access = { modules: [], methods: new Map(), subscriptions: new Map() };
const shown = (block: unknown): Record<string, unknown> => JSON.parse(String((block as JsonText).text));
const context = { signal: new AbortController().signal, access };

describe("consensus of the recorded chain of four validators", () => {
  let deps: ConsensusDeps;
  let store: StateStore;

  beforeAll(async () => {
    const { chain, extensions, execute } = await openRecorded(readFixture("bft4/genesis.json").toString());
    for (const block of recordedBlocks("bft4")) {
      if (block.header.number > LAST) break;
      await execute(block);
    }
    await chain.published();
    store = chain.store;
    deps = {
      ...{ chain, extensions, nodeAddress: ZERO_ADDRESS },
      reads: new HeavyReads(new TimeSlice()),
      rewardbase: () => undefined,
    };
  }, 60_000);

  it("pays the rewards that the reference reports", () => {
    const recorded = readJson("bft4/blocks.json.gz");
    const { getRewards } = chainConsensusHandlers(deps);
    for (let number = 1n; number <= LAST; number++) {
      const shown = JSON.parse(exactText(getRewards({ number }, context) as never));
      expect(shown, `block ${number}`).toEqual(recorded[String(number)].rewards);
    }
  });

  it("reads no registry of an unknown block", () => {
    const { getActiveAddressFromRegistry } = chainConsensusHandlers(deps);
    expect(() => getActiveAddressFromRegistry({ name: "KIP113", number: LAST + 1000n }, context)).toThrow(
      "block does not exist in blockchain",
    );
  });

  it("finds no author who would earn the fees of a genesis under immediate distribution", () => {
    const { chain } = deps;
    const at = (magma: boolean): ConsensusDeps => {
      const changed = {
        header: (number: bigint) => chain.header(number),
        author: chain.author.bind(chain),
        params: { at: () => ({ ...chain.params.at(0n), deferredTxFee: false }) },
        rulesAt: () => ({ ...chain.rulesAt(0n), magma }),
      };
      return { ...deps, chain: changed as unknown as ConsensusDeps["chain"] };
    };
    expect(() => rewardOf(at(false), 0n)).toThrow("recovery failed");
    expect(rewardOf(at(true), 0n)).toMatchObject({ totalFee: 0n });
  });

  it("accounts for the whole supply: balances equal minted minus burnt", async () => {
    const history = () => new SupplyHistory({ chain: deps.chain, store, pause: async () => {} });
    const { getTotalSupply } = supplyHandlers({ ...deps, supply: history() });
    for (const number of [LAST, 0n, 1n, 37n]) {
      let held = 0n;
      for (const { account } of store.at(number)?.accounts() ?? []) held += account.balance;
      const { minted, burntFee } = await history().at(number, context.signal);
      expect(minted - burntFee, `block ${number}`).toBe(held);
      const shown = await getTotalSupply({ number }, context);
      expect(shown).toMatchObject({
        number: `0x${number.toString(16)}`,
        totalMinted: `0x${minted.toString(16)}`,
      });
    }
    for (const [number, text] of [
      [LAST + 1n, "block not found"],
      [LAST + 128n, "supply checkpoint not found"],
    ] as const)
      await expect(getTotalSupply({ number }, context)).rejects.toThrow(text);
  });

  it("sums rewards over blocks, and refuses invalid ranges", () => {
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

  it("knows committee, committers and proposer", async () => {
    const recorded = readJson("bft4/istanbul.json");
    const { getCommittee, getBlockWithConsensusInfoByNumber } = chainConsensusHandlers(deps);
    const { getValidators } = istanbulHandlers(deps);
    const block = shown(await getBlockWithConsensusInfoByNumber({ number: 5n }, context));
    expect(Object.keys(block)).toEqual(Object.keys(block).sort());
    const validators = (getValidators({ number: 5n }, context) as Uint8Array[]).map(bytesToHex);
    const committee = (getCommittee({ number: 5n }, context) as Uint8Array[]).map(bytesToHex);
    expect(block["committee"]).toEqual(committee);
    expect(validators).toEqual(expect.arrayContaining(committee));
    expect(committee).toEqual(expect.arrayContaining(block["committers"] as string[]));
    expect(block["proposer"]).toBe(recorded[5].proposer);
    expect(() => getCommittee({ number: "pending" }, context)).toThrow("pending is not allowed");
    expect(() => getValidators({ number: LAST + 2n }, context)).toThrow("unknown block");
  });
  it("shows blocks with consensus information in time slices, alone and in a range", async () => {
    const handlers = chainConsensusHandlers(deps);
    const range = await handlers.getBlockWithConsensusInfoByNumberRange({ first: 0n, last: 3n }, context);
    const alone = [0n, 1n, 2n, 3n].map(async (number) => [
      `0x${number}`,
      shown(await handlers.getBlockWithConsensusInfoByNumber({ number }, context)),
    ]);
    expect(shown(range)).toEqual(Object.fromEntries(await Promise.all(alone)));
    const left = { ...context, signal: AbortSignal.abort() };
    const busy = { isDue: () => true, yield: async () => {} };
    const inTurns = chainConsensusHandlers({ ...deps, reads: new HeavyReads(busy) });
    const ended = inTurns.getBlockWithConsensusInfoByNumberRange({ first: 0n, last: 3n }, left);
    await expect(ended).rejects.toThrow("the caller has disconnected");
  });

  it("shows a committee in the order of the validators, not of their selection", async () => {
    const council = deps.extensions.validators.council(5n);
    const chosen = { committee: () => council.toReversed(), proposer: () => ZERO_ADDRESS };
    const extensions = { ...deps.extensions, validators: chosen } as unknown as ConsensusDeps["extensions"];
    const { getCommittee, getBlockWithConsensusInfoByNumber } = chainConsensusHandlers({
      ...deps,
      extensions,
    });
    const block = shown(await getBlockWithConsensusInfoByNumber({ number: 5n }, context));
    expect(getCommittee({ number: 5n }, context)).toEqual(council.toReversed());
    expect(block["committee"]).toEqual(council.map(bytesToHex));
  });

  it("writes the history of governance as recorded", () => {
    const { status } = governanceHandlers(deps);
    const shown = JSON.parse(exactText(status({}, context) as ExactObject));
    const recorded = readJson("bft4/governance.json").status;
    expect(Object.keys(shown.govHistory).length).toBeGreaterThan(1);
    expect(recorded.govHistory).toMatchObject(shown.govHistory);
    expect(recorded.groupedVotes).toMatchObject(shown.groupedVotes);
  });

  it("writes amounts in votes as numbers, with all digits", () => {
    const own = governanceHandlers({ ...deps, nodeAddress: deps.chain.params.at(1n).governingNode });
    own.vote({ name: "reward.mintingamount", value: "1234567890123456789" }, context);
    expect(exactText(own.myVotes({}, context) as ExactJson)).toContain(
      '"Value":1234567890123456789,"Casted":false',
    );
  });
});
