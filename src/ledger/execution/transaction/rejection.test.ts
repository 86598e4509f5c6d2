import { describe, expect, it } from "vitest";
import { checksumAddress } from "../../../protocol/account/address.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createTransaction } from "../../../protocol/transaction/envelope.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { balances, refusal } from "../testing/outcomes.ts";
import { alice, BASE_FEE, bob, CONTRACT, createWorld, FUNDS, made, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

describe("a rejected transaction", () => {
  it.each([
    ["a wrong nonce", { nonce: 5n }, "NONCE_TOO_HIGH", "nonce too high"],
    ["too little gas", { gas: 20_999n }, "INTRINSIC_GAS", "intrinsic gas too low"],
    [
      "more value than its balance",
      { value: FUNDS },
      "INSUFFICIENT_VALUE",
      "insufficient balance for transfer",
    ],
  ])("with %s leaves no trace", (_, parts, code, text) => {
    const world = createWorld();
    const before = balances(world);
    const tx = made("ValueTransfer", { to: STRANGER, ...parts });
    expect(refusal(() => applyTransaction(tx, world))).toEqual([code, text]);
    expect(balances(world)).toEqual(before);
    expect(world.state.nonce(alice.address)).toBe(0n);
    expect(world.state.changes().accounts).toEqual([]);
  });

  it("needs a balance for its fee cap from osaka on, and for its effective price before", () => {
    const tx = made("EthereumDynamicFee", {
      to: STRANGER,
      gas: 100_000n,
      gasPrice: FUNDS / 90_000n,
      maxPriorityFeePerGas: 0n,
    });
    expect(applyTransaction(tx, createWorld({ fork: "prague" })).receipt.status).toBe(1);
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toBe(
      "insufficient balance of the fee payer to pay for gas",
    );
  });

  it("is signed for another chain, or with a key other than the account's", () => {
    const signed = made("LegacyTransaction", { to: STRANGER });
    const foreign = signTransaction(createTransaction({ ...signed, signatures: [] }), [alice.key], 1n);
    expect(refusal(() => applyTransaction(foreign, createWorld()))).toEqual([
      "INVALID_SENDER",
      "invalid sender: invalid chain id for signer",
    ]);
    const world = createWorld();
    world.state.createContract(new Uint8Array(20));
    expect(refusal(() => applyTransaction(foreign, world))[1]).toBe(
      "invalid sender: a legacy transaction must be with a legacy account key",
    );
    const stolen = made("ValueTransfer", { to: STRANGER, from: bob.address });
    expect(refusal(() => applyTransaction(stolen, createWorld()))).toEqual([
      "INVALID_SENDER",
      "invalid sender: invalid account key",
    ]);
  });

  it("has more input than init code may have, without a recipient, whatever its type", () => {
    const tx = made("ChainDataAnchoring", { input: new Uint8Array(49_153), gas: 10_000_000n });
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toBe(
      "max initcode size exceeded: code size 49153 limit 49152",
    );
  });

  it("breaks a rule of its type, which is checked before its signatures", () => {
    const world = createWorld({ code: hexToBytes("0x00") });
    const stolen = made("ValueTransfer", { to: CONTRACT, from: bob.address });
    expect(refusal(() => applyTransaction(stolen, world))[1]).toMatch(/EOA/);
  });

  it("has a fee cap below the base fee, or too low a blob fee cap; the error names its sender", () => {
    const sender = checksumAddress(alice.address);
    const cheap = made("EthereumDynamicFee", {
      to: STRANGER,
      gasPrice: BASE_FEE - 1n,
      maxPriorityFeePerGas: 0n,
    });
    expect(refusal(() => applyTransaction(cheap, createWorld()))).toEqual([
      "FEE_CAP",
      `max fee per gas less than block base fee: address ${sender}, maxFeePerGas: ${BASE_FEE - 1n}, baseFee: ${BASE_FEE}`,
    ]);
    const blobVersionedHashes = [new Uint8Array(32).fill(1)];
    const blob = made("EthereumBlob", { to: STRANGER, maxFeePerBlobGas: 0n, blobVersionedHashes });
    const [code, text] = refusal(() => applyTransaction(blob, createWorld()));
    expect(code).toBe("INVALID_BLOB");
    expect(text).toContain(`address ${sender} blobGasFeeCap: 0, blobBaseFee: `);
  });

  it("has a type that is not active yet", () => {
    const tx = made("EthereumSetCode", { to: STRANGER, authorizationList: [] });
    expect(refusal(() => applyTransaction(tx, createWorld({ fork: "kaia" })))[1]).toBe(
      "invalid sender: transaction type not supported",
    );
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toMatch(/^EIP-7702 transaction with empty/);
  });
});
