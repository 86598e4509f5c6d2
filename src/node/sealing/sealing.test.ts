import { describe, expect, it } from "vitest";
import { CHAIN_ID, createLedger, genesisOf } from "../../ledger/chain/testing/ledger.ts";
import type { Gasless } from "../../ledger/extensions/gasless/gasless.ts";
import type { ValidatorSets } from "../../ledger/extensions/valset/validator-sets.ts";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import { openRecorded, readFixture, readJson } from "../../network/consensus/testing/recorded-chain.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import { blsSecretKey } from "../../protocol/crypto/bls.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { NodeOptions } from "../node-options.ts";
import {
  checkBlsKey,
  createProducer,
  createSoloEngine,
  isOnlyValidator,
  openGasless,
  seatObstacle,
  warnNotSealing,
} from "./sealing.ts";

const recorded = await openRecorded(readFixture("bft4/genesis.json").toString());
const VALIDATOR = hexToBytes((readJson("bft4/validators.json") as [{ nodeKey: string }])[0].nodeKey);
const STRANGER = new Uint8Array(32).fill(9);
const addressOf = (key: Uint8Array) => addressOfPublicKey(publicKeyOf(key));

describe("a seat", () => {
  const asked = (key: Uint8Array | undefined, nodeType?: "cn" | "pn" | "en") => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
    const options: NodeOptions = { logger, ...(nodeType && { peers: { nodeType } }) };
    const obstacle = seatObstacle(recorded, key);
    if (obstacle !== undefined) warnNotSealing(options, obstacle);
    return { seat: obstacle === undefined, lines };
  };

  it("belongs to a validator, without a warning", () => {
    expect(asked(VALIDATOR)).toEqual({ seat: true, lines: [] });
  });

  it("does not belong to others; a node that is meant to validate says why", () => {
    for (const type of [undefined, "cn"] as const) {
      const { seat, lines } = asked(STRANGER, type);
      expect(seat).toBe(false);
      expect(lines).toEqual([expect.stringMatching(/WARN .*this node seals no blocks: .*has no seat among/)]);
    }
    expect(asked(undefined).lines).toEqual([expect.stringContaining("it has no node key")]);
    for (const type of ["en", "pn"] as const)
      expect(asked(STRANGER, type)).toEqual({ seat: false, lines: [] });
  });

  it("is about the next block", () => {
    const numbers: bigint[] = [];
    const qualified = (number: bigint) => {
      numbers.push(number);
      return [];
    };
    const validators = { qualified } as unknown as ValidatorSets;
    seatObstacle({ chain: recorded.chain, extensions: { ...recorded.extensions, validators } }, VALIDATOR);
    expect(numbers).toEqual([recorded.chain.tip.header.number + 1n]);
  });
});

it("distinguishes the only validator from one of several, and from others", () => {
  const [own, other] = [addressOf(VALIDATOR), addressOf(STRANGER)];
  const isOnly = (...sealers: Uint8Array[]) =>
    isOnlyValidator({ qualified: (number) => (number === 7n ? sealers : []) }, 7n, own);
  expect([isOnly(own), isOnly(own, other), isOnly(other), isOnly()]).toEqual([true, false, false, false]);
});

describe("the BLS key of a validator", () => {
  const checked = (nodeKey: Uint8Array, blsKey = blsSecretKey(nodeKey)) =>
    checkBlsKey(recorded, { address: addressOf(nodeKey), blsKey });

  it("is the one in the registry", async () => {
    await expect(checked(VALIDATOR)).resolves.toBeUndefined();
  });

  it("is refused if it is another, or if the registry has none", async () => {
    const address = addressOf(VALIDATOR);
    const registered = recorded.extensions.blsKeys?.all(1n).get(bytesToHex(address))?.publicKey;
    await expect(checked(VALIDATOR, blsSecretKey(STRANGER))).rejects.toThrow(
      `the BLS key of validator ${bytesToHex(address)} is not the one in the chain's registry: ${bytesToHex(registered as Uint8Array)}`,
    );
    await expect(checked(STRANGER)).rejects.toThrow(
      `validator ${bytesToHex(addressOf(STRANGER))} has no BLS key in the chain's registry`,
    );
  });

  it("does not matter before randao", async () => {
    const early = await openRecorded(readFixture("forks/genesis.json").toString());
    expect(early.extensions.blsKeys).toBeDefined();
    const own = { address: addressOf(STRANGER), blsKey: blsSecretKey(STRANGER) };
    await expect(checkBlsKey(early, own)).resolves.toBeUndefined();
  });
});

