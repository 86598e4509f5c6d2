import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantity } from "../../../protocol/codec/json/hex.ts";
import { NumberLiteral } from "../../../protocol/codec/json/value.ts";
import { api } from "../../rpc/spec/api.ts";
import { toArgument, toConsoleValue } from "./values.ts";

const send = api.kaia_sendTransaction.params.tx.schema.json;

describe("results", () => {
  it("are numbers for declared counts, and bigints for declared amounts", () => {
    expect(toConsoleValue("0x10", api.eth_blockNumber.result.json)).toBe(16);
    expect(toConsoleValue("0x10", api.eth_getBalance.result.json)).toBe(16n);
    expect(toConsoleValue({ pending: "0x2", queued: "0x0" }, api.txpool_status.result.json)).toEqual({
      pending: 2,
      queued: 0,
    });
  });

  it("of rendered objects follow the names of their members; data stays hex", () => {
    const block = {
      number: "0x5",
      nonce: "0x0000000000000000",
      input: "0x12",
      transactions: [{ value: "0xde0b6b3a7640000", gas: "0x5208", blockNumber: null }],
    };
    expect(toConsoleValue(block, api.eth_getBlockByNumber.result.json)).toEqual({
      number: 5,
      nonce: "0x0000000000000000",
      input: "0x12",
      transactions: [{ value: 10n ** 18n, gas: 21000, blockNumber: null }],
    });
  });

  it("keep every digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(toConsoleValue(quantity.encode(value), quantity.json)).toBe(value);
      }),
    );
    expect(toConsoleValue(new NumberLiteral("12345678901234567890"), {})).toBe(12345678901234567890n);
    expect(toConsoleValue("0xffffffffffffffff", api.eth_blockNumber.result.json)).toBe(2n ** 64n - 1n);
  });
});

describe("arguments", () => {
  it("write numbers, bigints and decimal texts of quantities in hex", () => {
    const tx = { value: "1000000000000000000", gas: 21000, gasPrice: 25n * 10n ** 9n, typeInt: 8, nonce: 0 };
    expect(toArgument(tx, send)).toEqual({
      value: "0xde0b6b3a7640000",
      gas: "0x5208",
      gasPrice: "0x5d21dba00",
      typeInt: 8,
      nonce: "0x0",
    });
    expect(toArgument(5, api.eth_getBalance.params.block.schema.json)).toBe("0x5");
    expect(toArgument("5", api.eth_getBalance.params.block.schema.json)).toBe("0x5");
    expect(toArgument("latest", api.eth_getBalance.params.block.schema.json)).toBe("latest");
    expect(toArgument("60", api.personal_unlockAccount.params.duration.schema.json)).toBe(60);
    expect(toArgument("12", api.personal_unlockAccount.params.passphrase.schema.json)).toBe("12");
    expect(toArgument(60n, api.personal_unlockAccount.params.duration.schema.json)).toBe(60);
  });

  it("reject values that a node cannot read", () => {
    expect(() => toArgument({ value: 1.5 }, send)).toThrow("1.5 is not a whole number");
    expect(() => toArgument(() => 1, {})).toThrow("a function is not an argument");
  });
});
