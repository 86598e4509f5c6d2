import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createTransaction } from "../../../protocol/transaction/envelope.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { balances, refusal } from "../testing/outcomes.ts";
import {
  alice,
  BASE_FEE,
  CONTRACT,
  createWorld,
  FUNDS,
  made,
  PROPOSER,
  person,
  STRANGER,
} from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

describe("the fee", () => {
  it("is deducted from its payers, and credited to nobody before the end of the block", () => {
    const types = ["ValueTransfer", "FeeDelegatedValueTransfer", "FeeDelegatedValueTransferWithRatio"];
    const cases = fc.record({
      name: fc.constantFrom(...types),
      feeRatio: fc.integer({ min: 1, max: 99 }),
      gas: fc.bigInt({ min: 36_000n, max: 2_000_000n }),
      value: fc.bigInt({ min: 0n, max: 10n ** 20n }),
      gasPrice: fc.bigInt({ min: BASE_FEE, max: 2n * BASE_FEE }),
    });
    fc.assert(
      fc.property(cases, ({ name, feeRatio, ...parts }) => {
        const world = createWorld();
        const shared = name.endsWith("WithRatio") ? { feeRatio } : {};
        const { fee, receipt } = applyTransaction(made(name, { ...parts, ...shared, to: STRANGER }), world);
        const after = balances(world);
        expect(fee).toBe(receipt.gasUsed * parts.gasPrice);
        expect(after.alice + after.bob + after.stranger).toBe(2n * FUNDS - fee);
        expect(after.stranger).toBe(parts.value);
        if (name === "ValueTransfer") expect(after.bob).toBe(FUNDS);
        if (name === "FeeDelegatedValueTransfer") expect(after.alice).toBe(FUNDS - parts.value);
      }),
      { numRuns: 25 },
    );
  });

  it("goes to its recipient immediately if fees are not deferred", () => {
    const world = createWorld({ feeRecipient: PROPOSER });
    const { fee } = applyTransaction(made("ValueTransfer", { to: STRANGER }), world);
    expect(world.state.balance(PROPOSER)).toBe(fee);
  });

  it("follows the base fee from magma to kaia, and the tip from kaia on", () => {
    const dynamic = { to: STRANGER, gasPrice: 3n * BASE_FEE, maxPriorityFeePerGas: 7n };
    const paid = (fork: "shanghai" | "kaia") => {
      const world = createWorld({ fork });
      return applyTransaction(made("EthereumDynamicFee", dynamic), world).fee / 21_000n;
    };
    expect(paid("shanghai")).toBe(BASE_FEE);
    expect(paid("kaia")).toBe(BASE_FEE + 7n);
  });
});

describe("the refund", () => {
  // Sets slot 0 to 1 and back to 0.
  const code = hexToBytes("0x6001600055600060005500");
  const used = (fork: "istanbul" | "osaka") =>
    applyTransaction(made("SmartContractExecution", { to: CONTRACT }), createWorld({ fork, code })).receipt
      .gasUsed;

  it("is at most half of the gas used, and a fifth from kore on", () => {
    const istanbul = 21_000n + 12n + 20_000n + 800n;
    expect(used("istanbul")).toBe(istanbul - 19_200n);
    const osaka = 21_000n + 12n + 22_100n + 100n;
    expect(used("osaka")).toBe(osaka - osaka / 5n);
  });
});

describe("a value", () => {
  it("may be the sender's whole balance, but no more", () => {
    const sent = (value: bigint) => made("FeeDelegatedValueTransfer", { to: STRANGER, value });
    const world = createWorld();
    applyTransaction(sent(FUNDS), world);
    expect(balances(world)).toMatchObject({ alice: 0n, stranger: FUNDS });
    expect(refusal(() => applyTransaction(sent(FUNDS + 1n), createWorld()))[0]).toBe("INSUFFICIENT_VALUE");
  });

  it("of one kei cannot come from a missing account, even if another pays the fee", () => {
    const poor = person(5);
    const tx = made("FeeDelegatedValueTransfer", { to: STRANGER, value: 1n }, poor);
    for (const fork of ["prague", "osaka"] as const)
      expect(refusal(() => applyTransaction(tx, createWorld({ fork })))[0]).toBe("INSUFFICIENT_VALUE");
  });
});

describe("signatures", () => {
  it("cost 15,000 gas each, except the first", () => {
    const world = createWorld();
    const keys = [person(3), person(4)].map(({ key }) => ({
      weight: 1n,
      publicKey: compressPublicKey(publicKeyOf(key)),
    }));
    world.state.setKey(alice.address, { type: "weightedMultisig", threshold: 2n, keys });
    world.state.endTransaction();
    const { signatures: _, ...unsigned } = made("ValueTransfer", { to: STRANGER });
    const tx = signTransaction(
      createTransaction({ ...unsigned, signatures: [] }),
      [person(3).key, person(4).key],
      2019n,
    );
    expect(applyTransaction(tx, world).receipt.gasUsed).toBe(21_000n + 15_000n);
  });
});
