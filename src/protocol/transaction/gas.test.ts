import { describe, expect, it } from "vitest";
import { FORKS } from "../params/forks.ts";
import { rulesOfLevel } from "../params/rules.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { effectiveGasPrice, effectiveGasTip, feeShares, splitFee } from "./fees.ts";
import { floorGas, intrinsicGas } from "./gas.ts";
import { readCases } from "./testing/fixtures.ts";
import { transactionTypeByName } from "./type-table.ts";
import type { TransactionType } from "./types.ts";
import { createTransaction, type TransactionParts } from "./value.ts";

interface GasVector {
  name: string;
  type: string;
  fork: (typeof FORKS)[number];
  input: string;
  contractCreation: boolean;
  intrinsicGas: number;
  floorDataGas?: number;
  key?: string;
  accessList?: { address: string; storageKeys: string[] }[];
  authorizationCount?: number;
}

const TO = new Uint8Array(20).fill(1);
const AUTHORIZATION = { chainId: 1n, address: TO, nonce: 0n, yParity: 0n, r: 1n, s: 1n };

function typeOf(name: string): TransactionType {
  const type = transactionTypeByName(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

function transactionOf(vector: GasVector): TransactionParts {
  const accessList = vector.accessList?.map(({ address, storageKeys }) => {
    return { address: hexToBytes(address), storageKeys: storageKeys.map(hexToBytes) };
  });
  return {
    type: typeOf(vector.type),
    input: hexToBytes(vector.input),
    accessList,
    to: vector.contractCreation ? undefined : TO,
    from: TO,
    key: hexToBytes(vector.key ?? "0x01c0"),
    authorizationList: new Array(vector.authorizationCount ?? 0).fill(AUTHORIZATION),
  };
}

describe("gas before execution", () => {
  it.each(readCases<GasVector>("intrinsic-gas.json").map((v) => [v.name, v] as const))(
    "of %s",
    (_, vector) => {
      const tx = createTransaction(transactionOf(vector));
      const rules = rulesOfLevel(1n, FORKS.indexOf(vector.fork) + 1);
      expect(intrinsicGas(tx, rules)).toBe(BigInt(vector.intrinsicGas));
      expect(floorGas(tx, rules)).toBe(BigInt(vector.floorDataGas ?? 0));
    },
  );

  it("prices data bytes of legacy transactions by kind before istanbul, those of Kaia types uniformly", () => {
    const genesis = rulesOfLevel(1n, 0);
    const parts = { to: TO, from: TO, input: Uint8Array.of(0, 1, 2) };
    const legacy = createTransaction({ ...parts, type: typeOf("TxTypeLegacyTransaction") });
    const memo = createTransaction({ ...parts, type: typeOf("TxTypeValueTransferMemo") });
    expect(intrinsicGas(legacy, genesis)).toBe(21_000n + 4n + 2n * 68n);
    expect(intrinsicGas(memo, genesis)).toBe(21_000n + 300n);
  });

  it("adds the gas for signatures to the floor and rejects 64-bit overflow", () => {
    const tx = createTransaction({ type: typeOf("TxTypeFeeDelegatedValueTransfer"), to: TO, from: TO });
    expect(floorGas(tx, { prague: true }, 30_000n)).toBe(61_000n);
    expect(() => floorGas(tx, { prague: true }, 2n ** 64n)).toThrowError("gas uint64 overflow");
  });
});

describe("fees", () => {
  const shares = readCases<{ name: string; fee: string; ratio: number; feePayer: string; sender: string }>(
    "fee-ratio.json",
  );

  it.each(shares.map((v) => [v.name, v] as const))(
    "are split as in %s",
    (_, { fee, ratio, feePayer, sender }) => {
      expect(splitFee(BigInt(fee), ratio)).toEqual({ feePayer: BigInt(feePayer), sender: BigInt(sender) });
    },
  );

  it("are paid by the accounts that the type names", () => {
    const payer = (name: string) =>
      feeShares(createTransaction({ type: typeOf(name), from: TO, feeRatio: 30 }), 1_000n);
    expect(payer("TxTypeCancel")).toEqual({ feePayer: 0n, sender: 1_000n });
    expect(payer("TxTypeFeeDelegatedCancel")).toEqual({ feePayer: 1_000n, sender: 0n });
    expect(payer("TxTypeFeeDelegatedCancelWithRatio")).toEqual({ feePayer: 300n, sender: 700n });
  });

  it.each([
    ["before magma its own price", { gasPrice: 50n }, undefined, false, 50n],
    ["from magma the base fee alone", { gasPrice: 50n }, 25n, false, 25n],
    ["from kaia its whole price", { gasPrice: 50n }, 25n, true, 50n],
    ["from kaia base fee and tip", { gasPrice: 50n, maxPriorityFeePerGas: 3n }, 25n, true, 28n],
    ["from kaia at most its cap", { gasPrice: 27n, maxPriorityFeePerGas: 3n }, 25n, true, 27n],
  ])("of a transaction are %s", (_, tx, baseFee, kaia, price) => {
    expect(effectiveGasPrice(tx, baseFee, { kaia })).toBe(price);
  });

  it("leave no tip below the base fee", () => {
    expect(effectiveGasTip({ gasPrice: 20n }, 25n)).toBe(0n);
    expect(effectiveGasTip({ gasPrice: 50n, maxPriorityFeePerGas: 7n })).toBe(7n);
  });
});
