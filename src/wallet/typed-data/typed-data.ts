import { isObject, type Json } from "../../protocol/codec/json/value.ts";
import { keccak256Of } from "../../protocol/crypto/keccak.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import { typedDataError } from "./errors.ts";
import { StructHasher } from "./struct-hasher.ts";
import { type StructMember, type StructTypes, typesOf } from "./struct-types.ts";

const PREFIX = Uint8Array.of(0x19, 0x01);
const DOMAIN = "EIP712Domain";

/** Members that a domain may have, in order. @see EIP-712 */
const DOMAIN_MEMBERS: readonly StructMember[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
];

/**
 * The hash to sign for typed structured data.
 * @param data - an object with `types`, `primaryType`, `domain` and `message`
 * @throws WalletError `TYPED_DATA` naming the invalid value
 * @see EIP-712; null values and recursive types are as in `eth_signTypedData_v4` of wallets
 */
export function typedDataHash(data: Json): Hash {
  if (!isObject(data)) throw typedDataError("typed data must be an object");
  const { primaryType, domain = {}, message = {} } = data;
  if (!isObject(domain)) throw typedDataError("domain must be an object");
  if (typeof primaryType !== "string") throw typedDataError("primaryType must be a string");
  const types = withDomain(typesOf(data["types"] ?? null), domain);
  const hasher = new StructHasher(types);
  const separator = hasher.hash(DOMAIN, domain);
  if (primaryType === DOMAIN) return keccak256Of(PREFIX, separator);
  return keccak256Of(PREFIX, separator, hasher.hash(primaryType, message));
}

/** The types; that of the domain, if not declared, is derived from its members. */
function withDomain(types: StructTypes, domain: { readonly [key: string]: Json }): StructTypes {
  if (types.has(DOMAIN)) return types;
  const members = DOMAIN_MEMBERS.filter(({ name }) => Object.hasOwn(domain, name));
  return new Map([...types, [DOMAIN, members]]);
}
