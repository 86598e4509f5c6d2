import { type Account, newContract, newEoa } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { FORKS, type Fork } from "../../../protocol/params/forks.ts";
import { rulesOfLevel } from "../../../protocol/params/rules.ts";
import { type Address, EMPTY_BYTES, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createTransaction, type TransactionParts } from "../../../protocol/transaction/envelope.ts";
import { signAsFeePayer, signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import { isEnveloped, type TransactionType } from "../../../protocol/transaction/types.ts";
import { createEvm } from "../../evm/engine/create-evm.ts";
import { precompiles } from "../../evm/precompiles/index.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateReader } from "../../state/state.ts";
import { type BlockEnvironment, computationLimitAt, createBlockContext } from "../environment.ts";

const CHAIN_ID = 2019n;
/** Base fee of the block that tests run in, kei. */
export const BASE_FEE = 25_000_000_000n;
/** Balance of every test account, kei. */
export const FUNDS = 10n ** 21n;

/** An account with its private key. */
export interface Person {
  readonly key: Uint8Array;
  readonly address: Address;
}

/** The person whose private key repeats this byte. */
export function person(byte: number): Person {
  const key = new Uint8Array(32).fill(byte);
  return { key, address: addressOfPublicKey(publicKeyOf(key)) };
}

export const alice: Person = person(1);
export const bob: Person = person(2);
export const PROPOSER: Address = new Uint8Array(20).fill(0xcc);
/** Default address of the code given by a test. */
export const CONTRACT: Address = new Uint8Array(20).fill(0xdd);

/** A recipient that does not exist yet. */
export const STRANGER: Address = new Uint8Array(20).fill(0xee);

/** Options of `createWorld`. */
export interface WorldOptions {
  readonly fork?: Fork;
  readonly code?: Uint8Array;
  /** Address of `code`. */
  readonly codeAt?: Address;
  readonly feeRecipient?: Address;
  /** Clock of the engine, epoch milliseconds. */
  readonly now?: () => number;
}

/** Block 1 on a state in which Alice and Bob own `FUNDS` and `CONTRACT` has the given code. */
export function createWorld(options: WorldOptions = {}): BlockEnvironment {
  const { fork = "osaka", code, codeAt = CONTRACT, feeRecipient, now = () => 0 } = options;
  const accounts = new Map<string, Account>(
    [alice, bob].map(({ address }) => [bytesToHex(address), newEoa(FUNDS)]),
  );
  if (code !== undefined) {
    const contract = { ...newContract(0n, 0x10), nonce: 1n, codeHash: keccak256(code) };
    accounts.set(bytesToHex(codeAt), contract);
  }
  const reader: StateReader = {
    account: (address) => accounts.get(bytesToHex(address)),
    storage: () => EMPTY_BYTES,
    code: () => code ?? EMPTY_BYTES,
  };
  const rules = rulesOfLevel(CHAIN_ID, FORKS.indexOf(fork) + 1);
  return {
    evm: createEvm({ precompiles, now }),
    state: createJournal(reader),
    context: createBlockContext({
      header: blockOne(),
      author: PROPOSER,
      rules,
      ancestorHash: () => undefined,
    }),
    feeRecipient,
    computationLimit: computationLimitAt(rules),
  };
}

/** The header of that block. */
export function blockOne(): Header {
  return {
    ...emptyHeader(),
    parentHash: new Uint8Array(32).fill(0xab),
    number: 1n,
    time: 1_700_000_001n,
    baseFee: BASE_FEE,
    mixHash: ZERO_HASH,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
  };
}

/** A transaction type by its name without the prefix `TxType`. */
function typeNamed(name: string): TransactionType {
  const type = transactionTypeByName(`TxType${name}`);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

/** A signed transaction, by default Alice's, with Bob as fee payer if the type has one. */
export function made(name: string, parts: Partial<TransactionParts> = {}, from: Person = alice): Transaction {
  const type = typeNamed(name);
  const unsigned = createTransaction({
    gas: 1_000_000n,
    gasPrice: BASE_FEE,
    input: EMPTY_BYTES,
    ...(type.fields.some(({ property }) => property === "accessList") ? { accessList: [] } : {}),
    ...(isEnveloped(type) ? { chainId: CHAIN_ID } : {}),
    ...(type.ethereum ? {} : { from: from.address }),
    ...(type.feeMode === "sender" ? {} : { feePayer: bob.address }),
    ...parts,
    type,
  });
  const signed = signTransaction(unsigned, [from.key], CHAIN_ID);
  return type.feeMode === "sender" ? signed : signAsFeePayer(signed, [bob.key], CHAIN_ID);
}
