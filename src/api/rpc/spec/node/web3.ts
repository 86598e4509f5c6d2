import { bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { string } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";

/** Client information, also in the chain namespace. */
export const web3 = {
  clientVersion: method({
    summary: "Name and version of this node.",
    params: {},
    result: string,
    scope: "chain",
  }),
  sha3: method({
    summary: "Keccak-256 (not SHA3-256) of the given bytes.",
    params: { data: required(bytes, "Bytes to hash.") },
    result: hash,
    scope: "chain",
    example: {
      params: ["0x6b6169726e"],
      result: "0xa2c2bfe834e1a225a79becec919fc47a75dd12415dab422371a1945a526f61c4",
    },
  }),
};
