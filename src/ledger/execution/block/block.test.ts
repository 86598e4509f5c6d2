import { describe, expect, it } from "vitest";
import { withoutWaits } from "../../../platform/runtime/waits.ts";
import { contractAddress } from "../../../protocol/account/address.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { type BlockExecutor, UNINTERRUPTED } from "../jobs/block-executor.ts";
import {
  alice,
  BASE_FEE,
  blockOne,
  bob,
  CONTRACT,
  createWorld,
  FUNDS,
  made,
  STRANGER,
} from "../testing/world.ts";
import { type BlockTotals, executeBlock as executeInSteps } from "./block.ts";
import { BLOCK_TIME_LIMIT_MS, buildBlock as buildInSteps } from "./build.ts";
import type { TransactionOrBundle } from "./bundle.ts";

const executeBlock = (...block: Parameters<typeof executeInSteps>) => withoutWaits(executeInSteps(...block));
const buildBlock = (...plan: Parameters<typeof buildInSteps>) => withoutWaits(buildInSteps(...plan));
const transfer = (nonce: bigint, parts: Partial<Transaction> = {}) =>
  made("ValueTransfer", { to: STRANGER, value: 1n, nonce, ...parts });
const blockOf = (...transactions: Transaction[]) => ({ header: blockOne(), transactions });

describe("executing a block", () => {
  it("passes gas and fees to finalize, which may still change the state", () => {
    const world = createWorld();
    let seen: BlockTotals | undefined;
    const totals = executeBlock(blockOf(transfer(0n), transfer(1n)), world, (final, state) => {
      seen = final;
      state.addBalance(STRANGER, 100n);
    });
    expect(totals).toMatchObject({ gasUsed: 42_000n, totalFee: 42_000n * BASE_FEE, blobGasUsed: 0n });
    expect(seen).toEqual(totals);
    expect(world.state.balance(STRANGER)).toBe(102n);
  });

  it("names the invalid transaction", () => {
    const block = blockOf(transfer(0n), transfer(0n));
    expect(() => executeBlock(block, createWorld(), () => {})).toThrowError(
      expect.objectContaining({ message: "nonce too low", details: { index: 1, field: "nonce" } }),
    );
  });

  it("passes the parent hash to the history contract from prague on", () => {
    const codeAt = hexToBytes("0x0000f90827f1c53a10cb7a02335b175320002935");
    // stores the first word of the input in slot 0
    const code = hexToBytes("0x5f355f5500");
    const stored = (fork: "kaia" | "prague") => {
      const world = createWorld({ fork, code, codeAt });
      executeBlock(blockOf(), world, () => {});
      return world.state.storage(codeAt, new Uint8Array(32));
    };
    expect(stored("prague")).toEqual(blockOne().parentHash);
    expect(stored("kaia")).toEqual(new Uint8Array(32));
  });
});

describe("building a block", () => {
  const plan = (candidates: readonly Transaction[], now: () => number = () => 0) => ({
    header: blockOne(),
    candidates,
    maxBlobGas: 131_072n,
    now,
    finalize: () => {},
  });

  it("includes executable transactions, and reports the others", () => {
    const poor = transfer(0n, { value: FUNDS });
    const built = buildBlock(plan([poor, transfer(0n), transfer(0n), transfer(1n)]), createWorld());
    expect(built.transactions).toHaveLength(2);
    expect(built.rejected.map(({ reason }) => reason.code)).toEqual(["INSUFFICIENT_VALUE", "NONCE_TOO_LOW"]);
    expect(built.gasUsed).toBe(42_000n);
    expect(built.outOfTime).toBe(false);
  });

  it("skips only a sender with a nonce gap", () => {
    const others = made("ValueTransfer", { to: STRANGER, feePayer: undefined }, bob);
    const built = buildBlock(plan([transfer(3n), transfer(0n), others]), createWorld());
    expect(built.transactions).toEqual([others]);
    expect(built.rejected.map(({ reason }) => reason.code)).toEqual(["NONCE_TOO_HIGH"]);
  });

  it("has the same result as executing the built block", () => {
    const world = createWorld();
    const built = buildBlock(plan([transfer(0n), transfer(2n), transfer(1n)]), world);
    const again = createWorld();
    const totals = executeBlock(blockOf(...built.transactions), again, () => {});
    expect(totals.receipts).toEqual(built.receipts);
    expect(again.state.changes()).toEqual(world.state.changes());
  });

  it("stops at the time limit, but lets the first transaction finish", () => {
    let time = 0;
    const step = () => {
      time += BLOCK_TIME_LIMIT_MS;
      return time;
    };
    const built = buildBlock(plan([transfer(0n), transfer(1n)], step), createWorld());
    expect(built.transactions).toHaveLength(1);
    expect(built.outOfTime).toBe(true);
  });

  it("may have a longer time limit", () => {
    let time = 0;
    const step = () => {
      time += BLOCK_TIME_LIMIT_MS;
      return time;
    };
    const longer = { ...plan([transfer(0n), transfer(1n)], step), timeLimitMs: 4 * BLOCK_TIME_LIMIT_MS };
    expect(buildBlock(longer, createWorld()).transactions).toHaveLength(2);
  });

  it("aborts a later transaction at the time limit, without a trace", () => {
    // JUMPDEST, PUSH0, JUMP: an endless loop
    const world = createWorld({ code: hexToBytes("0x5b5f56"), now: () => BLOCK_TIME_LIMIT_MS });
    const endless = made("SmartContractExecution", { to: CONTRACT, nonce: 1n, gas: 400_000_000n });
    const built = buildBlock(plan([transfer(0n), endless, transfer(1n)]), world);
    expect(built.transactions).toHaveLength(1);
    expect(built.rejected).toEqual([]);
    expect(built.outOfTime).toBe(true);
    expect(world.state.nonce(alice.address)).toBe(1n);
  });

  it("includes no more blobs than a block may have", () => {
    const hash = new Uint8Array(32);
    hash[0] = 1;
    const blob = (nonce: bigint) =>
      made("EthereumBlob", {
        to: STRANGER,
        nonce,
        maxPriorityFeePerGas: 0n,
        maxFeePerBlobGas: 8n * BASE_FEE,
        blobVersionedHashes: [hash],
      });
    const built = buildBlock(plan([blob(0n), blob(1n)]), createWorld());
    expect(built.transactions).toHaveLength(1);
    expect(built.blobGasUsed).toBe(131_072n);
  });
});

