import { describe, expect, it } from "vitest";
import { type Account, newContract, newEoa } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  EMPTY_BYTES,
  type Hash,
  trimLeadingZeros,
  ZERO_ADDRESS,
  ZERO_HASH,
} from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createEvm } from "../../evm/engine/create-evm.ts";
import { precompiles } from "../../evm/precompiles/index.ts";
import type { StateReader } from "../../state/state.ts";
import { REGISTRY_CODE } from "../randao/registry-code.ts";
import { AbiOutput, callInput, stringWords } from "./abi.ts";
import { REGISTRY } from "./addresses.ts";
import { createContractReader } from "./contract-reader.ts";
import { activeAddress } from "./registry.ts";

const [CONTRACT, OTHER] = [5, 6].map((i) => new Uint8Array(20).fill(i)) as [Address, Address];
const word = (value: bigint) => bigintToFixedBytes(value, 32);
const RETURN_TOP = "60005260206000f3";
/** Returns slot 0. */
const SLOT = `600054${RETURN_TOP}`;
/** Returns the balance of `OTHER`. */
const BALANCE = `73${bytesToHex(OTHER).slice(2)}31${RETURN_TOP}`;

const headerAt = (number: bigint): Header =>
  ({
    number,
    time: number,
    blockScore: 1n,
    parentHash: ZERO_HASH,
    extra: EMPTY_BYTES,
  }) as Partial<Header> as Header;

/** Contracts in memory, with accounts and storage that a test can change. */
class Contracts implements StateReader {
  readonly accounts = new Map<string, Account>();
  readonly slots = new Map<string, Uint8Array>();
  readonly codes = new Map<string, Uint8Array>();

  deploy(address: Address, code: Uint8Array): void {
    const codeHash = keccak256(code);
    this.codes.set(bytesToHex(codeHash), code);
    this.accounts.set(bytesToHex(address), { ...newContract(), codeHash });
  }

  /** Sets a slot, and with it the root of the contract's storage. */
  store(address: Address, slot: Hash, value: Hash): void {
    const key = bytesToHex(address);
    this.slots.set(key + bytesToHex(slot), trimLeadingZeros(value));
    const account = this.accounts.get(key) as Account;
    this.accounts.set(key, { ...account, storageRoot: keccak256(concat(account.storageRoot, slot, value)) });
  }

  account(address: Address): Account | undefined {
    return this.accounts.get(bytesToHex(address));
  }

  storage(address: Address, slot: Hash): Uint8Array {
    return this.slots.get(bytesToHex(address) + bytesToHex(slot)) ?? EMPTY_BYTES;
  }

  code(hash: Hash): Uint8Array {
    return this.codes.get(bytesToHex(hash)) ?? EMPTY_BYTES;
  }
}

function open() {
  const evm = createEvm({ precompiles, now: () => 0 });
  const state = new Contracts();
  const ran = { count: 0 };
  const reader = createContractReader({
    evm: {
      run(...args) {
        ran.count++;
        return evm.run(...args);
      },
    },
    config: parseChainConfig({ istanbulCompatibleBlock: 0, londonCompatibleBlock: 50 }),
    ancestry: { header: () => undefined, stateAt: () => undefined },
  });
  const read = (number = 1n, to = CONTRACT) => {
    const output = reader.call(state, headerAt(number), to, EMPTY_BYTES);
    return output && bytesToBigint(output);
  };
  return { state, ran, read, reader };
}

