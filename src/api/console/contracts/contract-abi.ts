import { type AbiParameter, readParameters } from "../../../protocol/codec/abi/types.ts";

/** A function, constructor or event as compilers write it. */
export interface AbiEntry {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  readonly outputs: readonly AbiParameter[];
  /** Whether a plain call of it only reads, without a transaction. */
  readonly isReading: boolean;
  readonly isAnonymous: boolean;
}

/** A contract at an address, with its functions and events by name. */
export type ConsoleContract = Record<string, unknown> & {
  readonly address: string | undefined;
  readonly transactionHash: string | undefined;
};

/** Reads an ABI, or its JSON. @throws Error if it is not an ABI, AbiError for an unknown type */
export function readEntries(abi: unknown): AbiEntry[] {
  const list = typeof abi === "string" ? (JSON.parse(abi) as unknown) : abi;
  if (!Array.isArray(list)) throw new Error("contract takes an ABI: an array, or its JSON");
  return (list as Record<string, unknown>[]).map((json) => ({
    type: String(json["type"] ?? "function"),
    name: String(json["name"] ?? ""),
    inputs: readParameters(json["inputs"]),
    outputs: readParameters(json["outputs"]),
    isReading: json["constant"] === true || ["view", "pure"].includes(String(json["stateMutability"])),
    isAnonymous: json["anonymous"] === true,
  }));
}

/** Adds a member to a contract unless it has one of that name. @returns the member of that name */
export function addMember<T>(contract: ConsoleContract, name: string, value: T): T {
  if (!Object.hasOwn(contract, name))
    Object.defineProperty(contract, name, { value, enumerable: true, writable: true, configurable: true });
  return contract[name] as T;
}
