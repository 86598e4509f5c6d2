import type { Json } from "../codec/json/value.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { anchoringToJson } from "./anchoring.ts";
import { type Field, feePayer, feePayerSignatures, from, input, signatures } from "./fields.ts";
import { transactionHash } from "./hash.ts";
import type { Transaction } from "./transaction.ts";
import type { TransactionType } from "./types.ts";

/** Members of one JSON object, in the order in which they are written. */
export type JsonMembers = { [key: string]: Json };

/** One member of a JSON view of a transaction. */
export interface View {
  readonly name: string;
  /** The field of the type that it shows; absent for what is computed. */
  readonly field?: Field;
  of(tx: Transaction): Json;
}

const FEE_PAYMENT = [feePayer, feePayerSignatures];
const typeName: View = { name: "type", of: ({ type }) => type.name };
const typeCode: View = { name: "typeInt", of: ({ type }) => type.code };
const inputJson: View = { name: "inputJSON", of: (tx) => anchoredOrNull(tx.input) };

function viewOf(field: Field): View {
  return {
    name: field.json,
    field,
    of(tx) {
      const value = tx[field.property];
      return value === undefined ? null : field.schema.encode(value);
    },
  };
}

/** A member per field of the type, in the order of the wire, with the names of the type in front. */
function viewsOf(type: TransactionType): readonly View[] {
  const payment = type.feeMode === "sender" ? [] : FEE_PAYMENT;
  const fields = [...type.fields, signatures, ...payment].map(viewOf);
  if (type.effect === "anchor")
    fields.splice(fields.findIndex((view) => view.field === input) + 1, 0, inputJson);
  return [typeCode, typeName, ...fields];
}

const views = new Map<TransactionType, readonly View[]>();

/** What the JSON views of a type are made of. */
export function jsonViews(type: TransactionType): readonly View[] {
  let own = views.get(type);
  if (own === undefined) {
    own = viewsOf(type);
    views.set(type, own);
  }
  return own;
}

function anchoredOrNull(data: Uint8Array): Json {
  try {
    return anchoringToJson(data);
  } catch {
    return null;
  }
}

/** A transaction by itself, in the order of the wire: the form in which `signTransaction` and its kin answer. */
export function transactionToJson(tx: Transaction): JsonMembers {
  const out: JsonMembers = {};
  for (const view of jsonViews(tx.type)) {
    if (tx.type.code === 0 && (view === typeCode || view === typeName)) continue;
    out[view.name] = view.of(tx);
  }
  out["hash"] = bytesToHex(transactionHash(tx));
  return out;
}

/** Whether a view shows the declared sender, which RPC objects replace by the real one. */
export function showsSender({ field }: View): boolean {
  return field === from;
}