describe("bundles in a block", () => {
  const plan = (candidates: readonly TransactionOrBundle[]) => ({
    ...{ header: blockOne(), candidates, maxBlobGas: 0n, now: () => 0, finalize: () => {} },
  });
  const ofBob = (nonce: bigint, to = STRANGER) => made("LegacyTransaction", { to, nonce }, bob);
  const called = (nonce: bigint, gas = 1_000_000n) => made("LegacyTransaction", { to: CONTRACT, nonce, gas });
  const bundle = (lead: Transaction, ...transactions: Transaction[]) => ({ transactions, lead: () => lead });

  it("that fail leave no trace, and do not affect the rest", () => {
    // writes a slot and reverts
    const world = createWorld({ code: hexToBytes("0x60015f555f5ffd") });
    let applied = 0;
    const counting: BlockExecutor = {
      ...UNINTERRUPTED,
      apply(...tx) {
        applied++;
        return UNINTERRUPTED.apply(...tx);
      },
    };
    const failing = [bundle(ofBob(0n), called(1n)), bundle(ofBob(0n), transfer(7n))];
    const built = buildBlock(plan([transfer(0n), ...failing, transfer(1n), ofBob(0n)]), world, counting);
    expect(built.failed.map(({ reason }) => reason)).toEqual(["evm: execution reverted", "nonce too high"]);
    expect(built.failed.map(({ bundle }) => bundle)).toEqual(failing);
    expect(built.transactions).toEqual([transfer(0n), transfer(1n), ofBob(0n)]);
    expect(applied).toBe(7);
    const again = createWorld();
    executeBlock(blockOf(...built.transactions), again, () => {});
    expect(world.state.changes()).toEqual(again.state.changes());
  });

  it("see earlier changes, including new code, and later transactions see theirs", () => {
    // deploys code that counts its calls in slot 0
    const input = hexToBytes("0x675f54600101805f555f5260086018f3");
    const creation = made("LegacyTransaction", { nonce: 0n, input });
    const to = contractAddress(alice.address, 0n);
    const [first, second] = [1n, 2n].map((nonce) => made("LegacyTransaction", { to, nonce }));
    const world = createWorld();
    const all = [creation, bundle(ofBob(0n, to), first as Transaction), second as Transaction];
    const built = buildBlock(plan(all), world);
    expect(built.receipts.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
    expect(world.state.storage(to, new Uint8Array(32)).at(-1)).toBe(3);
    const again = createWorld();
    expect(executeBlock(blockOf(...built.transactions), again, () => {}).receipts).toEqual(built.receipts);
    expect(world.state.changes()).toEqual(again.state.changes());
  });

  it("are dropped as a whole at the time limit", () => {
    const world = createWorld({ code: hexToBytes("0x5b5f56"), now: () => BLOCK_TIME_LIMIT_MS });
    const endless = bundle(ofBob(0n), called(1n, 400_000_000n));
    const built = buildBlock(plan([transfer(0n), endless, transfer(1n)]), world);
    expect(built).toMatchObject({ transactions: [transfer(0n)], failed: [], outOfTime: true });
    expect(world.state.nonce(bob.address)).toBe(0n);
  });
});
