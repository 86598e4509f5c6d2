import { describe, expect, it } from "vitest";
import { BASE_FEE, createWorld, FUNDS, made, STRANGER } from "../testing/world.ts";
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
