import type { ExecutedBlock } from "../../ledger/chain/chain.ts";
import { readGenesis } from "../../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../ledger/chain/genesis/genesis-init.ts";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import { BlockProducer } from "../../network/consensus/block-producer.ts";
import { ChainClock } from "../../network/consensus/solo/chain-clock.ts";
import { Sealer } from "../../network/consensus/solo/sealer.ts";
import { SoloEngine } from "../../network/consensus/solo/solo-engine.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { blsSecretKey } from "../../protocol/crypto/bls.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import type { ConfigJson } from "../../protocol/params/config-json.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { type Ledger, openLedger } from "../storage/ledger.ts";

/** Blocks that may wait for the disk. */
const MAX_BACKLOG = 64;

/** A chain whose blocks hold exactly the given transactions. */
export interface SealedChain {
  readonly ledger: Ledger;
  /** Seals the next block. @throws Error if a transaction was left out */
  seal(...transactions: Transaction[]): Promise<ExecutedBlock>;
}

/**
 * Opens a chain of a single validator, in memory or in a folder, and seals it without a pool.
 * @param genesis - in the Kaia JSON form
 */
export async function openSealedChain(options: {
  readonly genesis: ConfigJson;
  readonly validatorKey: Uint8Array;
  readonly history?: "full" | "archive";
  readonly directory?: string;
}): Promise<SealedChain> {
  const { genesis, validatorKey, ...place } = options;
  // Deadlines of blocks, which the EVM compares with the machine's clock, are never reached.
  const stopped = { now: () => 0, elapsed: () => Number.MAX_SAFE_INTEGER };
  const clock = new ChainClock(stopped); // each block a second after its parent, long ago
  const runtime = { ...systemRuntime, clock: stopped }; // no block ends because the machine is slow
  const solo = {
    ...{ nodeKey: validatorKey, settings: {}, clock, runtime, logger: silentLogger },
    mode: { kind: "manual" } as const,
  };
  let engine: SoloEngine | undefined;
  const ledger = await openLedger({
    ...place,
    genesis: initialGenesis(readGenesis(genesis)),
    blsKey: blsSecretKey(validatorKey),
    engine: (parts) => (engine = new SoloEngine({ ...parts, ...solo })),
    recovery: createInlineRecovery,
    runtime: systemRuntime,
  });
  const { chain, processor, branches } = ledger;
  let candidates: readonly Transaction[] = [];
  const producer = new BlockProducer({
    ...{ chain, processor, branches, settings: {}, runtime, logger: silentLogger },
    pool: poolOf(() => candidates),
    author: addressOfPublicKey(publicKeyOf(validatorKey)),
  });
  const sealer = new Sealer({
    ...{ producer, clock, logger: silentLogger },
    prepare: (parent, nowMs) => ledger.engine.prepare(parent, nowMs),
    seal: (block) => (engine as SoloEngine).seal(block),
  });
  const { signal } = new AbortController();
  return {
    ledger,
    async seal(...transactions) {
      candidates = transactions;
      const sealed = await sealer.seal(true, signal);
      if (sealed?.block.transactions.length !== transactions.length)
        throw new Error("a transaction was left out");
      await chain.published(MAX_BACKLOG);
      return sealed;
    },
  };
}

/** The part of a pool that a sealer uses. */
function poolOf(candidates: () => readonly Transaction[]): TransactionPool {
  return {
    executable: candidates,
    remove: () => {},
    status: () => ({ pending: candidates().length, queued: 0 }),
    get: () => undefined,
  } as unknown as TransactionPool;
}
