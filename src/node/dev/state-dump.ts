import { gunzipSync, gzipSync } from "node:zlib";
import type { StateChanges, StateView } from "../../ledger/state/state.ts";
import { type Account, hasStorage, newContract, newEoa } from "../../protocol/account/account.ts";
import { decodeAccountKey, encodeAccountKey } from "../../protocol/account/key-codec.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { leftPad, trimLeadingZeros } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { DevError } from "./errors.ts";
import { type StateEdit, setBalance, setCode, setNonce, setStorage } from "./state-edits.ts";

/** Version of the format, raised when an older reader would misread a dump. */
const VERSION = 1;
/** Most bytes that a dump may unpack to. */
const MAX_UNPACKED = 1 << 30;

/** An account of a dump: anvil's members, and in `kaia` what only Kaia accounts have. */
interface DumpedAccount {
  readonly nonce: number | string;
  readonly balance: string;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
  readonly kaia?: { readonly type: Account["type"]; readonly key: string; readonly codeInfo: number };
}

/** A dumped state. Without `kairn` it was made by anvil. */
interface Dump {
  readonly kairn?: { readonly version: number; readonly chainId: string; readonly isPart?: boolean };
  readonly block: null;
  readonly best_block_number?: number;
  readonly accounts: Readonly<Record<string, DumpedAccount>>;
}

/** What a dump asks for: the whole state, or accounts to lay over the one that is there. */
export type LoadedState =
  | { readonly kind: "whole" | "part"; readonly changes: StateChanges }
  | { readonly kind: "edits"; readonly edits: readonly StateEdit[] };

/** What a dump was made of. */
export interface DumpedChain {
  readonly number: bigint;
  readonly chainId: bigint;
  /** Whether the state is a fork's, of which only what was changed here is dumped. */
  readonly isPart: boolean;
}

/** Packs a state: gzip over JSON in the form of anvil's dumps, which anvil reads too. */
export function dumpState(state: StateView, at: DumpedChain): Uint8Array {
  const accounts: Record<string, DumpedAccount> = {};
  for (const { address, account } of state.accounts()) {
    const slots = hasStorage(account) ? [...state.slots(address)] : [];
    accounts[bytesToHex(address)] = {
      nonce: Number(account.nonce),
      balance: quantity(account.balance),
      code: bytesToHex(state.code(account.codeHash)),
      storage: Object.fromEntries(slots.map(({ slot, value }) => [bytesToHex(slot), word(value)])),
      kaia: {
        type: account.type,
        key: bytesToHex(encodeAccountKey(account.key)),
        codeInfo: account.codeInfo,
      },
    };
  }
  const kairn = { version: VERSION, chainId: quantity(at.chainId), ...(at.isPart && { isPart: true }) };
  const dump: Dump = { kairn, block: null, best_block_number: Number(at.number), accounts };
  return gzipSync(JSON.stringify(dump));
}

/**
 * Reads a dump of `dumpState` or of anvil, packed or plain.
 * @throws DevError `STATE_FORMAT`
 */
export function readDump(bytes: Uint8Array): LoadedState {
  try {
    const dump = parse(bytes);
    const accounts = Object.entries(dump.accounts);
    if (dump.kairn === undefined) return { kind: "edits", edits: accounts.flatMap(editsOf) };
    if (dump.kairn.version !== VERSION) throw new Error(`version ${dump.kairn.version} is not known`);
    return { kind: dump.kairn.isPart ? "part" : "whole", changes: changesOf(accounts) };
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new DevError("STATE_FORMAT", `not a state dump: ${cause.message}`, {}, { cause });
  }
}

function parse(bytes: Uint8Array): Dump {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED }) : bytes;
  const dump = JSON.parse(new TextDecoder().decode(text)) as Partial<Dump> | null;
  if (typeof dump?.accounts !== "object" || dump.accounts === null) throw new Error("accounts are missing");
  return dump as Dump;
}

function changesOf(accounts: readonly (readonly [string, DumpedAccount])[]): StateChanges {
  const codes = accounts.flatMap(([, { code }]) => codeOf(code) ?? []);
  return {
    accounts: accounts.map(([address, dumped]) => ({
      address: hexToBytes(address),
      account: accountOf(dumped),
      storageCleared: false,
      storage: slotsOf(dumped).map(([slot, value]) => ({ slot, value: trimLeadingZeros(value) })),
    })),
    codes,
  };
}

function accountOf({ nonce, balance, code, kaia }: DumpedAccount): Account {
  if (kaia === undefined) throw new Error("an account has no type and key");
  const base = kaia.type === "sca" ? newContract(BigInt(balance)) : newEoa(BigInt(balance));
  const codeHash = codeOf(code)?.hash ?? base.codeHash;
  const key = decodeAccountKey(hexToBytes(kaia.key));
  return { ...base, nonce: BigInt(nonce), key, codeInfo: kaia.codeInfo, codeHash };
}

/** What anvil says of an account; account keys stay as they are. */
function editsOf([address, dumped]: readonly [string, DumpedAccount]): StateEdit[] {
  const at = hexToBytes(address);
  const code = hexToBytes(dumped.code ?? "0x");
  return [
    ...(code.length > 0 ? [setCode(at, code)] : []),
    setBalance(at, BigInt(dumped.balance)),
    setNonce(at, BigInt(dumped.nonce)),
    ...slotsOf(dumped).map(([slot, value]) => setStorage(at, slot, value)),
  ];
}

function slotsOf({ storage = {} }: DumpedAccount): (readonly [Uint8Array, Uint8Array])[] {
  return Object.entries(storage).map(([slot, value]) => [wordOf(slot), wordOf(value)]);
}

function codeOf(
  code: string | undefined,
): { readonly hash: Uint8Array; readonly code: Uint8Array } | undefined {
  const bytes = hexToBytes(code ?? "0x");
  return bytes.length === 0 ? undefined : { hash: keccak256(bytes), code: bytes };
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function word(value: Uint8Array): string {
  return bytesToHex(leftPad(value, 32));
}

/** 32 bytes of a quantity or of bytes in hex. */
function wordOf(text: string): Uint8Array {
  const digits = BigInt(text).toString(16).padStart(64, "0");
  return hexToBytes(`0x${digits}`);
}
