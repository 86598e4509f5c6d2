import { address, bytes } from "../../../../protocol/codec/json/hex.ts";
import { wire } from "../../../../protocol/codec/json/object.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Api, method } from "../method.ts";
import type { CallReport, ContractReport } from "./contract-wire.ts";

const object = { type: "object" };
const at = required(address, "The contract.");
const selector = required(bytes, "Selector of the function, 4 bytes.");
const values = required(
  wire<readonly Json[]>("Values", { type: "array" }),
  "One for each parameter: texts, numbers as text, true and false, lists, structs as lists.",
);
const abi = optional(
  wire<Json>("Abi", { type: "array" }),
  "ABI of the contract as compilers write it; by default that of an artifact with its code.",
);

/** Contracts as the page calls them: by the names of an ABI. */
export const contracts = {
  contract: method({
    summary: "The functions and newest events of a contract by their names.",
    params: { address: at, abi },
    result: wire<ContractReport>("ContractReport", object),
    scope: "chain",
  }),
  encodeCall: method({
    summary: "Encodes the input of a function call.",
    params: { address: at, selector, values, abi },
    result: bytes,
    scope: "chain",
  }),
  read: method({
    summary: "Calls a function without a transaction, and shows what it returns.",
    params: { address: at, selector, values, from: optional(address, "Caller."), abi },
    result: wire<CallReport>("CallReport", object),
    scope: "chain",
  }),
} satisfies Api;
