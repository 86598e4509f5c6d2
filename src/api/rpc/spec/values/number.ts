import { quantity64 } from "../../../../protocol/codec/json/hex.ts";
import type { Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";

/** A number below 2^64 as hex, or as a JSON integer, as explorers and OpenEthereum's clients write it. */
export const quantityOrNumber: Schema<bigint> = {
  ...quantity64,
  json: { anyOf: [quantity64.json, { type: "integer", minimum: 0 }] },
  decode: (json: Json) =>
    typeof json === "number" && Number.isSafeInteger(json) && json >= 0
      ? BigInt(json)
      : quantity64.decode(json),
};
