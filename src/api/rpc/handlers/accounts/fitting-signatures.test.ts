import { describe, expect, it } from "vitest";
import type { StateReader } from "../../../../ledger/state/state.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY } from "../../../../protocol/account/key.ts";
import {
  addressOfPublicKey,
  compressPublicKey,
  publicKeyOf,
  sign,
} from "../../../../protocol/crypto/secp256k1.ts";
import { transactionType } from "../../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../../protocol/transaction/value.ts";
import { hashToSign, type TransactionRequest } from "../../../../wallet/transaction-request.ts";
import { fittingSignatures } from "./fitting-signatures.ts";

const keys = [1, 2, 3].map((n) => new Uint8Array(32).fill(n));
const publicKeys = keys.map((key) => compressPublicKey(publicKeyOf(key)));
const address = addressOfPublicKey(publicKeyOf(keys[0] as Uint8Array));
const tx = createTransaction({
  ...{ type: transactionType(0x08) as TransactionType, nonce: 0n, gas: 1n, gasPrice: 1n, value: 1n },
  ...{ to: address, from: address },
});
const request: TransactionRequest = { tx, chainId: 1001n, role: "sender" };
const made = keys.map((key) => sign(hashToSign(request), key));
const of = (key: AccountKey | undefined) => () =>
  ({ account: () => key && { key } }) as unknown as StateReader;
const single = (n: number): AccountKey => ({ type: "public", publicKey: publicKeys[n] as Uint8Array });
const multisig: AccountKey = {
  ...{ type: "weightedMultisig", threshold: 2n },
  keys: [0, 2].map((n) => ({ weight: 1n, publicKey: publicKeys[n] as Uint8Array })),
};

describe("signatures made with all keys of a file", () => {
  it.each<[string, AccountKey | undefined, readonly number[]]>([
    ["an account that is new to the chain", undefined, [0]],
    ["an account with its own key", LEGACY_KEY, [0]],
    ["an account with another key", single(1), [1]],
    ["an account with several", multisig, [0, 2]],
    ["an account with roles", { type: "roleBased", keys: [single(2), multisig] }, [2]],
    ["an account that nobody can sign for", FAIL_KEY, [0, 1, 2]],
  ])("are reduced to those valid for %s", (_, key, expected) => {
    expect(fittingSignatures(made, request, address, of(key))).toEqual(expected.map((n) => made[n]));
  });
});
