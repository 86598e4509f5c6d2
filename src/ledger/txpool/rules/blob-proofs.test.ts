import { describe, expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import { FORKS } from "../../../protocol/params/forks.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { createPoolChain } from "../testing/chain.ts";
import { ManualVerifier } from "../testing/manual-verifier.ts";
import { blobTransfer, transfer, wallet } from "../testing/transactions.ts";
import { ChainTransactionPool } from "../transaction-pool.ts";
import type { BlobVerifier } from "./blob-proofs.ts";

const CHAIN_ID = 2019n;
const local = { local: true };
const [sender, other] = [wallet(0), wallet(1)];

function setUp(blobs: BlobVerifier | undefined) {
  const accounts = new Map([sender, other].map(({ key }) => [key, newEoa(10n ** 20n)]));
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain: poolChain.chain, recovery, now: () => 0, blobs });
  return { pool, poolChain };
}

/** Resolves when the pool has processed everything up to the verification. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a blob transaction", () => {
  it("waits for the verification of its proofs while others are added", async () => {
    const verifier = new ManualVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const added = pool.add(blob, local);
    await settled();
    await pool.add(transfer(other, { nonce: 0n }, CHAIN_ID), local);
    await pool.add(transfer(sender, { nonce: 1n }, CHAIN_ID), local);
    expect(pool.status()).toEqual({ pending: 1, queued: 1 });
    verifier.finish(undefined);
    await added;
    expect(pool.status()).toEqual({ pending: 3, queued: 0 });
    expect(pool.has(blob)).toBe(true);
  });

  it("is rejected for invalid proofs, and counted once", async () => {
    const verifier = new ManualVerifier();
    const { pool } = setUp(verifier);
    const added = pool.add(blobTransfer(sender, 0n, CHAIN_ID), local);
    await settled();
    verifier.finish("can't verify opening proof");
    await expect(added).rejects.toMatchObject({
      code: "WRONG_SIDECAR",
      message: "can't verify opening proof",
    });
    expect(pool.tally.invalid).toBe(1);
  });

  it("is checked against the head at the end of the verification", async () => {
    const verifier = new ManualVerifier();
    const { pool, poolChain } = setUp(verifier);
    const added = pool.add(blobTransfer(sender, 0n, CHAIN_ID), local);
    await settled();
    poolChain.accounts.set(sender.key, { ...newEoa(10n ** 20n), nonce: 1n });
    poolChain.publish();
    verifier.finish(undefined);
    await expect(added).rejects.toThrow("nonce too low");
  });

  it("is not verified if an earlier rule rejects it", async () => {
    const verifier = new ManualVerifier();
    const { pool, poolChain } = setUp(verifier);
    poolChain.accounts.set(sender.key, newEoa(1n));
    poolChain.publish();
    await expect(pool.add(blobTransfer(sender, 0n, CHAIN_ID), local)).rejects.toThrow("insufficient funds");
    expect(verifier.requests).toHaveLength(0);
  });

  it("is verified once, even if it is added again later", async () => {
    const verifier = new ManualVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const added = pool.addAll([blob, transfer(other, { nonce: 0n }, CHAIN_ID)], local);
    await settled();
    verifier.finish(undefined);
    expect((await added).some((result) => result instanceof Error)).toBe(false);
    pool.clear();
    await pool.add(blob, local);
    expect(verifier.requests).toEqual([blob.sidecar]);
  });

  it("is rejected if the verification fails, and verified again the next time", async () => {
    const verifier = new ManualVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const first = pool.add(blob, local);
    await settled();
    verifier.finish(new Error("no library"));
    await expect(first).rejects.toThrow("no library");
    expect(pool.status()).toEqual({ pending: 0, queued: 0 });
    const second = pool.add(blob, local);
    await settled();
    verifier.finish(undefined);
    await second;
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
  });

  it("is rejected by a pool without a verifier", async () => {
    const { pool } = setUp(undefined);
    await expect(pool.add(blobTransfer(sender, 0n, CHAIN_ID), local)).rejects.toMatchObject({
      code: "BLOB_UNVERIFIED",
    });
  });
});
