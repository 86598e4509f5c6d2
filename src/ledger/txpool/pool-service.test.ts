import { describe, expect, it } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { createLogger, silentLogger } from "../../platform/telemetry/logger.ts";
import { newEoa } from "../../protocol/account/account.ts";
import { emptyHeader } from "../../protocol/block/testing/header.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { TransactionPoolOptions } from "./options.ts";
import { createTransactionPool } from "./pool-service.ts";
import type { BlobVerifier } from "./rules/blob-proofs.ts";
import { createPoolChain, type PoolChain } from "./testing/chain.ts";
import { ManualVerifier } from "./testing/manual-verifier.ts";
import { blobTransfer, transfer, wallet } from "./testing/transactions.ts";

const CHAIN_ID = 2019n;
const JOURNAL = "data/transactions.rlp";
const [local, remote] = [wallet(0), wallet(1)];
const tx = (nonce: bigint, from = local) => transfer(from, { nonce }, CHAIN_ID);

function serviceOf(
  runtime: SimulatedRuntime,
  blobs?: BlobVerifier,
  logger = silentLogger,
  options: Partial<TransactionPoolOptions> = {},
) {
  const accounts = new Map([local, remote].map(({ key }) => [key, newEoa(10n ** 20n)]));
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const service = createTransactionPool({
    chain: poolChain.chain,
    recovery: createInlineRecovery(CHAIN_ID),
    runtime,
    logger,
    blobs,
    options: { journal: JOURNAL, journalIntervalMs: 3_600_000, ...options },
  });
  return { ...service, poolChain };
}

/** Sets the state as after a block with all of the local account's transactions below this nonce. */
function include(poolChain: PoolChain, nonce: bigint): void {
  poolChain.accounts.set(local.key, { ...newEoa(10n ** 20n), nonce });
  poolChain.publish();
}

/** What is written to files from now on. */
function watchWrites({ files }: SimulatedRuntime): Uint8Array[] {
  const writes: Uint8Array[] = [];
  const { openRewritable } = files;
  files.openRewritable = (path) => {
    const file = openRewritable(path);
    const write = (bytes: Uint8Array): void => {
      file.write(bytes);
      writes.push(bytes);
    };
    return { ...file, write };
  };
  return writes;
}

/** Includes the transactions in a block, and rewinds that. */
function rewind(poolChain: PoolChain): void {
  const header = emptyHeader();
  include(poolChain, 2n);
  include(poolChain, 0n);
  poolChain.publish({ removed: [{ header, transactions: [tx(0n), tx(1n)] }] });
}

