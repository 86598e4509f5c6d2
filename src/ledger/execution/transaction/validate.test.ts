import { expect, it } from "vitest";
import type { AccountKey } from "../../../protocol/account/key.ts";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { createTransaction } from "../../../protocol/transaction/envelope.ts";
import { signAsFeePayer, signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { alice, bob, createWorld, made, person, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

/** Gas for each signature after the first. */
const PER_SIGNATURE = 15_000n;

it("charges for the further signatures of sender and fee payer", () => {
  const signers = [person(5), person(6)].map(({ key }) => key);
  const both: AccountKey = {
    ...{ type: "weightedMultisig", threshold: 2n },
    keys: signers.map((key) => ({ weight: 1n, publicKey: compressPublicKey(publicKeyOf(key)) })),
  };
  const {
    signatures: _own,
    feePayerSignatures: _payers,
    ...unsigned
  } = made("FeeDelegatedValueTransfer", {
    to: STRANGER,
  });
  const gasOf = (senderKeys: Uint8Array[], payerKeys: Uint8Array[]) => {
    const world = createWorld();
    if (senderKeys.length > 1) world.state.setKey(alice.address, both);
    if (payerKeys.length > 1) world.state.setKey(bob.address, both);
    const signed = signTransaction(createTransaction({ ...unsigned, signatures: [] }), senderKeys, 2019n);
    return applyTransaction(signAsFeePayer(signed, payerKeys, 2019n), world).receipt.gasUsed;
  };
  const least = gasOf([alice.key], [bob.key]);
  expect(gasOf(signers, [bob.key])).toBe(least + PER_SIGNATURE);
  expect(gasOf([alice.key], signers)).toBe(least + PER_SIGNATURE);
  expect(gasOf(signers, signers)).toBe(least + 2n * PER_SIGNATURE);
});