describe("the sealing mode of the only validator", () => {
  const modeOf = (sealing: NodeOptions["sealing"], isDev: boolean) => {
    const parts = { rules: recorded.rules, validators: recorded.extensions.validators, tipNumber: () => 0n };
    const own = { nodeKey: VALIDATOR, clock: new ChainClock(systemRuntime.clock), settings: {} };
    return createSoloEngine(sealing === undefined ? {} : { sealing }, parts, own, isDev).sealing.mode;
  };

  it("is on demand on a development chain by default, and every second elsewhere", () => {
    expect(modeOf(undefined, true)).toEqual({ kind: "onDemand" });
    expect(modeOf(undefined, false)).toEqual({ kind: "interval", intervalMs: 1000 });
  });

  it("is the chosen one on both", () => {
    for (const isDev of [true, false]) {
      expect(modeOf({ kind: "onDemand" }, isDev)).toEqual({ kind: "onDemand" });
      expect(modeOf({ kind: "manual" }, isDev)).toEqual({ kind: "manual" });
      const every = { kind: "interval", intervalMs: 5000 } as const;
      expect(modeOf(every, isDev)).toEqual(every);
      expect(modeOf({ ...every, onDemand: true }, isDev)).toEqual({ ...every, onDemand: true });
    }
  });
});

it("lends gas with a key, unless it was turned off, and within the limits given", () => {
  const opened = (gasless: NodeOptions["gasless"], key: Uint8Array | undefined) =>
    openGasless(gasless === undefined ? {} : { gasless }, recorded, key, true);
  expect(opened(undefined, VALIDATOR).lends).toBe(true);
  expect(opened(false, VALIDATOR).lends).toBe(false);
  expect(opened(undefined, undefined).lends).toBe(false);
  expect(
    [opened({ maxPending: 7 }, VALIDATOR), opened(false, VALIDATOR)].map((one) => one.maxPending),
  ).toEqual([7, 100]);
});

describe("a producer", () => {
  const sender = wallet(0);

  async function setUp(
    given: { settings?: ProposerSettings; timeLimitMs?: number; gasless?: Partial<Gasless> } = {},
  ) {
    const ledger = await createLedger(genesisOf({ [sender.key]: 10n ** 20n }));
    const recovered: Transaction[] = [];
    const inline = createInlineRecovery(CHAIN_ID);
    const recovery: typeof inline = {
      ...inline,
      recover(transactions) {
        recovered.push(...transactions);
        return inline.recover(transactions);
      },
    };
    const { chain, processor, branches, consensus, runtime } = ledger;
    const pool = new ChainTransactionPool({ chain, recovery: inline, now: () => 0 });
    const sent = [0n, 1n].map((nonce) => transfer(sender, { nonce }, CHAIN_ID));
    for (const tx of sent) await pool.add(tx, { local: true });
    const { settings = {}, timeLimitMs, gasless = { lends: false } } = given;
    const producer = createProducer(
      { runtime },
      {
        ...{
          ledger: { chain, processor, branches, recovery },
          pool,
          settings,
          timeLimitMs,
          author: ZERO_ADDRESS,
        },
        gasless: gasless as Gasless,
        blobs: { fault: async () => undefined },
      },
    );
    const draft = await producer.draft((parent) => consensus.prepare(parent, 0));
    return { producer, draft, sent, recovered };
  }
  const drafted = async (given?: Parameters<typeof setUp>[0]) =>
    (await setUp(given)).draft?.block.transactions.length;

  it("takes what the pool has, within its time limit and above its minimum price", async () => {
    expect(await drafted()).toBe(2);
    expect(await drafted({ timeLimitMs: 0 })).toBe(1);
    expect(await drafted({ settings: { lowestGasPrice: 25_000_000_001n } })).toBe(0);
  });

  it("asks for bundles only where gas is lent", async () => {
    expect(await drafted({ gasless: { lends: true, bundle: () => [] } })).toBe(0);
    expect(await drafted({ gasless: { lends: false, bundle: () => [] } })).toBe(2);
  });

  it("recovers the signers of another validator's block in one batch, before it is executed", async () => {
    const { producer, draft, sent, recovered } = await setUp();
    const candidate = draft && (await producer.check(draft.block, 60_000));
    expect(candidate?.block.transactions).toEqual(sent);
    expect(recovered).toEqual(sent);
  });
});
