import { type AbiValue, decodeAbi } from "../../../protocol/codec/abi/decode.ts";
import { encodeAbi } from "../../../protocol/codec/abi/encode.ts";
import { fromAbiValue, fromAbiValues, toAbiValue } from "../../../protocol/codec/abi/json-values.ts";
import { type AbiParameter, signatureText, typeName } from "../../../protocol/codec/abi/types.ts";
import { selectorOf } from "../../../protocol/crypto/selector.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { ADDRESS_PATTERN, bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Namespace } from "../methods/namespaces.ts";
import { type AbiEntry, addMember, type ConsoleContract, readEntries } from "./contract-abi.ts";
import { addEvents, type ContractEvents } from "./contract-events.ts";

/** Fields of a call or transaction, given after the arguments. */
type Options = Record<string, unknown>;

const OPTIONS = new Set(
  "from to gas gasPrice value nonce data input maxFeePerGas maxPriorityFeePerGas accessList".split(" "),
);

/** Adds `contract(abi)` to a module, with the calls, sends and logs of that module. */
export function addContracts(space: Namespace, every: ContractEvents["every"]): void {
  const contract = (abi: unknown) => contractFactory(space, abi, every);
  Object.defineProperty(space, "contract", { value: contract, configurable: true });
}

function contractFactory(space: Namespace, abi: unknown, every: ContractEvents["every"]) {
  const entries = readEntries(abi);
  const init = (given: readonly unknown[]): { data: string; options: Options } => {
    const inputs = entries.find(({ type }) => type === "constructor")?.inputs ?? [];
    const { args, options } = split(inputs, given);
    const code = options["data"];
    if (typeof code !== "string") throw new Error("the options have no data: the contract's code");
    return { data: bytesToHex(concat(hexToBytes(prefixed(code)), encodeGiven(inputs, args))), options };
  };
  const at = (address: string, transactionHash?: string): ConsoleContract =>
    contractAt({ space, entries, every }, address, transactionHash);
  return {
    abi,
    at: (address: string) => {
      if (!ADDRESS_PATTERN.test(address)) throw new Error(`not an address: ${address}`);
      return at(address);
    },
    /** Sends a transaction that deploys the contract. The address is available once the transaction is in a block. */
    new: (...given: unknown[]) => {
      const { data, options } = init(given);
      const hash = send(space, { ...options, data });
      const receipt = called(space, "getTransactionReceipt")(hash) as { contractAddress?: string } | null;
      return receipt?.contractAddress
        ? at(receipt.contractAddress, hash)
        : { transactionHash: hash, address: undefined };
    },
    /** The input of the transaction that deploys the contract. */
    getData: (...given: unknown[]) => init(given).data,
  };
}

function contractAt(
  {
    space,
    entries,
    every,
  }: { space: Namespace; entries: readonly AbiEntry[]; every: ContractEvents["every"] },
  address: string,
  transactionHash: string | undefined,
): ConsoleContract {
  const contract: ConsoleContract = { address, transactionHash };
  for (const entry of entries) {
    if (entry.type !== "function") continue;
    const all = contractFunction(space, address, entry);
    // The first of several overloads gets the name; each is a member of it by its parameter types.
    const types = entry.inputs.map(({ type }) => typeName(type)).join(",");
    Object.assign(addMember(contract, entry.name, all), { [types]: all });
  }
  addEvents(contract, { space, entries, every });
  return contract;
}

/** A function of a contract: calling it reads or sends; its members offer both. */
function contractFunction(space: Namespace, address: string, entry: AbiEntry) {
  const { inputs, outputs } = entry;
  const selector = selectorOf(signatureText(entry.name, entry.inputs));
  const request = (given: readonly unknown[]): { tx: Options; block: unknown } => {
    const { args, options, block } = split(inputs, given);
    const data = bytesToHex(concat(selector, encodeGiven(inputs, args)));
    return { tx: { ...options, to: address, data }, block };
  };
  const call = (...given: unknown[]): unknown => {
    const { tx, block } = request(given);
    const answer = called(space, "call")(tx, block ?? "latest") as string;
    return outputs.length === 0 ? undefined : shownOutputs(outputs, answer);
  };
  const sendTransaction = (...given: unknown[]): string => send(space, request(given).tx);
  return Object.assign(entry.isReading ? call : sendTransaction, {
    call,
    sendTransaction,
    estimateGas: (...given: unknown[]) => called(space, "estimateGas")(request(given).tx),
    getData: (...given: unknown[]) => request(given).tx["data"],
    parameters: inputs.map(({ name, type }) => name || typeName(type)),
  });
}

function shownOutputs(outputs: readonly AbiParameter[], answer: string): unknown {
  if (answer === "0x") throw new Error("the call returned no data: is there a contract at this address?");
  const values = decodeAbi(outputs, hexToBytes(answer));
  return outputs.length === 1
    ? fromAbiValue((outputs[0] as AbiParameter).type, values[0] as AbiValue)
    : fromAbiValues(outputs, values);
}

function encodeGiven(inputs: readonly AbiParameter[], args: readonly unknown[]): Uint8Array {
  return encodeAbi(
    inputs,
    inputs.map((input, i) => toAbiValue(input, args[i])),
  );
}

/** Arguments, then an object of options, then a block. @throws Error that names the first missing argument */
function split(inputs: readonly AbiParameter[], given: readonly unknown[]) {
  const args = given.slice(0, inputs.length);
  const rest = given.slice(inputs.length);
  const missing = inputs[args.length];
  if (missing !== undefined) throw new Error(`missing argument ${missing.name || typeName(missing.type)}`);
  const options = isOptions(rest[0]) ? (rest.shift() as Options) : {};
  if (rest.length > 1) throw new Error(`too many arguments: ${inputs.length} expected`);
  return { args, options, block: rest[0] };
}

function isOptions(given: unknown): boolean {
  return (
    typeof given === "object" && given !== null && Object.keys(given).every((member) => OPTIONS.has(member))
  );
}

/** Sends from the account in the options, else from the module's `defaultAccount`. @returns the hash */
function send(space: Namespace, tx: Options): string {
  const from = tx["from"] ?? space["defaultAccount"];
  if (typeof from !== "string")
    throw new Error("no sender: add {from: address} after the arguments, or set the module's defaultAccount");
  return called(space, "sendTransaction")({ ...tx, from }) as string;
}

/** A method of the module. */
function called(space: Namespace, name: string): (...args: unknown[]) => unknown {
  return space[name] as (...args: unknown[]) => unknown;
}

function prefixed(hex: string): string {
  return hex.startsWith("0x") ? hex : `0x${hex}`;
}
