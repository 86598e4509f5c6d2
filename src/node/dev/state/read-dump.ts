import { PackedSlots } from "../../../ledger/state/packed-slots.ts";
import type { AccountChange, SlotChanges, StateChanges } from "../../../ledger/state/state.ts";
import { parseJsonPaced } from "../../../platform/intake/parse-json-paced.ts";
import { unpackBounded } from "../../../platform/intake/unpack.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { type Account, newContract, newEoa } from "../../../protocol/account/account.ts";
import { decodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, leftPad } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { DevError } from "../errors.ts";
import { DUMP_VERSION } from "./dump-format.ts";
import { type StateEdit, setBalanceAndNonce, setCode, setSlots } from "./state-edits.ts";

/** Limits of a dump: bytes unpacked, and number of values. */
export interface DumpLimits {
  readonly bytes: number;
  readonly values: number;
}

/** For remote callers. */
export const REMOTE_DUMP: DumpLimits = { bytes: 64 << 20, values: 1_000_000 };
/** For files, and for callers over IPC or in the process. */
export const LOCAL_DUMP: DumpLimits = { bytes: 512 << 20, values: 8_000_000 };

/** The contents of a dump: a whole state, or accounts to lay over the present one. */
export type LoadedState =
  | { readonly kind: "whole" | "part"; readonly changes: StateChanges }
  | { readonly kind: "edits"; readonly edits: StateEdit[]; readonly reads: ReadAhead[] };