describe("cached results of contract calls", () => {
  it("are reused while the contract's storage is unchanged", () => {
    const { state, ran, read } = open();
    state.deploy(CONTRACT, hexToBytes(`0x${SLOT}`));
    state.store(CONTRACT, word(0n), word(7n));
    expect([read(1n), read(2n), ran.count]).toEqual([7n, 7n, 1]);
    state.store(CONTRACT, word(0n), word(8n));
    expect([read(3n), read(4n), ran.count]).toEqual([8n, 8n, 2]);
  });

  it("change with every account that they depend on", () => {
    const { state, ran, read } = open();
    state.deploy(CONTRACT, hexToBytes(`0x${BALANCE}`));
    expect(read()).toBe(0n);
    state.accounts.set(bytesToHex(OTHER), newEoa(9n));
    expect(read()).toBe(9n);
    state.accounts.set(bytesToHex(OTHER), newEoa(9n));
    expect([read(), ran.count]).toEqual([9n, 2]);
    state.accounts.set(bytesToHex(OTHER), newEoa(10n));
    expect(read()).toBe(10n);
  });

  it("change with the storage of a called contract", () => {
    const { state, read } = open();
    const call = `6020600060006000${bytesToHex(OTHER).replace("0x", "73")}5afa60206000f3`;
    state.deploy(CONTRACT, hexToBytes(`0x${call}`));
    state.deploy(OTHER, hexToBytes(`0x${SLOT}`));
    expect(read()).toBe(0n);
    state.store(OTHER, word(0n), word(3n));
    expect(read()).toBe(3n);
  });

  it("are not reused if they depend on the block, nor after a fork", () => {
    const { state, ran, read } = open();
    state.deploy(CONTRACT, hexToBytes(`0x43${RETURN_TOP}`));
    expect([read(1n), read(2n), read(3n), ran.count]).toEqual([1n, 2n, 3n, 3]);
    state.deploy(OTHER, hexToBytes(`0x${SLOT}`));
    ran.count = 0;
    expect([read(48n, OTHER), read(49n, OTHER), ran.count]).toEqual([0n, 0n, 1]);
    expect([read(50n, OTHER), read(51n, OTHER), ran.count]).toEqual([0n, 0n, 2]);
  });

  it("include failures", () => {
    const { state, ran, read } = open();
    state.deploy(CONTRACT, hexToBytes("0xfe"));
    expect([read(), read(), ran.count]).toEqual([undefined, undefined, 1]);
  });
});

describe("the registry of system contracts", () => {
  const addresses = [0x11, 0x22, 0x33].map((i) => new Uint8Array(20).fill(i)) as [Address, Address, Address];

  /** A registry with one name and three records, as KIP-149 lays them out. */
  function registry(code = REGISTRY_CODE) {
    const opened = open();
    const { state } = opened;
    state.deploy(REGISTRY, code);
    const length = keccak256(concat(new TextEncoder().encode("KIP113"), word(0n)));
    const first = bytesToBigint(keccak256(length));
    state.store(REGISTRY, length, word(3n));
    for (const [i, activation] of [0n, 10n, 20n].entries()) {
      state.store(REGISTRY, word(first + BigInt(2 * i)), concat(new Uint8Array(12), addresses[i] as Address));
      state.store(REGISTRY, word(first + BigInt(2 * i) + 1n), word(activation));
    }
    return opened;
  }

  it.each([0n, 1n, 9n, 10n, 11n, 19n, 20n, 21n])(
    "has the same address as its code returns at block %s",
    (number) => {
      const { reader, state } = registry();
      const header = headerAt(number);
      const input = callInput("getActiveAddr(string)", stringWords("KIP113"));
      const returned = new AbiOutput(reader.call(state, header, REGISTRY, input) as Uint8Array).address(0);
      expect(bytesToHex(activeAddress(reader, state, header, "KIP113"))).toBe(bytesToHex(returned));
    },
  );

  it("is read once for all blocks, and again after a change", () => {
    const { reader, state, ran } = registry();
    const at = (number: bigint) => bytesToHex(activeAddress(reader, state, headerAt(number), "KIP113"));
    expect([at(5n), at(15n), at(25n)]).toEqual(addresses.map(bytesToHex));
    expect(ran.count).toBe(1);
    const length = keccak256(concat(new TextEncoder().encode("KIP113"), word(0n)));
    state.store(REGISTRY, length, word(2n));
    expect(at(25n)).toBe(bytesToHex(addresses[1]));
  });

  it("has no address for unknown names, and works with other code too", () => {
    const header = headerAt(5n);
    const { reader, state } = registry();
    expect(activeAddress(reader, state, header, "KIP999")).toEqual(ZERO_ADDRESS);
    const other = registry(hexToBytes(`0x60aa${RETURN_TOP}`));
    expect(activeAddress(other.reader, other.state, header, "KIP113").at(-1)).toBe(0xaa);
  });
});
