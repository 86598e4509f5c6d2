import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, newContract, newEoa } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import {
  type Address,
  concat,
  EMPTY_BYTES,
  ZERO_ADDRESS,
  ZERO_HASH,
} from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateReader } from "../../state/state.ts";
import { addressWord, callInput, stringWords, uintWord } from "../contracts/abi.ts";
import { ADDRESS_BOOK, REGISTRY } from "../contracts/addresses.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { readStakingInfo } from "./address-book.ts";
import { decodeStakingInfo, encodeStakingInfo } from "./staking-codec.ts";
import { StakingHistory, stakingSource } from "./staking-history.ts";
import { consolidatedNodes, emptyStakingInfo, giniCoefficient, stakingGini } from "./staking-info.ts";

const KAIA = 10n ** 18n;
const addressOf = (i: number): Address => new Uint8Array(20).fill(i);
const CODE = Uint8Array.of(1);
const [CL_REGISTRY, TOKEN, POOL] = [addressOf(150), addressOf(151), addressOf(152)] as [
  Address,
  Address,
  Address,
];

/** A state with contracts at some addresses and balances at others. */
function stateOf(contracts: readonly Address[], balances: Record<string, bigint>): StateReader {
  const accounts = new Map<string, Account>();
  for (const address of contracts) {
    accounts.set(bytesToHex(address), { ...newContract(), codeHash: keccak256(CODE) });
  }
  for (const [address, balance] of Object.entries(balances)) accounts.set(address, newEoa(balance));
  return {
    account: (address) => accounts.get(bytesToHex(address)),
    storage: () => EMPTY_BYTES,
    code: (hash) => (bytesToHex(hash) === bytesToHex(keccak256(CODE)) ? CODE : EMPTY_BYTES),
  };
}

/** Contracts that return fixed outputs for fixed calls, and fail otherwise. */
function contractsOf(results: readonly [Address, Uint8Array, Uint8Array][]): ContractReader {
  const table = new Map(results.map(([to, input, output]) => [bytesToHex(concat(to, input)), output]));
  const call = (_state: unknown, _header: unknown, to: Address, input: Uint8Array) =>
    table.get(bytesToHex(concat(to, input)));
  return { call, callWithin: call };
}

/** Dynamic arrays of words as a contract returns them. */
function arrays(...lists: readonly (readonly Uint8Array[])[]): Uint8Array {
  let offset = 32 * lists.length;
  const heads: Uint8Array[] = [];
  for (const list of lists) {
    heads.push(uintWord(BigInt(offset)));
    offset += 32 * (list.length + 1);
  }
  return concat(...heads, ...lists.map((list) => concat(uintWord(BigInt(list.length)), ...list)));
}

function bookResult(entries: readonly (readonly [bigint, Address])[]): [Address, Uint8Array, Uint8Array] {
  const output = arrays(
    entries.map(([type]) => uintWord(type)),
    entries.map(([, address]) => addressWord(address)),
  );
  return [ADDRESS_BOOK, callInput("getAllAddress()"), output];
}

const COMPLETE = [
  [0n, addressOf(1)],
  [1n, addressOf(2)],
  [2n, addressOf(3)],
  [0n, addressOf(4)],
  [1n, addressOf(5)],
  [2n, addressOf(3)],
  [3n, addressOf(6)],
  [4n, addressOf(7)],
] as const;

const header = { number: 9n, extra: EMPTY_BYTES } as unknown as Header;
const balances = { [bytesToHex(addressOf(2))]: 7n * KAIA + 5n, [bytesToHex(addressOf(5))]: 2n * KAIA - 1n };
const source = (answers: Parameters<typeof contractsOf>[0], withPools = false) => ({
  state: stateOf([ADDRESS_BOOK, REGISTRY], balances),
  header,
  contracts: contractsOf(answers),
  withPools,
});

describe("reading the address book", () => {
  it("combines types and addresses into nodes, funds and stakes in whole KAIA", () => {
    const info = readStakingInfo(source([bookResult(COMPLETE)]));
    expect(info).toMatchObject({ sourceBlock: 9n, kifAddress: addressOf(6), kefAddress: addressOf(7) });
    expect(info.nodes.map(({ amount }) => amount)).toEqual([7n, 1n]);
    expect(consolidatedNodes(info)).toEqual([
      { nodeIds: [addressOf(1), addressOf(4)], rewardAddress: addressOf(3), amount: 8n },
    ]);
  });

  it("reads nothing without an address book, or from an incomplete one", () => {
    const absent = { ...source([]), state: stateOf([], {}) };
    expect(readStakingInfo(absent)).toEqual(emptyStakingInfo(9n));
    expect(readStakingInfo(source([bookResult([])]))).toEqual(emptyStakingInfo(9n));
    expect(readStakingInfo(source([bookResult(COMPLETE.slice(0, 7))]))).toEqual(emptyStakingInfo(9n));
  });

  it("rejects results that no address book returns", () => {
    expect(() => readStakingInfo(source([]))).toThrowError("error calling AddressBook");
    expect(() => readStakingInfo(source([bookResult([...COMPLETE, [5n, addressOf(8)]])]))).toThrowError(
      "invalid result from AddressBook",
    );
  });
});

