import { decodeAbi } from "../../protocol/codec/abi/decode.ts";
import { type AbiParameter, type AbiType, signatureText } from "../../protocol/codec/abi/types.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { AbiItem } from "./abi.ts";
import type { ArtifactContract, Contracts, NamedAbi } from "./contracts.ts";
import { showCall, showValue } from "./show-value.ts";

/** A log, as in chains and traces. */
export interface NamedLog {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** Names for the hex of a chain, if known. All texts are untrusted. */
export interface Names {
  /** The contract at an address. */
  contract(address: Uint8Array): string | undefined;
  /** The function called by an input, with its arguments. */
  call(address: Uint8Array, input: Uint8Array): string | undefined;
  /** The contract created by init code, with its arguments. */
  creation(initCode: Uint8Array): string | undefined;
  /** The custom error in the output of a call. */
  error(output: Uint8Array, address: Uint8Array | undefined): string | undefined;
  /** The event of a log. */
  log(log: NamedLog): string | undefined;
  /** The function of a selector (4 bytes): `transfer(address,uint256)`. */
  selector(selector: Uint8Array): string | undefined;
  /** The event of a topic (32 bytes): `Transfer(address,address,uint256)`. */
  topic(topic: Uint8Array): string | undefined;
}

/** Knows no names. */
export const NO_NAMES: Names = {
  contract: () => undefined,
  call: () => undefined,
  creation: () => undefined,
  error: () => undefined,
  log: () => undefined,
  selector: () => undefined,
  topic: () => undefined,
};

const SELECTOR = 4;
const WORD = 32;

/** Names from artifacts. @param at - the contract at an address, if known */
export function namesOf(
  contracts: () => Contracts,
  at: (address: Uint8Array) => NamedAbi | undefined,
): Names {
  return {
    contract: (address) => at(address)?.name,
    call: (address, input) => functionText(contracts(), at(address), input),
    creation: (initCode) => {
      const contract = contracts().withInitCode(initCode);
      return contract && creationText(contract, initCode);
    },
    error: (output, address) => errorText(contracts(), address && at(address), output),
    log: (log) => eventText(contracts(), at(log.address), log),
    selector: (selector) => signatureOf(contracts().function(bytesToHex(selector))),
    topic: (topic) => signatureOf(contracts().events(bytesToHex(topic))[0]),
  };
}

function signatureOf(item: AbiItem | undefined): string | undefined {
  return item && signatureText(item.name, item.inputs);
}

/** `Token.transfer(to: 0x…, value: 5)`; without the contract if only the function is known. */
function functionText(
  contracts: Contracts,
  contract: NamedAbi | undefined,
  input: Uint8Array,
): string | undefined {
  const item = functionOf(contracts, contract, input);
  const text = item && showCall(item.name, item.inputs, input.subarray(SELECTOR));
  return text && prefixed(contract, text);
}

/** What a function returned: `(5, "text")`. */
export function functionResult(
  contracts: Contracts,
  contract: NamedAbi | undefined,
  input: Uint8Array,
  output: Uint8Array,
): string | undefined {
  const item = functionOf(contracts, contract, input);
  return item && item.outputs.length > 0 ? showCall("", item.outputs, output) : undefined;
}

/** The function called by an input. */
export function functionOf(
  contracts: Contracts,
  contract: NamedAbi | undefined,
  input: Uint8Array,
): AbiItem | undefined {
  if (input.length < SELECTOR) return undefined;
  const selector = selectorOf(input);
  return contract?.abi.functions.get(selector) ?? contracts.function(selector);
}

/** A creation with its arguments: `new Token(supply: 5)`. */
function creationText(contract: ArtifactContract, initCode: Uint8Array): string {
  const { name, creation, abi } = contract;
  const behind = initCode.subarray(creation?.bytes.length ?? initCode.length);
  return showCall(`new ${name}`, abi.constructorInputs ?? [], behind) ?? `new ${name}(…)`;
}

/** A custom error with its values. */
function errorText(
  contracts: Contracts,
  contract: NamedAbi | undefined,
  output: Uint8Array,
): string | undefined {
  if (output.length < SELECTOR) return undefined;
  const selector = selectorOf(output);
  const item = contract?.abi.errors.get(selector) ?? contracts.error(selector);
  return item && showCall(item.name, item.inputs, output.subarray(SELECTOR));
}

/** An event with its values. */
function eventText(
  contracts: Contracts,
  contract: NamedAbi | undefined,
  { topics, data }: Omit<NamedLog, "address">,
): string | undefined {
  const [first, ...indexed] = topics;
  if (first === undefined) return undefined;
  const topic = bytesToHex(first);
  const own = contract?.abi.events.get(topic);
  for (const item of [...(own ? [own] : []), ...contracts.events(topic)]) {
    const text = eventWith(item, indexed, data);
    if (text !== undefined) return prefixed(contract, text);
  }
  return undefined;
}

function eventWith(
  { name, inputs }: AbiItem,
  indexed: readonly Uint8Array[],
  data: Uint8Array,
): string | undefined {
  const inTopics = inputs.filter((input) => input.indexed === true);
  const inData = inputs.filter((input) => input.indexed !== true);
  if (inTopics.length !== indexed.length || indexed.some((topic) => topic.length !== WORD)) return undefined;
  try {
    const values = decodeAbi(inData, data);
    const shown = inputs.map((input) => {
      const text =
        input.indexed === true
          ? topicText(input, indexed[inTopics.indexOf(input)] as Uint8Array)
          : showValue(input.type, values[inData.indexOf(input)] ?? "");
      return input.name === "" ? text : `${input.name}: ${text}`;
    });
    return `${name}(${shown.join(", ")})`;
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** Values longer than a word are hashed in topics. */
function topicText({ type }: AbiParameter, topic: Uint8Array): string {
  if (!isWord(type)) return bytesToHex(topic);
  const [value = ""] = decodeAbi([{ name: "", type }], topic);
  return showValue(type, value);
}

function isWord({ kind }: AbiType): boolean {
  return !["string", "bytes", "array", "tuple"].includes(kind);
}

function selectorOf(bytes: Uint8Array): string {
  return bytesToHex(bytes.subarray(0, SELECTOR));
}

function prefixed(contract: NamedAbi | undefined, text: string): string {
  return contract === undefined ? text : `${contract.name}.${text}`;
}
