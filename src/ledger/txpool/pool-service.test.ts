import { describe, expect, it } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { createLogger, silentLogger } from "../../platform/telemetry/logger.ts";
import { newEoa } from "../../protocol/account/account.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { createInlineRecovery } from "../../protocol/transaction/recovery.ts";
import type { BlobVerifier } from "./blob-proofs.ts";
import { createTransactionPool } from "./pool-service.ts";
import { createPoolChain } from "./testing/chain.ts";
import { HeldVerifier } from "./testing/held-verifier.ts";
import { blobTransfer, transfer, wallet } from "./testing/transactions.ts";

const CHAIN_ID = 2019n;
const JOURNAL = "data/transactions.rlp";
const [local, remote] = [wallet(0), wallet(1)];
const tx = (nonce: bigint, from = local) => transfer(from, { nonce }, CHAIN_ID);

function serviceOf(runtime: SimulatedRuntime, blobs?: BlobVerifier, logger = silentLogger) {
  const accounts = new Map([local, remote].map(({ key }) => [key, newEoa(10n ** 20n)]));
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const service = createTransactionPool({
    chain: poolChain.chain,
    recovery: createInlineRecovery(CHAIN_ID),
    runtime,
    logger,
    blobs,
    options: { journal: JOURNAL, journalIntervalMs: 3_600_000 },
  });
  return { ...service, poolChain };
}

describe("the journal", () => {
  it("brings local transactions back after a restart, in the reference node's format", async () => {
    const runtime = createSimulatedRuntime();
    const before = serviceOf(runtime);
    await before.start();
    await before.pool.add(tx(0n), { local: true });
    await before.pool.add(tx(2n), { local: true });
    await before.pool.add(tx(0n, remote), { local: false });
    await before.stop();
    const written = concat(encodeTransaction(tx(0n)), encodeTransaction(tx(2n)));
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(written));

    const after = serviceOf(runtime);
    await after.start();
    expect(after.pool.status()).toEqual({ pending: 1, queued: 1 });
    await after.stop();
  });

  it("does not write what was included soon after it came", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, poolChain, start, stop } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    poolChain.accounts.set(local.key, { ...newEoa(10n ** 20n), nonce: 1n });
    poolChain.publish();
    await runtime.advance(100);
    expect(runtime.files.read(JOURNAL)).toHaveLength(0);
    await stop();
  });

  it("drops on its interval what is no longer there", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, poolChain, start, stop } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    await pool.add(tx(1n), { local: true });
    await runtime.advance(100);
    poolChain.accounts.set(local.key, { ...newEoa(10n ** 20n), nonce: 1n });
    poolChain.publish();
    await runtime.advance(3_600_000);
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(encodeTransaction(tx(1n))));
    await stop();
  });

  it("takes what can be read of a file that was cut", async () => {
    const runtime = createSimulatedRuntime();
    const whole = concat(encodeTransaction(tx(0n)), encodeTransaction(tx(1n)));
    await runtime.files.replace(JOURNAL, whole.subarray(0, whole.length - 9));
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
    await stop();
  });

  it("warns once of a file that is none, and keeps it beside the new one", async () => {
    const runtime = createSimulatedRuntime();
    const noise = Uint8Array.from({ length: 64 }, (_, i) => 255 - i);
    await runtime.files.replace(JOURNAL, noise);
    const lines: string[] = [];
    const { logger } = createLogger({
      verbosity: 2,
      format: "text",
      now: () => 0,
      write: (line) => lines.push(line),
    });
    const { start, stop } = serviceOf(runtime, undefined, logger);
    await start();
    expect(lines).toEqual([
      expect.stringMatching(
        /WARN .*journal of local transactions is damaged.*keptAs=data\/transactions\.rlp\.damaged/,
      ),
    ]);
    expect(runtime.files.read(`${JOURNAL}.damaged`)).toEqual(noise);
    expect(runtime.files.read(JOURNAL)).toHaveLength(0);
    await stop();
  });

  it("brings blob transactions back once they are verified, and keeps them until then", async () => {
    const runtime = createSimulatedRuntime();
    const blob = blobTransfer(local, 0n, CHAIN_ID);
    await runtime.files.replace(JOURNAL, concat(encodeTransaction(blob), encodeTransaction(tx(1n))));
    const interrupted = serviceOf(runtime, new HeldVerifier());
    await interrupted.start();
    expect(interrupted.pool.status()).toEqual({ pending: 0, queued: 1 });
    await interrupted.stop();

    const verifier = new HeldVerifier();
    const { pool, start, stop } = serviceOf(runtime, verifier);
    await start();
    const added = new Promise((resolve) => pool.onPending(resolve));
    verifier.answer(undefined);
    await added;
    expect(pool.status()).toEqual({ pending: 2, queued: 0 });
    await stop();
  });

  it("leaves no timer behind", async () => {
    const runtime = createSimulatedRuntime();
    const { start, stop } = serviceOf(runtime);
    await start();
    expect(runtime.scheduled).toBe(2);
    await stop();
    await stop();
    expect(runtime.scheduled).toBe(0);
  });
});
