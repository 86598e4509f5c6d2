import { expect, it } from "vitest";
import { DiskHealth } from "../../ledger/database/disk-health.ts";
import { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import { BlockProducer } from "../../network/consensus/block-producer.ts";
import { openRecorded, readFixture, readJson } from "../../network/consensus/testing/recorded-chain.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { createLogger, silentLogger } from "../../platform/telemetry/logger.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { createIstanbulEngine } from "./istanbul.ts";
import { ValidatorLinks } from "./validator-links.ts";

const NODE_KEYS = (readJson("bft4/validators.json") as { nodeKey: string }[]).map(({ nodeKey }) =>
  hexToBytes(nodeKey),
);

/** One of four validators by itself, until it has requested a round change. */
async function validatedAlone(dataDir?: string) {
  const runtime = createSimulatedRuntime({ startMs: 1_900_000_000_000 });
  const [nodeKey, otherKey] = NODE_KEYS as [Uint8Array, Uint8Array];
  const recorded = await openRecorded(readFixture("bft4/genesis.json").toString(), {
    ...{ clock: runtime.clock, nodeKey },
  });
  const { chain, processor, branches, rules, extensions } = recorded;
  const recovery = createInlineRecovery(chain.config.chainId);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => 0 });
  const author = addressOfPublicKey(publicKeyOf(nodeKey));
  const producer = new BlockProducer({
    ...{ chain, processor, branches, pool, runtime, author, settings: {}, logger: silentLogger },
    verification: { recovery },
  });
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const { logger } = createLogger({ verbosity: 3, format: "text", now: () => 0, write });
  const rounds: number[] = [];
  const watch = {
    began: ({ round }: { round: number }) => void rounds.push(round),
    timedOut() {},
    refused() {},
    decided() {},
  };
  const links = new ValidatorLinks();
  let received = 0;
  const options = { runtime, logger, ...(dataDir !== undefined && { dataDir }) };
  const engine = createIstanbulEngine(
    options,
    { rules, validators: extensions.validators, tipNumber: () => chain.tip.header.number },
    { nodeKey, settings: {}, links, voteHealth: new DiskHealth(runtime.timers), watch },
  );
  // Connected only after the engine was created, as on a node.
  links.connected({ address: addressOfPublicKey(publicKeyOf(otherKey)), send: () => void received++ });
  engine.start(producer);
  for (let i = 0; i < 400 && received === 0; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    await runtime.advance(100);
  }
  await engine.stop();
  return { files: runtime.files, received, rounds, lines };
}

it("sends its votes to those connected, and keeps them in the data folder", async () => {
  const { files, received, rounds, lines } = await validatedAlone("data");
  expect(received).toBeGreaterThan(0);
  expect(rounds[0]).toBe(0);
  expect(lines.join("")).toMatch(/consensus.*this node validates/);
  const [segment] = files.list("data/votes");
  expect(files.read(`data/votes/${segment}`).length).toBeGreaterThan(0);
});

it("keeps its votes in memory without a data folder", async () => {
  const { files, received } = await validatedAlone();
  expect(received).toBeGreaterThan(0);
  expect(files.list("data/votes")).toEqual([]);
  expect(files.list("votes")).toEqual([]);
});
