import { type AbiValue, decodeAbi, isDynamic } from "../../../protocol/codec/abi/decode.ts";
import { encodeAbi } from "../../../protocol/codec/abi/encode.ts";
import { fromAbiValue, toAbiValue } from "../../../protocol/codec/abi/json-values.ts";
import { type AbiParameter, signatureText } from "../../../protocol/codec/abi/types.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createFilter, type Every, type Filter } from "../methods/filters.ts";
import type { Namespace } from "../methods/namespaces.ts";
import { type AbiEntry, addMember, type ConsoleContract } from "./contract-abi.ts";

/** What reading the events of a contract needs. */
export interface ContractEvents {
  readonly space: Namespace;
  readonly entries: readonly AbiEntry[];
  readonly every: Every;
}

/** A log as the node returns it. */
interface Log {
  readonly topics: readonly string[];
  readonly data: string;
}

/** Adds a function for each event, which takes values of indexed parameters and the block range, and `allEvents`. */
export function addEvents(contract: ConsoleContract, { space, entries, every }: ContractEvents): void {
  const events = entries.filter(({ type, isAnonymous }) => type === "event" && !isAnonymous);
  const byTopic = new Map(events.map((event) => [topicOf(event), event]));
  const show = (log: unknown): unknown => shownLog(byTopic, log as Log);
  const filter = (topics: readonly unknown[], range: object): Filter =>
    createFilter(space, { ...range, address: contract.address, topics }, { every, show });
  for (const event of events)
    addMember(contract, event.name, (wanted: Record<string, unknown> = {}, range: object = {}) =>
      filter([topicOf(event), ...wantedTopics(event, wanted)], range),
    );
  addMember(contract, "allEvents", (range: object = {}) => filter([], range));
}

function topicOf({ name, inputs }: AbiEntry): string {
  return bytesToHex(keccak256(new TextEncoder().encode(signatureText(name, inputs))));
}

/** A topic for each indexed parameter: a value, a list of alternatives, or null for any. */
function wantedTopics({ inputs }: AbiEntry, wanted: Record<string, unknown>): unknown[] {
  const unknown = Object.keys(wanted).find((name) => !inputs.some((one) => one.indexed && one.name === name));
  if (unknown !== undefined) throw new Error(`the event has no indexed parameter ${unknown}`);
  return inputs
    .filter(({ indexed }) => indexed)
    .map((input) => {
      const value = wanted[input.name];
      if (value === undefined || value === null) return null;
      return Array.isArray(value) && input.type.kind !== "array"
        ? value.map((one) => valueTopic(input, one))
        : valueTopic(input, value);
    });
}

/** The topic of a value: one word itself, otherwise the hash of its bytes. */
function valueTopic(input: AbiParameter, value: unknown): string {
  const { kind } = input.type;
  const given = toAbiValue(input, value);
  if (kind === "string") return bytesToHex(keccak256(new TextEncoder().encode(given as string)));
  if (kind === "bytes") return bytesToHex(keccak256(given as Uint8Array));
  if (kind === "array" || kind === "tuple")
    throw new Error(`${input.name}: arrays and structs cannot be searched for`);
  return bytesToHex(encodeAbi([input], [given]));
}

/** A log with its event's name and values; unchanged if the ABI has no such event. */
function shownLog(byTopic: ReadonlyMap<string, AbiEntry>, log: Log): unknown {
  const event = byTopic.get(log.topics?.[0] ?? "");
  if (event === undefined) return log;
  const { topics, data, ...rest } = log;
  const inData = event.inputs.filter(({ indexed }) => !indexed);
  const values = decodeAbi(inData, hexToBytes(data));
  let nextTopic = 1;
  let nextValue = 0;
  const args: Record<string, unknown> = {};
  for (const [i, input] of event.inputs.entries())
    args[input.name || String(i)] = input.indexed
      ? indexedValue(input, topics[nextTopic++] ?? "0x")
      : fromAbiValue(input.type, values[nextValue++] as AbiValue);
  return { ...rest, event: event.name, args };
}

/** For values that do not fit into a word, only the hash is available. */
function indexedValue(input: AbiParameter, topic: string): unknown {
  if (isDynamic(input.type) || input.type.kind === "array" || input.type.kind === "tuple") return topic;
  return fromAbiValue(input.type, decodeAbi([input], hexToBytes(topic))[0] as AbiValue);
}
