import { describe, expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import { FORKS } from "../../../protocol/params/forks.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { createPoolChain } from "../testing/chain.ts";
import { HeldVerifier } from "../testing/held-verifier.ts";
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

/** Resolves when the pool has nothing left to do but wait. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a blob transaction", () => {
  it("waits for the verdict on its proofs while others come in", async () => {
    const verifier = new HeldVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const added = pool.add(blob, local);
    await settled();
    await pool.add(transfer(other, { nonce: 0n }, CHAIN_ID), local);
    await pool.add(transfer(sender, { nonce: 1n }, CHAIN_ID), local);
    expect(pool.status()).toEqual({ pending: 1, queued: 1 });
    verifier.answer(undefined);
    await added;
    expect(pool.status()).toEqual({ pending: 3, queued: 0 });
    expect(pool.has(blob)).toBe(true);
  });

  it("is refused for what is wrong with its proofs, and counted once", async () => {
    const verifier = new HeldVerifier();
    const { pool } = setUp(verifier);
    const added = pool.add(blobTransfer(sender, 0n, CHAIN_ID), local);
    await settled();
    verifier.answer("can't verify opening proof");
    await expect(added).rejects.toMatchObject({
      code: "WRONG_SIDECAR",
      message: "can't verify opening proof",
    });
    expect(pool.tally.invalid).toBe(1);
  });

  it("is judged by the head of the moment at which the verdict comes", async () => {
    const verifier = new HeldVerifier();
    const { pool, poolChain } = setUp(verifier);
    const added = pool.add(blobTransfer(sender, 0n, CHAIN_ID), local);
    await settled();
    poolChain.accounts.set(sender.key, { ...newEoa(10n ** 20n), nonce: 1n });
    poolChain.publish();
    verifier.answer(undefined);
    await expect(added).rejects.toThrow("nonce too low");
  });

  it("costs no verification when an earlier rule refuses it", async () => {
    const verifier = new HeldVerifier();
    const { pool, poolChain } = setUp(verifier);
    poolChain.accounts.set(sender.key, newEoa(1n));
    poolChain.publish();
    await expect(pool.add(blobTransfer(sender, 0n, CHAIN_ID), local)).rejects.toThrow("insufficient funds");
    expect(verifier.asked).toHaveLength(0);
  });

  it("is verified once, also when it comes again after it left", async () => {
    const verifier = new HeldVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const added = pool.addAll([blob, transfer(other, { nonce: 0n }, CHAIN_ID)], local);
    await settled();
    verifier.answer(undefined);
    expect((await added).some((result) => result instanceof Error)).toBe(false);
    pool.clear();
    await pool.add(blob, local);
    expect(verifier.asked).toEqual([blob.sidecar]);
  });

  it("is not taken when nobody can tell, and asked about again the next time", async () => {
    const verifier = new HeldVerifier();
    const { pool } = setUp(verifier);
    const blob = blobTransfer(sender, 0n, CHAIN_ID);
    const first = pool.add(blob, local);
    await settled();
    verifier.answer(new Error("no library"));
    await expect(first).rejects.toThrow("no library");
    expect(pool.status()).toEqual({ pending: 0, queued: 0 });
    const second = pool.add(blob, local);
    await settled();
    verifier.answer(undefined);
    await second;
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
  });

  it("is not taken by a pool without a verifier", async () => {
    const { pool } = setUp(undefined);
    await expect(pool.add(blobTransfer(sender, 0n, CHAIN_ID), local)).rejects.toMatchObject({
      code: "BLOB_UNVERIFIED",
    });
  });
});
