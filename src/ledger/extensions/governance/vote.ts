import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../protocol/codec/rlp/reader.ts";
import { parameterFromJson } from "../../../protocol/params/parameter-json.ts";
import { type Parameter, type ParameterValue, parameterNamed } from "../../../protocol/params/parameters.ts";
import { type Address, bigintToBytes, bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { ExtensionError } from "../errors.ts";

/** A vote that changes a parameter from the epoch after the next epoch block on. */
export interface ParameterVote {
  readonly kind: "parameter";
  readonly voter: Address;
  readonly parameter: Parameter;
  readonly value: ParameterValue;
}

/** A vote that changes the council from the next block on. */
export interface ValidatorVote {
  readonly kind: "addvalidator" | "removevalidator";
  readonly voter: Address;
  readonly validators: readonly Address[];
}

/** The contents of a header's `vote`. */
export type GovernanceVote = ParameterVote | ValidatorVote;

const VALIDATOR_VOTES = {
  addvalidator: "governance.addvalidator",
  removevalidator: "governance.removevalidator",
};

/** Name under which a vote is cast. */
export function voteName(vote: GovernanceVote): string {
  return vote.kind === "parameter" ? vote.parameter.name : VALIDATOR_VOTES[vote.kind];
}

/** Encodes a vote for the header: `rlp([voter, name, value])`. */
export function encodeVote(vote: GovernanceVote): Uint8Array {
  return encodeItem([vote.voter, new TextEncoder().encode(voteName(vote)), valueItem(vote)]);
}

function valueItem(vote: GovernanceVote): Item {
  if (vote.kind !== "parameter") return concat(...vote.validators);
  const { value } = vote;
  switch (vote.parameter.kind) {
    case "uint64":
    case "index":
      return bigintToBytes(BigInt(value as bigint | number));
    case "flag":
      return value ? Uint8Array.of(1) : new Uint8Array(0);
    case "address":
      return value as Address;
    default:
      return new TextEncoder().encode(String(value));
  }
}

/**
 * Decodes a header's `vote`.
 * @throws ExtensionError `GOVERNANCE_VOTE`: `invalid rlp` or `invalid vote data`
 */
export function decodeVote(bytes: Uint8Array): GovernanceVote {
  const { voter, name, value } = readVote(bytes);
  try {
    const kind = validatorVoteKind(name);
    if (kind !== undefined) return { kind, voter, validators: readAddresses(value) };
    const parameter = votable(name);
    return { kind: "parameter", voter, parameter, value: readValue(parameter, value) };
  } catch (cause) {
    throw new ExtensionError("GOVERNANCE_VOTE", "invalid vote data", { field: "vote", name }, { cause });
  }
}

function readVote(bytes: Uint8Array): { voter: Address; name: string; value: Uint8Array } {
  try {
    const reader = new RlpReader(bytes);
    reader.enterList("vote");
    const voter = reader.fixed(20, "common.Address");
    const name = new TextDecoder().decode(reader.bytes());
    const value = reader.bytes();
    reader.leaveList();
    reader.finish();
    return { voter, name, value };
  } catch (cause) {
    throw new ExtensionError("GOVERNANCE_VOTE", "invalid rlp", { field: "vote" }, { cause });
  }
}

/**
 * Creates a vote from a value given over RPC: a number, text, a boolean, an address, or comma-separated addresses.
 * @throws ExtensionError, ParamsError with the reason
 */
export function createVote(voter: Address, name: string, value: unknown): GovernanceVote {
  const kind = validatorVoteKind(name);
  if (kind !== undefined) return { kind, voter, validators: addressesFromText(value) };
  const parameter = votable(name);
  return { kind: "parameter", voter, parameter, value: parameterFromJson(parameter, value) };
}

function validatorVoteKind(name: string): ValidatorVote["kind"] | undefined {
  if (name === VALIDATOR_VOTES.addvalidator) return "addvalidator";
  return name === VALIDATOR_VOTES.removevalidator ? "removevalidator" : undefined;
}

function votable(name: string): Parameter {
  const parameter = parameterNamed(name);
  if (parameter === undefined) throw new ExtensionError("GOVERNANCE_VOTE", "invalid param name", { name });
  if (!parameter.votable) throw new ExtensionError("GOVERNANCE_VOTE", "vote is forbidden", { name });
  return parameter;
}

/** The value of any parameter, votable or not, from its bytes in votes and contracts; undefined if invalid. */
export function parameterValue(
  name: string,
  bytes: Uint8Array,
): { readonly parameter: Parameter; readonly value: ParameterValue } | undefined {
  const parameter = parameterNamed(name);
  try {
    return parameter && { parameter, value: readValue(parameter, bytes) };
  } catch {
    return undefined;
  }
}

function readValue(parameter: Parameter, bytes: Uint8Array): ParameterValue {
  return parameterFromJson(parameter, jsonOf(parameter.kind, bytes));
}

function jsonOf(kind: Parameter["kind"], bytes: Uint8Array): unknown {
  if (kind === "uint64" || kind === "index") return bytesToBigint(bytes);
  if (kind === "address") return bytes.length === 20 ? `0x${Buffer.from(bytes).toString("hex")}` : "";
  if (kind === "flag") return bytes.length === 1 && (bytes[0] as number) < 2 ? bytes[0] === 1 : undefined;
  return new TextDecoder().decode(bytes);
}

/**
 * Decodes concatenated addresses. Any other length counts as one address made of the last 20 bytes: mainnet block 90915008
 * has an address as 42 bytes of text, and its council follows from this rule.
 */
function readAddresses(bytes: Uint8Array): Address[] {
  if (bytes.length === 0 || bytes.length % 20 !== 0) return [lastTwenty(bytes)];
  return Array.from({ length: bytes.length / 20 }, (_, i) => bytes.slice(20 * i, 20 * i + 20));
}

function lastTwenty(bytes: Uint8Array): Address {
  const address = new Uint8Array(20);
  const tail = bytes.subarray(Math.max(0, bytes.length - 20));
  address.set(tail, 20 - tail.length);
  return address;
}

function addressesFromText(value: unknown): Address[] {
  if (typeof value !== "string") {
    throw new ExtensionError("GOVERNANCE_VOTE", "could not canonicalize value to address list");
  }
  return value.split(",").map((text) => {
    if (!/^(0[xX])?[0-9a-fA-F]{40}$/.test(text)) {
      throw new ExtensionError("GOVERNANCE_VOTE", "could not canonicalize string to address");
    }
    return hexToBytes(`0x${text.slice(-40)}`);
  });
}
