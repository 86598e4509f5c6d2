import { CycleWriter } from "../../../src/ledger/evm/testing/random-cycle.ts";
import { LoopWriter } from "../../../src/ledger/evm/testing/random-loop.ts";
import { ProgramWriter, seededRandom } from "../../../src/ledger/evm/testing/random-program.ts";
import { address, word } from "../../../src/ledger/evm/testing/run-code.ts";
import { contractAddress } from "../../../src/protocol/account/address.ts";
import { delegationCode } from "../../../src/protocol/account/delegation.ts";
import {
  type Address,
  EMPTY_BYTES,
  type Hash,
  trimLeadingZeros,
} from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import type { FirstAccount } from "../state-tests/world-state.ts";
import { precompileInput } from "./precompile-input.ts";

/** Accounts of every scene. The delegated one has a delegation as its code if the fork has delegations. */
export const SENDER = 0x1000;
const CONTRACTS = [0x2001, 0x2002, 0x2003];
const DELEGATED = 0x2005;
const ABSENT = [0x2004, 0x3001];
/** Where the sender's and the contracts' first creations will be. */
const CREATED = [SENDER, ...CONTRACTS].map((number) => contractAddress(address(number), 1n));
/** All precompiles but point evaluation, which the other engine does not implement itself. */
const PRECOMPILES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x100];
const GASES = [300, 3000, 20_000, 60_000, 200_000, 400_000] as const;

const LONG_GAS = 2_000_000;

/** A transaction after paying its fee: a call, or a creation when `to` is absent. */
export interface SceneTransaction {
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: bigint;
  readonly accessList: readonly { readonly address: Address; readonly slots: readonly Hash[] }[];
}

/** Accounts, and transactions that the sender makes one after the other. */
export interface Scene {
  /** Programs among the codes and init codes. */
  readonly programs: number;
  readonly accounts: readonly FirstAccount[];
  readonly transactions: readonly SceneTransaction[];
}

/** The scene of a seed, always the same. @param delegations - whether an account delegates to a contract */
export function sceneOf(seed: number, delegations: boolean): Scene {
  return new SceneWriter(seededRandom(seed)).write(delegations);
}

const CALLED: readonly Address[] = [
  ...[...CONTRACTS, ...CONTRACTS, ...CONTRACTS, DELEGATED, ...ABSENT, SENDER].map((number) =>
    address(number),
  ),
  ...CREATED,
];
/** Addresses in random programs as hex digits; the cheap precompiles more often than those for elliptic curves. */
const TARGETS = [
  ...CALLED,
  ...CALLED,
  ...[1, 2, 3, 4, 5, 6, 9, ...PRECOMPILES].map((number) => address(number)),
].map((at) => bytesToHex(trimLeadingZeros(at)).slice(2));

/** Targets of calls in loops: mostly contracts. */
const LOOP_TARGETS = [...CONTRACTS, ...CONTRACTS, ...CONTRACTS, DELEGATED, 0x2004, 2, 4].map((number) =>
  number.toString(16),
);

class SceneWriter {
  readonly #random: () => number;
  readonly #writer: ProgramWriter;
  readonly #loops: LoopWriter;
  readonly #cycles: CycleWriter;
  /** Whether most codes are loops, with enough gas to finish. */
  readonly #isLong: boolean;
  /** Whether most codes are loops on the stack, whose gas may run out in any iteration. */
  readonly #isCyclic: boolean;
  #programs = 0;

  constructor(random: () => number) {
    this.#random = random;
    this.#writer = new ProgramWriter(random, TARGETS);
    this.#loops = new LoopWriter(random, LOOP_TARGETS);
    this.#cycles = new CycleWriter(random);
    const kind = random();
    this.#isLong = kind < 0.3;
    this.#isCyclic = kind > 0.7;
  }

  write(delegations: boolean): Scene {
    const accounts = CONTRACTS.map((number) => contract(number, this.#program()));
    if (delegations) accounts.push(contract(DELEGATED, delegationCode(address(this.#pick(CONTRACTS)))));
    accounts.push({
      address: address(SENDER),
      balance: 10n ** 18n,
      nonce: 1n,
      code: EMPTY_BYTES,
      storage: [],
    });
    const transactions = Array.from({ length: 1 + this.#below(3) }, () => this.#transaction());
    return { programs: this.#programs, accounts, transactions };
  }

  /** A creation in a fifth of all cases, occasionally a precompile, otherwise a call. */
  #transaction(): SceneTransaction {
    const value = this.#random() < 0.5 ? 0n : BigInt(this.#below(2000));
    const gas = BigInt(this.#gas());
    const common = { value, gas, accessList: this.#accessList() };
    const kind = this.#random();
    if (kind < 0.2) return { ...common, to: undefined, input: this.#program() };
    if (kind < 0.25) {
      const number = this.#pick(PRECOMPILES);
      return { ...common, to: address(number), input: precompileInput(number, this.#random) };
    }
    const input = hexToBytes(`0x${this.#writer.bytes(this.#below(100))}`);
    return { ...common, to: this.#pick(CALLED), input };
  }

  #gas(): number {
    if (this.#isLong && this.#random() < 0.7) return LONG_GAS;
    return this.#isCyclic ? this.#below(this.#pick([1000, 10_000, 40_000])) : this.#pick(GASES);
  }

  #accessList(): SceneTransaction["accessList"] {
    if (this.#random() < 0.7) return [];
    const slots = [word(this.#below(6)), word(this.#below(6))];
    return [
      { address: this.#pick(CALLED), slots },
      { address: this.#pick(CALLED), slots: [] },
    ];
  }

  #program(): Uint8Array {
    this.#programs++;
    return hexToBytes(`0x${this.#writerOfNext().write()}`);
  }

  #writerOfNext(): ProgramWriter | LoopWriter | CycleWriter {
    if (this.#random() > 0.8) return this.#writer;
    return this.#isLong ? this.#loops : this.#isCyclic ? this.#cycles : this.#writer;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}

function contract(number: number, code: Uint8Array): FirstAccount {
  const storage = [[word(1), Uint8Array.of(7)] as const, [word(2), Uint8Array.of(1)] as const];
  return { address: address(number), balance: 1000n, nonce: 1n, code, storage };
}