describe("reading liquidity pools", () => {
  const registered = (name: string, address: Address): [Address, Uint8Array, Uint8Array] => [
    REGISTRY,
    callInput("getActiveAddr(string)", stringWords(name)),
    addressWord(address),
  ];
  const answers: Parameters<typeof contractsOf>[0] = [
    bookResult(COMPLETE),
    registered("CLRegistry", CL_REGISTRY),
    registered("WrappedKaia", TOKEN),
    [
      CL_REGISTRY,
      callInput("getAllCLs()"),
      arrays([addressWord(addressOf(1))], [uintWord(1n)], [addressWord(POOL)]),
    ],
    [TOKEN, callInput("balanceOf(address)", addressWord(POOL)), uintWord(4n * KAIA + 1n)],
  ];

  it("reads their stake from the balance of wrapped KAIA", () => {
    const pool = { nodeId: addressOf(1), pool: POOL, amount: 4n };
    const info = readStakingInfo(source(answers, true));
    expect(info.pools).toEqual([pool]);
    expect(consolidatedNodes(info)[0]?.pool).toEqual(pool);
    expect(readStakingInfo(source(answers)).pools).toBeUndefined();
  });

  it("finds none if the registry has no contract", () => {
    const none = [
      bookResult(COMPLETE),
      registered("CLRegistry", ZERO_ADDRESS),
      registered("WrappedKaia", TOKEN),
    ];
    expect(readStakingInfo(source(none, true)).pools).toBeUndefined();
  });
});

describe("the Gini coefficient", () => {
  it("is 0 for equal amounts, near 1 for one owner, -1 for none", () => {
    expect(giniCoefficient([5, 5, 5])).toBe(0);
    expect(giniCoefficient([0, 0, 0, 100])).toBe(0.75);
    expect(giniCoefficient([])).toBe(-1);
  });

  it("counts only members above the minimum", () => {
    const info = readStakingInfo(source([bookResult(COMPLETE)]));
    expect(stakingGini(info, 8n)).toBe(0);
    expect(stakingGini(info, 9n)).toBe(-1);
  });
});

describe("the stakes that count", () => {
  it.each([
    [200n, 0n],
    [201n, 100n],
    [300n, 100n],
    [301n, 200n],
  ])("for block %s before kaia are those of block %s (interval 100)", (number, want) => {
    expect(stakingSource(number, false, 100n)).toBe(want);
  });

  it("from kaia on are those of the parent", () => {
    expect([stakingSource(0n, true, 100n), stakingSource(7n, true, 100n)]).toEqual([0n, 6n]);
  });
});

describe("staking history", () => {
  const config = parseChainConfig({ governance: { reward: { stakingUpdateInterval: 2 } } });

  it("keeps staking information read at an interval after the state is gone", () => {
    const rows = new Map<string, Uint8Array>();
    let oldest = 0n;
    const history = new StakingHistory({
      config,
      contracts: contractsOf([bookResult(COMPLETE)]),
      store: { get: (table, key) => rows.get(`${table}/${bytesToHex(key)}`) },
      ancestry: {
        header: (number) => ({ ...header, number }),
        stateAt: (number) => (number < oldest ? undefined : stateOf([ADDRESS_BOOK], balances)),
      },
    });
    for (let number = 1n; number <= 5n; number++) {
      const block = { header: { ...header, number }, transactions: [] };
      for (const { table, key, value } of history.inserted({ block, hash: ZERO_HASH, receipts: [] })) {
        rows.set(`${table}/${bytesToHex(key)}`, value as Uint8Array);
      }
    }
    oldest = 7n;
    expect(history.at(5n).sourceBlock).toBe(2n);
    expect(history.at(7n).nodes).toHaveLength(2);
    expect(history.rewind({ ...header, number: 3n })).toEqual([expect.objectContaining({ value: null })]);
    expect(() => history.at(9n)).toThrowError("failed to get state for block number 6");
  });

  it("round-trips staking information", () => {
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const node = fc.record({ nodeId: address, stakingContract: address, rewardAddress: address, amount });
    const info = fc.record({
      sourceBlock: amount,
      nodes: fc.array(node),
      kefAddress: address,
      kifAddress: address,
    });
    fc.assert(
      fc.property(info, (value) => {
        expect(decodeStakingInfo(encodeStakingInfo(value))).toEqual(value);
      }),
    );
  });
});
