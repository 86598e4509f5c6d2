import { address, bytes, hash, quantity, quantity64, quantityOf } from "../codec/json/hex.ts";
import { list, nullable, object } from "../codec/json/object.ts";
import { boolean, small } from "../codec/json/scalars.ts";
import { defaulted, required, type Schema } from "../codec/json/schema.ts";
import { signatureWire } from "./signatures/signature.ts";
import type { AccessListEntry, Authorization, Signature, Transaction } from "./transaction.ts";
import type { FieldName, TransactionField } from "./types.ts";
import * as wire from "./wire.ts";

export type { TransactionField } from "./types.ts";

type Value<K extends FieldName> = Exclude<Transaction[K], undefined>;

function field<K extends FieldName>(
  property: K,
  goName: string,
  forms: { wire: wire.Wire<Value<K>>; schema: Schema<Value<K>>; json?: string },
): TransactionField<K> {
  return { property, json: forms.json ?? property, goName, wire: forms.wire, schema: forms.schema };
}

const amount = { wire: wire.bigWire, schema: quantity };
const amount256 = { wire: wire.uint256Wire, schema: quantity };

/** Fields of many types, under their JSON names. */
export const nonce = field("nonce", "AccountNonce", { wire: wire.uint64Wire, schema: quantity64 });
export const gasPrice = field("gasPrice", "Price", amount);
export const gas = field("gas", "GasLimit", { wire: wire.uint64Wire, schema: quantity64 });
export const to = field("to", "Recipient", { wire: wire.addressWire, schema: address });
export const value = field("value", "Amount", amount);
export const from = field("from", "From", { wire: wire.addressWire, schema: address });
export const input = field("input", "Payload", { wire: wire.bytesWire, schema: bytes });
export const key = field("key", "Key", { wire: wire.bytesWire, schema: bytes });
/** Whether the recipient is a name; always false, as the reference rejects others. */
export const humanReadable = field("humanReadable", "HumanReadable", {
  wire: wire.boolWire,
  schema: boolean,
});

/** Format of a contract's code; 0 is EVM. */
export const codeFormat = field("codeFormat", "CodeFormat", {
  wire: wire.uintWire("params.CodeFormat", 8),
  schema: quantity64,
});

/** Percent of the fee that the fee payer pays, 1 to 99. */
export const feeRatio = field("feeRatio", "FeeRatio", {
  wire: wire.byteWire("types.FeeRatio"),
  schema: { ...small(quantity64), encode: (ratio) => `0x${ratio.toString(16)}` },
});

/** Recipient; absent for contract creation. */
export const optionalTo: TransactionField<"to"> = {
  property: "to",
  json: "to",
  goName: "Recipient",
  optional: true,
  wire: wire.recipientWire,
  schema: nullable(address),
};

/** Fields of the Ethereum types, with unbounded integers. */
export const chainId = field("chainId", "ChainID", amount);
export const tip = field("maxPriorityFeePerGas", "GasTipCap", amount);
export const feeCap = field("gasPrice", "GasFeeCap", { ...amount, json: "maxFeePerGas" });

/** The fields that the blob type, and of the set code type the chain id, hold in 256 bits. */
export const chainId256 = field("chainId", "ChainID", amount256);
export const tip256 = field("maxPriorityFeePerGas", "GasTipCap", amount256);
export const feeCap256 = field("gasPrice", "GasFeeCap", { ...amount256, json: "maxFeePerGas" });
export const value256 = field("value", "Amount", amount256);
export const blobFeeCap = field("maxFeePerBlobGas", "BlobFeeCap", amount256);
/** Versioned hashes of the blobs (EIP-4844). */
export const blobHashes = field("blobVersionedHashes", "BlobHashes", {
  wire: wire.listWire("[]common.Hash", wire.hashWire),
  schema: list(hash),
});

/** Accounts and slots that are warm from the start (EIP-2930). */
export const accessList = field("accessList", "AccessList", {
  wire: wire.listWire(
    "types.AccessList",
    wire.structWire<AccessListEntry>("types.AccessTuple", [
      ["address", "Address", wire.addressWire],
      ["storageKeys", "StorageKeys", wire.listWire("[]common.Hash", wire.hashWire)],
    ]),
  ),
  schema: list(
    object(
      "AccessListEntry",
      {
        address: required(address, "Account that will be touched."),
        storageKeys: required(list(hash, "[]common.Hash"), "Slots of it that will be touched."),
      },
      { goType: "types.AccessTuple", ownDecoder: true },
    ),
    "types.AccessList",
  ),
});

const quantity256 = quantityOf(256, "*uint256.Int");

/** The reference keeps the lowest 8 bits. */
const parity: Schema<bigint> = {
  ...quantity64,
  decode: (value) => BigInt.asUintN(8, quantity64.decode(value)),
};

/** Delegations that accounts have signed (EIP-7702). */
export const authorizationList = field("authorizationList", "AuthorizationList", {
  wire: wire.listWire(
    "[]types.SetCodeAuthorization",
    wire.structWire<Authorization>("types.SetCodeAuthorization", [
      ["chainId", "ChainID", wire.uint256Wire],
      ["address", "Address", wire.addressWire],
      ["nonce", "Nonce", wire.uint64Wire],
      ["yParity", "V", wire.uintWire("uint8", 8)],
      ["r", "R", wire.uint256Wire],
      ["s", "S", wire.uint256Wire],
    ]),
  ),
  schema: list(
    object(
      "Authorization",
      {
        chainId: required(quantity256, "Chain on which it holds; 0 for every chain."),
        address: required(address, "Account whose code is lent."),
        nonce: required(quantity64, "Nonce of the authority."),
        yParity: required(parity, "Parity of the signature, 0 or 1."),
        r: required(quantity256, "r of the signature."),
        s: required(quantity256, "s of the signature."),
      },
      { goType: "types.SetCodeAuthorization", ownDecoder: true },
    ),
    "[]types.SetCodeAuthorization",
  ),
});

const signatureObject = object(
  "Signature",
  {
    V: defaulted(
      quantity,
      0n,
      "chainId · 2 + 35 + parity, or the parity alone in Ethereum typed transactions.",
    ),
    R: defaulted(quantity, 0n, "r"),
    S: defaulted(quantity, 0n, "s"),
  },
  { goType: "types.TxSignatureJSON" },
);

const signatureList = {
  wire: wire.listWire("types.TxSignatures", signatureWire),
  schema: list<Signature>(
    {
      ...signatureObject,
      decode(json) {
        const { V, R, S } = signatureObject.decode(json);
        return { v: V, r: R, s: S };
      },
      encode: ({ v, r, s }) => signatureObject.encode({ V: v, R: r, S: s }),
    },
    "types.TxSignaturesJSON",
  ),
};

/** Signatures of the sender, and who pays the fee with theirs. */
export const signatures = field("signatures", "TxSignatures", signatureList);
export const feePayer = field("feePayer", "FeePayer", { wire: wire.addressWire, schema: address });
export const feePayerSignatures = field("feePayerSignatures", "FeePayerSignatures", signatureList);
