import { describe, expect, it } from "vitest";
import type { AccountKey } from "../../../protocol/account/key.ts";
import { encodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createTransaction } from "../../../protocol/transaction/envelope.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { TransactionRejection } from "../errors.ts";
import { alice, CONTRACT, createWorld, made, person, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

const address = (hex: string) => hexToBytes(`0x${hex.padStart(40, "0")}`);

describe("an address reserved for precompiled contracts", () => {
  const sent = (name: string, to: Uint8Array) => {
    const world = createWorld();
    try {
      applyTransaction(made(name, { to, value: 1n }), world);
    } catch (error) {
      if (!(error instanceof TransactionRejection)) throw error;
      return [error.code, error.message];
    }
    return world.state.balance(to);
  };
  const refusal = ["TYPE_RULE", "the address is reserved for pre-compiled contracts"];

  it.each(["ValueTransfer", "ValueTransferMemo", "LegacyTransaction", "EthereumDynamicFee"])(
    "receives nothing by %s, up to 0x3ff",
    (name) => {
      expect(sent(name, address("1"))).toEqual(refusal);
      expect(sent(name, address("3ff"))).toEqual(refusal);
      expect(sent(name, address("400"))).toBe(1n);
    },
  );
});

describe("an account update", () => {
  const carol = person(3);
  const publicKey: AccountKey = { type: "public", publicKey: compressPublicKey(publicKeyOf(carol.key)) };
  const updated = (key: AccountKey) => {
    const world = createWorld();
    const { receipt } = applyTransaction(made("AccountUpdate", { key: encodeAccountKey(key) }), world);
    return { world, receipt };
  };
  /** Alice's next transaction, signed by any key. */
  const next = (by: Uint8Array) => {
    const { signatures: _, ...unsigned } = made("ValueTransfer", { nonce: 1n, to: STRANGER, value: 1n });
    return signTransaction(createTransaction({ ...unsigned, signatures: [] }), [by], 2019n);
  };

  it("replaces the key: only the new one may sign afterwards", () => {
    const { world, receipt } = updated(publicKey);
    expect(receipt.status).toBe(1);
    expect(world.state.account(alice.address)?.key).toEqual(publicKey);
    expect(() => applyTransaction(next(alice.key), world)).toThrow("invalid sender: invalid account key");
    expect(applyTransaction(next(carol.key), world).receipt.status).toBe(1);
    expect(world.state.balance(STRANGER)).toBe(1n);
  });

  it("to a fail key locks the account", () => {
    const { world } = updated({ type: "fail" });
    for (const { key } of [alice, carol])
      expect(() => applyTransaction(next(key), world)).toThrow("invalid sender: invalid account key");
  });

  it("to a key that cannot be installed is rejected, and the old key stays valid", () => {
    const world = createWorld();
    const nil = made("AccountUpdate", { key: encodeAccountKey({ type: "nil" }) });
    expect(() => applyTransaction(nil, world)).toThrow(TransactionRejection);
    expect(world.state.account(alice.address)?.key).toEqual({ type: "legacy" });
    expect(world.state.nonce(alice.address)).toBe(0n);
  });
});

describe("a deployment", () => {
  const deployed = (parts: object) => {
    const world = createWorld();
    // returns an empty contract
    const tx = made("SmartContractDeploy", { input: hexToBytes("0x60006000f3"), codeFormat: 0n, ...parts });
    return applyTransaction(tx, world).receipt.status;
  };

  it("has no recipient, no human-readable address, and the code format of the EVM", () => {
    expect(deployed({})).toBe(1);
    expect(() => deployed({ to: STRANGER })).toThrow(
      "contract deploy transaction can't have a recipient address",
    );
    expect(() => deployed({ humanReadable: true })).toThrow("Human-readable address is not supported now");
    expect(() => deployed({ codeFormat: 1n })).toThrow("smart contract code format is invalid");
  });
});

it("executes contracts only by a contract's execution", () => {
  const executed = (code?: Uint8Array) => {
    const world = createWorld(code && { code });
    return () => applyTransaction(made("SmartContractExecution", { to: code ? CONTRACT : STRANGER }), world);
  };
  expect(executed(hexToBytes("0x00"))().receipt.status).toBe(1);
  const refusal = { code: "TYPE_RULE", message: "recipient must be an EOA with code or an SCA" };
  expect(executed()).toThrow(expect.objectContaining(refusal));
});
