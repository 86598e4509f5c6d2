import { contractAddress, saltedContractAddress } from "../../../protocol/account/address.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, bigintToFixedBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { HostOpcodeView } from "../evm.ts";
import { Op } from "../tables/op.ts";
import type { TracedTransaction, TransactionTracer } from "./tracer.ts";

const ADDRESS_MASK = (1n << 160n) - 1n;

interface Prestate {
  balance: bigint;
  nonce: number;
  readonly code: string;
  readonly storage: Map<string, string>;
}

/**
 * The accounts and slots that a transaction accesses, as they were at the first access; value and fee are reverted for
 * sender and recipient. The inaccuracies of the reference node are reproduced: changes before the first access are included.
 */
export function prestateTracer(transaction: TracedTransaction, state: StateJournal): TransactionTracer {
  const accounts = new Map<string, Prestate>();
  const lookup = (address: Address): Prestate => lookupAccount(accounts, address, state);
  return {
    hooks: {
      start(address) {
        lookup(address);
      },
      hostOpcode(step) {
        const touched = touchedAccount(step, state);
        if (touched !== undefined) lookup(touched);
        if (step.op !== Op.sload && step.op !== Op.sstore) return;
        const slot = bigintToFixedBytes(step.word(0) ?? 0n, 32);
        const { storage } = lookup(step.address);
        const key = bytesToHex(slot);
        if (!storage.has(key)) storage.set(key, bytesToHex(state.storage(step.address, slot)));
      },
    },
    result({ gasUsed }) {
      if (accounts.size === 0) lookup(transaction.to);
      lookup(transaction.from);
      undoPayment(transaction, gasUsed, accounts);
      return Object.fromEntries([...accounts].map(([address, account]) => [address, show(account)]));
    },
  };
}

function lookupAccount(accounts: Map<string, Prestate>, address: Address, state: StateJournal): Prestate {
  const key = bytesToHex(address);
  let account = accounts.get(key);
  if (account === undefined) {
    account = {
      balance: state.balance(address),
      nonce: Number(state.nonce(address)),
      code: bytesToHex(state.code(address)),
      storage: new Map(),
    };
    accounts.set(key, account);
  }
  return account;
}

function touchedAccount(step: HostOpcodeView, state: StateJournal): Address | undefined {
  const { address } = step;
  const peek = (depth: number) => step.word(depth) ?? 0n;
  switch (step.op) {
    case Op.balance:
    case Op.extCodeSize:
    case Op.extCodeCopy:
    case Op.extCodeHash:
      return addressOf(peek(0));
    case Op.call:
    case Op.callCode:
    case Op.delegateCall:
    case Op.staticCall:
      return addressOf(peek(1));
    case Op.create:
      return contractAddress(address, state.nonce(address));
    case Op.create2: {
      const start = Number(peek(1));
      const initCode = step.memory.subarray(start, start + Number(peek(2)));
      return saltedContractAddress(address, bigintToFixedBytes(peek(3), 32), keccak256(initCode));
    }
    default:
      return undefined;
  }
}

function addressOf(word: bigint): Address {
  return bigintToFixedBytes(word & ADDRESS_MASK, 20);
}

/** Reverts value, fee and nonce of the sender, and removes a new contract, which did not exist before. */
function undoPayment(transaction: TracedTransaction, gasUsed: bigint, accounts: Map<string, Prestate>): void {
  const { value, gasPrice } = transaction;
  const [fromKey, toKey] = [bytesToHex(transaction.from), bytesToHex(transaction.to)];
  const [from, to] = [accounts.get(fromKey), accounts.get(toKey)];
  if (from === undefined || to === undefined) return;
  const before = from.balance;
  to.balance -= value;
  from.balance = before + value + productOfDoubles(gasUsed, gasPrice);
  from.nonce--;
  if (transaction.isCreation) accounts.delete(toKey);
}

/** The product as computed by the reference node's script: in doubles, of which the shortest decimal form is parsed. */
function productOfDoubles(a: bigint, b: bigint): bigint {
  const [digits, exponent = "0"] = (Number(a) * Number(b)).toExponential().split("e") as [string, string?];
  const [whole, fraction = ""] = digits.split(".") as [string, string?];
  // an integer: it has no fractional digits
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}

function show({ balance, nonce, code, storage }: Prestate): Json {
  return { balance: hex(balance), nonce, code, storage: Object.fromEntries(storage) };
}

function hex(value: bigint): string {
  return value < 0n ? `0x-${(-value).toString(16)}` : `0x${value.toString(16)}`;
}
