import { describe, expect, it } from "vitest";
import { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { decodeIstanbulExtra, encodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../block-producer.ts";
import { FollowingEngine } from "../following-engine.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import { openRecorded } from "../testing/recorded-chain.ts";
import { ChainClock } from "./chain-clock.ts";
import { SoloEngine, type SoloParts } from "./solo-engine.ts";

const nodeKey = new Uint8Array(32).fill(0x11);
const validator = addressOfPublicKey(publicKeyOf(nodeKey));
const rewardbase = new Uint8Array(20).fill(0x22);

/** An engine that is never started. */
function createSolo(
  parts: Pick<SoloParts, "rules" | "validators" | "nodeKey"> & { readonly settings: ProposerSettings },
): SoloEngine {
  const runtime = createSimulatedRuntime();
  const clock = new ChainClock(runtime.clock);
  return new SoloEngine({ ...parts, runtime, clock, mode: { kind: "manual" }, logger: silentLogger });
}

/** A genesis with one validator and the forks before randao. */
function genesisText(): string {
  const forks = ["istanbul", "london", "ethTxType", "magma", "kore", "shanghai", "cancun"];
  const extra = {
    vanity: new Uint8Array(32),
    validators: [validator],
    seal: new Uint8Array(65),
    committedSeals: [],
  };
  return JSON.stringify({
    config: {
      chainId: 2019,
      ...Object.fromEntries(forks.map((fork) => [`${fork}CompatibleBlock`, 0])),
      istanbul: { epoch: 5, policy: 0, sub: 1 },
      governance: {
        governanceMode: "single",
        governingNode: bytesToHex(validator),
        reward: { mintingAmount: 1000, ratio: "100/0/0", deferredTxFee: true },
      },
    },
    timestamp: "0x10",
    extraData: bytesToHex(encodeIstanbulExtra(extra)),
    alloc: {},
  });
}

async function open() {
  const recorded = await openRecorded(genesisText());
  const { rules, extensions } = recorded;
  const vanity = new TextEncoder().encode("kairn");
  const solo = createSolo({
    rules,
    validators: extensions.validators,
    nodeKey,
    settings: { rewardbase, vanity },
  });
  /** Prepares, runs and seals an empty block; others check it like any block. */
  const sealNext = async (nowMs: number) => {
    const header = solo.prepare(recorded.chain.tip.header, nowMs);
    const draft = await recorded.processor.draft({ header, author: validator, candidates: [], now: () => 0 });
    const sealed = solo.seal(draft.block);
    await recorded.insert(sealed);
    return sealed.header;
  };
  return { ...recorded, solo, sealNext };
}

describe("a council of one", () => {
  it("seals blocks that pass every check, and gets the rewards", async () => {
    const { sealNext, chain, rules } = await open();
    for (let i = 0; i < 6; i++) await sealNext(20_000);
    const { header } = chain.tip;
    expect(header).toMatchObject({ number: 6n, baseFee: 25_000_000_000n, blockScore: 1n });
    expect(rules.author(header)).toEqual(validator);
    expect(chain.store.latest().account(rewardbase)?.balance).toBe(6000n);
    const extra = decodeIstanbulExtra(header.extra);
    expect(extra).toMatchObject({ validators: [validator] });
    expect(extra.committedSeals).toHaveLength(1);
    expect(new TextDecoder().decode(extra.vanity.subarray(0, 5))).toBe("kairn");
  });

  it("seals blocks from its start to its stop", async () => {
    const { solo, chain, processor, branches, rules } = await open();
    const runtime = createSimulatedRuntime();
    const recovery = createInlineRecovery(2019n);
    const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
    const parts = { chain, processor, branches, pool, settings: {}, runtime, logger: silentLogger };
    await expect(solo.sealing.sealNow()).rejects.toMatchObject({ code: "STOPPED" });
    solo.start(new BlockProducer({ ...parts, author: validator }));
    const made = await solo.sealing.sealNow();
    expect(made?.block.header.number).toBe(1n);
    expect(rules.author(chain.tip.header)).toEqual(validator);
    await solo.stop();
    await expect(solo.sealing.sealNow()).rejects.toMatchObject({ code: "STOPPED" });
  });

  it("enforces the header rules", async () => {
    const { sealNext, solo, chain } = await open();
    const parent = chain.tip.header;
    const header = await sealNext(20_000);
    solo.verifyHeader(header, parent);
    expect(() => solo.verifyHeader({ ...header, blockScore: 2n }, parent)).toThrow();
  });

  it("spaces blocks by one second, or by the clock if it is later", async () => {
    const { sealNext } = await open();
    expect(await sealNext(20_340)).toMatchObject({ time: 20n, timeFoS: 34 });
    expect(await sealNext(20_560)).toMatchObject({ time: 21n, timeFoS: 34 });
    expect(await sealNext(30_990)).toMatchObject({ time: 30n, timeFoS: 99 });
  });

  it("puts votes into blocks and their result into the next epoch block", async () => {
    const { sealNext, extensions } = await open();
    extensions.governance.cast(validator, "governance.unitprice", 5, 1n);
    expect((await sealNext(20_000)).vote.length).toBeGreaterThan(0);
    expect((await sealNext(20_000)).vote).toHaveLength(0);
    for (let i = 3; i < 5; i++) expect((await sealNext(20_000)).governance).toHaveLength(0);
    expect((await sealNext(20_000)).governance.length).toBeGreaterThan(0);
    expect([9n, 10n].map((number) => extensions.params.at(number).unitPrice)).toEqual([0n, 5n]);
  });

  it("does not seal when it is not a validator", async () => {
    const { rules, extensions, solo, chain } = await open();
    const stranger = createSolo({
      rules,
      validators: extensions.validators,
      nodeKey: new Uint8Array(32).fill(3),
      settings: {},
    });
    const block = { header: solo.prepare(chain.tip.header, 0), transactions: [] };
    expect(() => stranger.seal(block)).toThrowError("unauthorized");
  });
});

describe("a follower", () => {
  it("verifies blocks and seals none", async () => {
    const { sealNext, rules, chain } = await open();
    const parent = chain.tip.header;
    const header = await sealNext(20_000);
    const follower = new FollowingEngine(rules);
    expect(() => follower.verifyHeader(header, parent)).not.toThrow();
    expect(() => follower.prepare(header, 0)).toThrowError("unauthorized");
    expect(follower.author(header)).toEqual(validator);
  });
});
