import type { EthereumFork } from "../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { bigintToFixedBytes } from "../../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import type { Authorization } from "../../../../src/protocol/transaction/transaction.ts";
import {
  type AccessListSource,
  type AddressSource,
  type CaseAccount,
  COINBASE,
  type StateCase,
  TARGET,
} from "../cases/case.ts";
import { SENDER, SENDER_KEY } from "../cases/keys.ts";
import { codeBytes } from "../cases/program.ts";
import type { Fixture, FixtureAccess, FixtureAccount, FixtureAuthorization, FixtureRow } from "../fixture.ts";
import { gasUsedOf } from "../run-row.ts";

/** A fixture with mutable rows. */
export type DraftFixture = Omit<Fixture, "post"> & {
  readonly _info: Readonly<Record<string, string>>;
  readonly post: Record<string, DraftRow[]>;
};
/** A row whose expectation is filled in by the judge. */
export type DraftRow = { -readonly [key in keyof FixtureRow]: FixtureRow[key] };

/** A placeholder hash. */
export const UNKNOWN_HASH: string = `0x${"00".repeat(31)}01`;

const DEFAULT_GAS = 400_000;

/** The fixture of a case, without expectations. */
export function fixtureOf(source: StateCase): DraftFixture {
  const { gas = [DEFAULT_GAS], data = [""], value = [0n], forks } = source;
  const indexes = data.flatMap((_, d) =>
    gas.flatMap((_, g) => value.map((_, v) => ({ data: d, gas: g, value: v }))),
  );
  const fixture: DraftFixture = {
    _info: { comment: source.about },
    env: environmentOf(source),
    pre: Object.fromEntries(accountsOf(source)),
    transaction: transactionOf(source, gas),
    post: Object.fromEntries(forks.map((fork) => [fork, indexes.map((index) => rowOf(index))])),
  };
  if (source.edges) for (const fork of forks) addEdges(fixture, fork);
  return fixture;
}

function rowOf(indexes: FixtureRow["indexes"]): DraftRow {
  return { hash: UNKNOWN_HASH, logs: UNKNOWN_HASH, indexes };
}

/** Rows with exactly the gas used, and with one less. */
function addEdges(fixture: DraftFixture, fork: EthereumFork): void {
  const limits = fixture.transaction.gasLimit as string[];
  const rows = fixture.post[fork] as DraftRow[];
  for (const row of rows.filter(({ indexes }) => indexes.gas === 0)) {
    const used = gasUsedOf(fixture, fork, row);
    for (const limit of used === undefined ? [] : [used, used - 1n]) {
      const text = quantityText(limit);
      if (!limits.includes(text)) limits.push(text);
      const gas = limits.indexOf(text);
      const known = rows.some(
        ({ indexes: i }) => i.gas === gas && i.data === row.indexes.data && i.value === row.indexes.value,
      );
      if (!known) rows.push(rowOf({ ...row.indexes, gas }));
    }
  }
}

function environmentOf({ env = {} }: StateCase): Record<string, string> {
  const all = {
    currentCoinbase: addressText(COINBASE),
    currentDifficulty: "0x20000",
    currentRandom: wordText(0x4a2d0n),
    currentGasLimit: "0x7270e00",
    currentNumber: "0x12d",
    currentTimestamp: "0x3e8",
    currentBaseFee: "0x7",
    currentExcessBlobGas: "0x0",
    ...env,
  };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ""));
}

function* accountsOf(source: StateCase): Generator<[string, FixtureAccount]> {
  const { accounts = {}, code = "", from = SENDER, target = {}, sender = {} } = source;
  yield [addressText(from), accountText({ balance: 10n ** 18n, ...sender })];
  if (code.length > 0 || source.target)
    yield [addressText(TARGET), accountText({ nonce: 1n, ...target, code })];
  const others: Iterable<readonly [AddressSource, CaseAccount]> =
    accounts instanceof Map
      ? accounts
      : Object.entries(accounts as Record<number, CaseAccount>).map(
          ([at, account]) => [Number(at), account] as const,
        );
  for (const [place, account] of others) yield [addressText(place), accountText(account)];
}

function accountText({ balance = 0n, nonce = 0n, code = "", storage = {} }: CaseAccount): FixtureAccount {
  return {
    balance: quantityText(balance),
    nonce: quantityText(nonce),
    code: bytesToHex(codeBytes(code)),
    storage: Object.fromEntries(
      Object.entries(storage).map(([slot, v]) => [bytesText(BigInt(slot)), bytesText(v)]),
    ),
  };
}

function transactionOf(source: StateCase, gas: readonly (number | bigint)[]): Fixture["transaction"] {
  const { accessLists, authorizations, blobs, data = [""], fees = { gasPrice: 10n }, value = [0n] } = source;
  const { from = SENDER, sender = {}, to = TARGET } = source;
  const prices = Object.entries(fees).map(([name, price]) => [name, quantityText(price)]);
  return {
    ...(Object.fromEntries(prices) as Record<string, string>),
    nonce: quantityText(source.nonce ?? sender.nonce ?? 0n),
    sender: addressText(from),
    ...(from === SENDER && { secretKey: bytesToHex(SENDER_KEY) }),
    to: to === null ? "" : addressText(to),
    data: data.map((bytes) => bytesToHex(codeBytes(bytes))),
    gasLimit: gas.map((limit) => quantityText(BigInt(limit))),
    value: value.map(quantityText),
    ...(accessLists && {
      accessLists: data.map((_, i) => accessListText(accessLists[i % accessLists.length] ?? null)),
    }),
    ...(authorizations && { authorizationList: authorizations.map(authorizationText) }),
    ...(blobs && { blobVersionedHashes: blobs.map(bytesToHex) }),
  };
}

function accessListText(list: AccessListSource | null): FixtureAccess[] | null {
  return (
    list?.map(([place, slots]) => ({ address: addressText(place), storageKeys: slots.map(wordText) })) ?? null
  );
}

function authorizationText(authorization: Authorization): FixtureAuthorization {
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return {
    chainId: quantityText(chainId),
    address: bytesToHex(address),
    nonce: quantityText(nonce),
    v: quantityText(yParity),
    r: quantityText(r),
    s: quantityText(s),
  };
}

function addressText(place: AddressSource): string {
  return bytesToHex(typeof place === "number" ? bigintToFixedBytes(BigInt(place), 20) : place);
}

function quantityText(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** A number as hex with an even number of digits. */
function bytesText(value: bigint): string {
  const digits = value.toString(16);
  return `0x${digits.length & 1 ? "0" : ""}${digits}`;
}

function wordText(value: bigint | number): string {
  return bytesToHex(bigintToFixedBytes(BigInt(value), 32));
}