/** An account touched by the edits, with the slots that they set. */
export interface ReadAhead {
  readonly address: Address;
  readonly storage: SlotChanges;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a dump of `dumpState` or of anvil, packed or plain, yielding now and then.
 * @throws DevError `STATE_FORMAT` naming account and member
 */
export async function readDump(bytes: Uint8Array, limits: DumpLimits, pace: Pace): Promise<LoadedState> {
  try {
    const dump = membersOf(
      await parseJsonPaced(await unpackBounded(bytes, limits.bytes, pace), limits.values, pace),
      "it",
    );
    const accounts = membersOf(dump["accounts"], "accounts");
    await checkDistinct(accounts, pace);
    if (dump["kairn"] === undefined) {
      const [edits, reads]: [StateEdit[], ReadAhead[]] = [[], []];
      await each(accounts, (given) => addEdits(given, edits, reads), pace);
      return { kind: "edits", edits, reads };
    }
    const { version, isPart } = membersOf(dump["kairn"], "kairn");
    if (version !== DUMP_VERSION) throw wrong(`version ${String(version)} is not known`);
    const codes = new Map<string, Uint8Array>();
    const changes: AccountChange[] = [];
    await each(accounts, (given) => changes.push(changeOf(given, codes)), pace);
    const made = [...codes.values()].map((code) => ({ hash: keccak256(code), code }));
    return { kind: isPart === true ? "part" : "whole", changes: { accounts: changes, codes: made } };
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause;
    throw new DevError("STATE_FORMAT", `not a state dump: ${cause.message}`, {}, { cause });
  }
}

/** An account of a dump: its address as text, its members, and its slots. */
interface Given {
  readonly text: string;
  readonly members: Members;
  readonly storage: PackedSlots;
}

/** Calls `add` for each account, yielding now and then. */
async function each(accounts: Members, add: (given: Given) => void, pace: Pace): Promise<void> {
  for (const text of Object.keys(accounts)) {
    const members = membersOf(accounts[text], text);
    const slots = membersOf(members["storage"] ?? {}, `${text}: storage`);
    const names = Object.keys(slots);
    const storage = names.length === 0 ? NO_SLOTS : await slotsOf(text, slots, names, pace);
    add({ text, members, storage });
    if (pace.isDue()) await pace.yield();
  }
}

function changeOf({ text, members, storage }: Given, codes: Map<string, Uint8Array>): AccountChange {
  const address = addressOf(text);
  const { code = "0x" } = members as { code?: string };
  if (typeof code !== "string") throw wrong(`${text}: code is not text`);
  if (code !== "0x" && !codes.has(code)) codes.set(code, bytesOf(code, `${text}: code`));
  const account = accountOf(text, members, codes.get(code));
  return { address, account, storageCleared: false, storage };
}

function accountOf(text: string, dumped: Members, code: Uint8Array | undefined): Account {
  const { type, key, codeInfo } = membersOf(dumped["kaia"], `${text}: kaia`);
  if (type !== "sca" && type !== "eoa") throw wrong(`${text}: kaia.type is neither eoa nor sca`);
  if (typeof codeInfo !== "number" || !Number.isInteger(codeInfo) || codeInfo < 0 || codeInfo > 0xff)
    throw wrong(`${text}: kaia.codeInfo is not a byte`);
  const balance = amountOf(dumped["balance"], 256, `${text}: balance`);
  const base = type === "sca" ? newContract(balance) : newEoa(balance);
  return {
    ...base,
    nonce: amountOf(dumped["nonce"], 64, `${text}: nonce`),
    key: decodeAccountKey(bytesOf(key, `${text}: kaia.key`)),
    codeInfo,
    codeHash: code === undefined ? base.codeHash : keccak256(code),
  };
}

/** An account of an anvil dump; account keys stay as they are. */
function addEdits({ text, members, storage }: Given, edits: StateEdit[], reads: ReadAhead[]): void {
  const address = addressOf(text);
  const { code = "0x", balance, nonce } = members;
  if (code !== "0x") edits.push(setCode(address, bytesOf(code, `${text}: code`)));
  const amount = amountOf(balance, 256, `${text}: balance`);
  edits.push(setBalanceAndNonce(address, amount, amountOf(nonce, 64, `${text}: nonce`)));
  if (storage !== NO_SLOTS) for (const part of storage.parts()) edits.push(setSlots(address, part));
  reads.push({ address, storage });
}

/** Of all accounts without any. */
const NO_SLOTS = new PackedSlots();

async function slotsOf(
  text: string,
  members: Members,
  names: readonly string[],
  pace: Pace,
): Promise<PackedSlots> {
  const slots = new PackedSlots();
  const seen = new Set<string>();
  for (const name of names) {
    const slot = wordOf(name, `${text}: storage`);
    const spelling = Buffer.from(slot).toString("latin1");
    if (seen.has(spelling)) throw wrong(`${text}: storage has a slot twice`);
    seen.add(spelling);
    slots.add(slot, wordOf(members[name], `${text}: storage`));
    if (pace.isDue()) await pace.yield();
  }
  return slots;
}

/** JSON distinguishes names that mean the same, such as addresses in different case. */
async function checkDistinct(accounts: Members, pace: Pace): Promise<void> {
  const seen = new Set<string>();
  for (const name of Object.keys(accounts)) {
    const known = seen.size;
    if (seen.add(name.toLowerCase()).size === known) throw wrong("accounts has an address twice");
    if (pace.isDue()) await pace.yield();
  }
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw wrong(
    value === undefined ? `${name} ${name.endsWith("s") ? "are" : "is"} missing` : `${name} is not an object`,
  );
}

function addressOf(text: string): Address {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(text);
  throw wrong(`${text.slice(0, 50)} is not an address`);
}

function bytesOf(value: unknown, name: string): Uint8Array {
  if (typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return hexToBytes(value);
  throw wrong(`${name} is not 0x and pairs of hex digits`);
}

/** Longest text of 256 bits: decimal ones have 78 digits. */
const LONGEST_AMOUNT = 80;

/** A number, in decimal or hex. Its length is checked first: parsing long decimals is slow. */
function amountOf(value: unknown, bits: number, name: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && text.length <= LONGEST_AMOUNT && /^(0x[0-9a-fA-F]+|[0-9]+)$/.test(text)) {
    const amount = BigInt(text);
    if (BigInt.asUintN(bits, amount) === amount) return amount;
  }
  throw wrong(`${name} is not a number of ${bits} bits`);
}

/** 32 bytes of a quantity or of bytes in hex. */
function wordOf(value: unknown, name: string): Uint8Array {
  if (typeof value === "string" && value.length === 66 && /^0x[0-9a-fA-F]{64}$/.test(value))
    return hexToBytes(value);
  const digits = amountOf(value, 256, name).toString(16);
  return leftPad(hexToBytes(`0x${digits.length % 2 === 0 ? "" : "0"}${digits}`), 32);
}

function wrong(what: string): DevError {
  return new DevError("STATE_FORMAT", what);
}