describe("the journal", () => {
  it.each([{ noLocals: true }, { journal: "" }])("is off with %j", async (options) => {
    const runtime = createSimulatedRuntime();
    const service = serviceOf(runtime, undefined, silentLogger, options);
    await service.start();
    await service.pool.add(tx(0n), { local: true });
    await service.stop();
    expect([runtime.files.exists(JOURNAL), service.pool.status().pending]).toEqual([false, 1]);
  });

  it("restores local transactions after a restart, in the reference node's format", async () => {
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

  it("has a transaction before its hash is returned, so that a kill does not lose it", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(encodeTransaction(tx(0n))));
  });

  it("rejects a transaction that it cannot write, which then is not in the pool either", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    runtime.files.failNextAppend(new Error("ENOSPC: no space left on device, write"));
    await expect(pool.add(tx(1n), { local: true })).rejects.toMatchObject({
      code: "NOT_KEPT",
      message: "the node cannot keep the transaction: ENOSPC: no space left on device, write",
    });
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
    await pool.add(tx(1n), { local: true });
    expect(pool.status()).toEqual({ pending: 2, queued: 0 });
    await stop();
  });

  it.each([
    ["appended to", ({ pool }) => expect(pool.add(tx(9n), { local: true })).rejects.toThrow("ENOSPC")],
    [
      "rewritten",
      async ({ pool }) => {
        pool.remove([tx(1n)]);
        await pool.journalSettled();
      },
    ],
  ] satisfies [string, (service: ReturnType<typeof serviceOf>) => Promise<void>][])(
    "is unhealthy while it cannot be %s, and finds out by itself when it can again",
    async (_, fail) => {
      const runtime = createSimulatedRuntime();
      let isFull = false;
      const { openRewritable } = runtime.files;
      runtime.files.openRewritable = (path) => {
        const file = openRewritable(path);
        const unlessFull = <Arguments extends unknown[], T>(act: (...values: Arguments) => T) => {
          return (...values: Arguments): T => {
            if (isFull) throw new Error("ENOSPC: no space left on device");
            return act(...values);
          };
        };
        return { ...file, write: unlessFull(file.write), replace: unlessFull(file.replace) };
      };
      const service = serviceOf(runtime);
      const { pool, start, stop } = service;
      await start();
      for (const nonce of [0n, 1n]) await pool.add(tx(nonce), { local: true });
      expect(pool.journalHealth).toEqual({ state: "healthy" });
      isFull = true;
      await fail(service);
      const failing = {
        state: "failing",
        code: "ENOSPC",
        reason: expect.stringContaining("journal of local"),
      };
      expect(pool.journalHealth).toEqual(failing);
      for (let i = 0; i < 20; i++) await runtime.advance(1_000);
      expect(pool.journalHealth).toEqual(failing);
      isFull = false;
      await runtime.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
      await pool.journalSettled();
      await runtime.advance(5_000);
      expect(pool.journalHealth).toEqual({ state: "healthy" });
      const left = [...pool.locals()];
      expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(
        bytesToHex(concat(...left.map(encodeTransaction))),
      );
      expect(runtime.files.list("data")).toEqual(["transactions.rlp"]);
      await stop();
    },
  );

  it("stops looking for space when the pool stops", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    runtime.files.failNextAppend(new Error("ENOSPC"));
    await expect(pool.add(tx(0n), { local: true })).rejects.toThrow("ENOSPC");
    await stop();
    const opened: string[] = [];
    runtime.files.openRewritable = (path) => {
      opened.push(path);
      throw new Error("ENOSPC");
    };
    await runtime.advance(60_000);
    expect(opened).toEqual([]);
  });

  it("writes transactions that arrive together at once, and announces them then", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start } = serviceOf(runtime);
    await start();
    const writes = watchWrites(runtime);
    const announced: unknown[] = [];
    pool.onPending((transactions) => announced.push([transactions.map(({ nonce }) => nonce), writes.length]));
    await Promise.all([tx(1n), tx(0n), tx(0n, remote)].map((each) => pool.add(each, { local: true })));
    const together = concat(...[tx(1n), tx(0n), tx(0n, remote)].map(encodeTransaction));
    expect(writes.map(bytesToHex)).toEqual([bytesToHex(together)]);
    expect(announced).toEqual([[[0n, 1n, 0n], 1]]);
  });

  it("refuses all that it cannot write together: none is announced, and what one has replaced returns", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    for (const nonce of [0n, 1n]) await pool.add(tx(nonce), { local: true });
    const announced: unknown[] = [];
    pool.onPending((transactions) => announced.push(transactions));
    runtime.files.failNextAppend(new Error("ENOSPC"));
    const dearer = transfer(local, { nonce: 0n, gasPrice: 50_000_000_000n }, CHAIN_ID);
    const added = [dearer, tx(2n)].map((each) => pool.add(each, { local: true }));
    const refused = { status: "rejected", reason: expect.objectContaining({ code: "NOT_KEPT" }) };
    expect(await Promise.allSettled(added)).toEqual([refused, refused]);
    expect(announced.flat()).not.toContain(dearer);
    expect(pool.contentOf(local.address)).toEqual({ pending: [tx(0n), tx(1n)], queued: [] });
    expect(pool.status()).toEqual({ pending: 2, queued: 0 });
    await stop();
  });

  it("does not get back what is dropped before it is written", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    const adding = pool.add(tx(1n), { local: true });
    while (pool.status().pending < 2) await Promise.resolve();
    pool.remove([tx(0n), tx(1n)]);
    await adding;
    await pool.journalSettled();
    expect(runtime.files.read(JOURNAL)).toHaveLength(0);
  });

  it.each([
    ["one is dropped", ({ pool }) => pool.remove([tx(1n)]), [0n]],
    ["all are dropped", ({ pool }) => pool.clear(), []],
    ["the chain is rewound", ({ poolChain }) => rewind(poolChain), []],
  ] satisfies [string, (service: ReturnType<typeof serviceOf>) => void, bigint[]][])(
    "drops removed transactions when %s",
    async (_, remove, left) => {
      const runtime = createSimulatedRuntime();
      const service = serviceOf(runtime);
      await service.start();
      for (const nonce of [0n, 1n]) await service.pool.add(tx(nonce), { local: true });
      remove(service);
      await service.pool.journalSettled();
      const bytes = concat(...left.map((nonce) => encodeTransaction(tx(nonce))));
      expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(bytes));
    },
  );

  it("keeps what is added while it is rewritten", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    for (const nonce of [0n, 1n]) await pool.add(tx(nonce), { local: true });
    pool.remove([tx(1n)]);
    await pool.add(tx(1n), { local: true });
    await pool.journalSettled();
    const whole = concat(encodeTransaction(tx(0n)), encodeTransaction(tx(1n)));
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(whole));
    await stop();
  });

  it("drops included transactions at its interval, and when it is closed", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, poolChain, start, stop } = serviceOf(runtime);
    await start();
    await pool.add(tx(0n), { local: true });
    await pool.add(tx(1n), { local: true });
    include(poolChain, 1n);
    await runtime.advance(3_600_000);
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(encodeTransaction(tx(1n))));
    include(poolChain, 2n);
    await stop();
    expect(runtime.files.read(JOURNAL)).toHaveLength(0);
  });

  it("is rewritten before it grows long", async () => {
    const runtime = createSimulatedRuntime();
    const { pool, poolChain, start, stop } = serviceOf(runtime);
    await start();
    let longest = 0;
    const memo = { gas: 10_000_000n, input: new Uint8Array(4096) };
    for (let nonce = 0n; nonce < 200n; nonce++) {
      const long = transfer(local, { nonce, ...memo }, CHAIN_ID, "TxTypeValueTransferMemo");
      await pool.add(long, { local: true });
      include(poolChain, nonce + 1n);
      await runtime.advance(1);
      longest = Math.max(longest, runtime.files.read(JOURNAL).length);
    }
    expect(longest).toBeGreaterThan(200_000);
    expect(longest).toBeLessThan(300_000);
    await stop();
  });

  it("restores the readable part of a truncated file", async () => {
    const runtime = createSimulatedRuntime();
    const whole = concat(encodeTransaction(tx(0n)), encodeTransaction(tx(1n)));
    await runtime.files.replace(JOURNAL, whole.subarray(0, whole.length - 9));
    const { pool, start, stop } = serviceOf(runtime);
    await start();
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
    await stop();
  });

  it("warns of a transaction that a flipped bit made another one, but not of one in a block", async () => {
    for (const [isFlipped, warnings] of [
      [true, [expect.stringMatching(/WARN .*transactions of the journal are refused.*refused=1 first=/)]],
      [false, []],
    ] as const) {
      const runtime = createSimulatedRuntime();
      const bytes = encodeTransaction(tx(1n)).slice();
      if (isFlipped) bytes[bytes.length - 8] = (bytes[bytes.length - 8] as number) ^ 1;
      await runtime.files.replace(JOURNAL, concat(encodeTransaction(tx(0n)), bytes));
      const lines: string[] = [];
      const write = (line: string) => lines.push(line);
      const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
      const { start, stop, poolChain } = serviceOf(runtime, undefined, logger);
      if (!isFlipped) include(poolChain, 2n);
      await start();
      await runtime.advance(1);
      expect(lines).toEqual(warnings);
      await stop();
    }
  });

  it("warns once about a damaged file, and keeps it beside the new one", async () => {
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

  it("keeps its content if it cannot be rewritten, logs that, and retries with the next change", async () => {
    const runtime = createSimulatedRuntime();
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
    const { pool, start, stop } = serviceOf(runtime, undefined, logger);
    await start();
    for (const nonce of [0n, 1n, 2n]) await pool.add(tx(nonce), { local: true });
    const whole = concat(...[0n, 1n, 2n].map((nonce) => encodeTransaction(tx(nonce))));
    runtime.files.failNextAppend(new Error("ENOSPC: no space left on device, write"));
    pool.remove([tx(2n)]);
    await pool.journalSettled();
    expect(lines).toEqual([
      expect.stringMatching(
        /ERROR.*the journal of local transactions failed.*ENOSPC: no space left on device/,
      ),
    ]);
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(whole));
    pool.remove([tx(1n)]);
    await pool.journalSettled();
    expect(bytesToHex(runtime.files.read(JOURNAL))).toBe(bytesToHex(encodeTransaction(tx(0n))));
    expect(lines).toHaveLength(1);
    await stop();
  });

  it("restores blob transactions once they are verified, and keeps them until then and for the next start", async () => {
    const runtime = createSimulatedRuntime();
    const blob = blobTransfer(remote, 0n, CHAIN_ID);
    await runtime.files.replace(JOURNAL, concat(encodeTransaction(blob), encodeTransaction(tx(1n))));
    const interrupted = serviceOf(runtime, new ManualVerifier());
    await interrupted.start();
    expect(interrupted.pool.status()).toEqual({ pending: 0, queued: 1 });
    await interrupted.stop();

    const verifier = new ManualVerifier();
    const { pool, start, stop } = serviceOf(runtime, verifier);
    await start();
    const added = new Promise((resolve) => pool.onPending(resolve));
    verifier.finish(undefined);
    await added;
    expect(pool.status()).toEqual({ pending: 1, queued: 1 });
    await runtime.advance(1);
    await stop();
    const bytes = encodeTransaction(blob).length + encodeTransaction(tx(1n)).length;
    expect(runtime.files.read(JOURNAL)).toHaveLength(bytes);
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
