import { type AbiParameter, readParameters, signatureText } from "../../protocol/codec/abi/types.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** A function, event or custom error of a contract. */
export interface AbiItem {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  /** What a function returns; empty for anything else. */
  readonly outputs: readonly AbiParameter[];
  /** Of a function: `pure`, `view`, `nonpayable` or `payable`, if the compiler specifies it. */
  readonly mutability?: string;
}

/** The functions, events and errors of a contract, and its constructor. */
export interface ContractAbi {
  /** By selector: `0x` and 8 hex digits. */
  readonly functions: ReadonlyMap<string, AbiItem>;
  readonly errors: ReadonlyMap<string, AbiItem>;
  /** By the first topic: `0x` and 64 hex digits. */
  readonly events: ReadonlyMap<string, AbiItem>;
  /** Of the constructor; absent if it takes nothing. */
  readonly constructorInputs: readonly AbiParameter[] | undefined;
}

/** Maximum entries of one ABI; further ones are ignored. */
export const MAX_ENTRIES = 2000;
const SELECTOR = 10;
/** Maximum length of a name. */
const MAX_LENGTH = 200;

interface JsonEntry {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly anonymous?: unknown;
  readonly stateMutability?: unknown;
}

/** Reads an ABI as compilers write it; invalid entries are ignored. */
export function readAbi(json: unknown): ContractAbi {
  const functions = new Map<string, AbiItem>();
  const errors = new Map<string, AbiItem>();
  const events = new Map<string, AbiItem>();
  let constructorInputs: readonly AbiParameter[] | undefined;
  for (const entry of Array.isArray(json) ? json.slice(0, MAX_ENTRIES) : []) {
    const item = readItem(entry as JsonEntry | null);
    if (item === undefined) continue;
    const { type, name, inputs, outputs, hash, mutability } = item;
    if (type === "constructor") constructorInputs = inputs;
    else if (type === "function")
      functions.set(hash.slice(0, SELECTOR), { name, inputs, outputs, ...(mutability && { mutability }) });
    else if (type === "error") errors.set(hash.slice(0, SELECTOR), { name, inputs, outputs });
    else if (type === "event") events.set(hash, { name, inputs, outputs });
  }
  return { functions, errors, events, constructorInputs };
}

function readItem(entry: JsonEntry | null): (AbiItem & { type: string; hash: string }) | undefined {
  if (typeof entry !== "object" || entry === null || typeof entry.type !== "string") return undefined;
  const { type, anonymous } = entry;
  const name = typeof entry.name === "string" ? entry.name : "";
  if (name.length > MAX_LENGTH || (name === "" && type !== "constructor") || anonymous === true)
    return undefined;
  try {
    const inputs = readParameters(entry.inputs);
    const hash = bytesToHex(keccak256(new TextEncoder().encode(signatureText(name, inputs))));
    const mutability =
      typeof entry.stateMutability === "string" ? entry.stateMutability.slice(0, 20) : undefined;
    return {
      type,
      name,
      inputs,
      outputs: readParameters(entry.outputs),
      hash,
      ...(mutability && { mutability }),
    };
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}
