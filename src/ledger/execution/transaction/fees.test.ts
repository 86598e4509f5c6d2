import { describe, expect, it } from "vitest";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Fork } from "../../../protocol/params/forks.ts";
import { alice, BASE_FEE, bob, createWorld, FUNDS, made, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

/** Gas of one blob. @see EIP-4844 */
const BLOB_GAS = 131_072n;

describe("the balance needed for a blob transaction", () => {
  const gas = 2n ** 20n;
  const gasPrice = 2n * BASE_FEE;
  /** With all of Alice's balance for gas and blob, if nothing is added. */
  const sent = (more: { perBlobGas?: bigint; value?: bigint } = {}) => {
    const maxFeePerBlobGas = (FUNDS - gas * gasPrice) / BLOB_GAS + (more.perBlobGas ?? 0n);
    const blobVersionedHashes = [new Uint8Array(32).fill(1)];
    const parts = { gas, gasPrice, maxPriorityFeePerGas: 0n, maxFeePerBlobGas, blobVersionedHashes };
    const world = createWorld();
    const tx = made("EthereumBlob", { ...parts, to: STRANGER, value: more.value ?? 0n });
    return applyTransaction(tx, world).receipt.status;
  };

  it("covers the highest prices it allows for gas and blob, and its value", () => {
    expect((FUNDS - gas * gasPrice) % BLOB_GAS).toBe(0n);
    expect(sent()).toBe(1);
    expect(() => sent({ perBlobGas: 1n })).toThrow("insufficient balance of the fee payer to pay for gas");
    expect(() => sent({ value: 1n })).toThrow("insufficient balance for transfer");
  });
});

describe("the balance needed for a fee", () => {
  const gas = 100_000n;
  const sent = (
    name: string,
    { fork = "osaka", ...parts }: { fork?: Fork; gasPrice?: bigint; value?: bigint } = {},
  ) => {
    const world = createWorld({ fork });
    world.state.subBalance(bob.address, FUNDS - gas * BASE_FEE);
    const shared = name.endsWith("WithRatio") ? { feeRatio: 50 } : {};
    return applyTransaction(made(name, { gas, to: STRANGER, ...shared, ...parts }), world).receipt.status;
  };

  it.each(["prague", "osaka"] as const)("is that of the fee payer, in %s", (fork) => {
    expect(sent("FeeDelegatedValueTransfer", { fork })).toBe(1);
    const dear = { fork, gasPrice: BASE_FEE + 1n };
    expect(() => sent("FeeDelegatedValueTransfer", dear)).toThrow(
      "insufficient balance of the fee payer to pay for gas",
    );
    expect(sent("FeeDelegatedValueTransferWithRatio", { fork, gasPrice: 2n * BASE_FEE })).toBe(1);
  });

  it("has at most 256 bits with the value", () => {
    expect(() => sent("ValueTransfer", { value: 2n ** 256n - 1n })).toThrow(
      `insufficient funds for gas * price + value: address ${checksumAddress(alice.address)} required balance exceeds 256 bits`,
    );
    expect(() => sent("ValueTransfer", { value: 2n ** 256n - 1n - gas * BASE_FEE })).toThrow(
      "insufficient balance for transfer",
    );
  });
});
