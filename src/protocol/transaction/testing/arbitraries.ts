import fc from "fast-check";
import { encodeAccountKey } from "../../account/key-codec.ts";
import { compressPublicKey, publicKeyOf } from "../../crypto/secp256k1.ts";
import { MAX_UINT64 } from "../../primitives/integers.ts";
import type { Signature } from "../transaction.ts";
import { TRANSACTION_TYPES } from "../type-table.ts";
import type { TransactionType } from "../types.ts";
import type { TransactionParts } from "../value.ts";

const uint64 = fc.bigInt({ min: 0n, max: MAX_UINT64 });
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const sized = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const address = sized(20);
const hash = sized(32);
/** Below the order of the curve, and its half. */
const scalar = fc.bigInt({ min: 1n, max: 2n ** 254n });

const publicKey = fc.integer({ min: 1, max: 50 }).map((n) => {
  const secret = new Uint8Array(32).fill(n);
  return { type: "public", publicKey: compressPublicKey(publicKeyOf(secret)) } as const;
});
const accountKey = fc.oneof(fc.constant({ type: "legacy" } as const), publicKey).map(encodeAccountKey);

/** A value for each property of any type. */
const values = {
  nonce: uint64,
  gas: uint64,
  gasPrice: amount,
  maxPriorityFeePerGas: amount,
  to: address,
  value: amount,
  input: fc.uint8Array({ maxLength: 80 }),
  from: address,
  key: accountKey,
  humanReadable: fc.boolean(),
  codeFormat: fc.bigInt({ min: 0n, max: 255n }),
  feeRatio: fc.integer({ min: 0, max: 255 }),
  chainId: amount,
  accessList: fc.array(fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  maxFeePerBlobGas: amount,
  blobVersionedHashes: fc.array(hash, { maxLength: 3 }),
  authorizationList: fc.array(
    fc.record({
      chainId: amount,
      address,
      nonce: uint64,
      yParity: fc.bigInt({ min: 0n, max: 255n }),
      r: amount,
      s: amount,
    }),
    { maxLength: 3 },
  ),
} as const;

function signaturesOf(type: TransactionType): fc.Arbitrary<Signature[]> {
  const parity = fc.bigInt({ min: 0n, max: 1n });
  if (type.ethereum) {
    const v = type.code === 0 ? parity.map((p) => 4073n + p) : parity;
    return fc.record({ v, r: scalar, s: scalar }).map((one) => [one]);
  }
  return fc.array(fc.record({ v: parity.map((p) => 4073n + p), r: scalar, s: scalar }), {
    minLength: 1,
    maxLength: 3,
  });
}

/** The parts of a signed transaction of one type. */
export function partsOf(type: TransactionType): fc.Arbitrary<TransactionParts> {
  const own = Object.fromEntries(
    type.fields.map(({ property, optional }) => {
      const value = values[property as keyof typeof values] as fc.Arbitrary<unknown>;
      return [property, optional ? fc.option(value, { nil: undefined }) : value];
    }),
  );
  const payment =
    type.feeMode === "sender" ? {} : { feePayer: address, feePayerSignatures: signaturesOf(type) };
  const shape = { type: fc.constant(type), ...own, signatures: signaturesOf(type), ...payment };
  return fc.record(shape) as unknown as fc.Arbitrary<TransactionParts>;
}

/** The parts of a signed transaction of any type. */
export const anyParts: fc.Arbitrary<TransactionParts> = fc.constantFrom(...TRANSACTION_TYPES).chain(partsOf);
