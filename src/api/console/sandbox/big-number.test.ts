import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { addBigNumberMethods } from "./big-number.ts";

/** The bigints of another realm, so that those of this one stay unchanged. */
const realm: { evaluate(source: string): unknown } = runInNewContext("({ evaluate: eval })");
addBigNumberMethods(realm.evaluate("BigInt.prototype") as object);
const evaluate = (source: string) => realm.evaluate(source);

describe("bigints of the console", () => {
  it.each([
    ["5n.plus(1)", 6n],
    ['5n.minus("7")', -2n],
    ["5n.times(2n)", 10n],
    ["6n.div(3)", 2n],
    ["5n.div(2)", 2.5],
    ["5n.mod(3)", 2n],
    ["10n.pow(21)", 10n ** 21n],
    ["5n.comparedTo(7)", -1],
    ["5n.comparedTo(5)", 0],
    ["7n.comparedTo(5)", 1],
    ["5n.equals(5)", true],
    ["5n.gt(5)", false],
    ["5n.gte(5)", true],
    ["5n.lt(6)", true],
    ["5n.lte(4)", false],
    ["0n.isZero()", true],
    ["5n.toNumber()", 5],
    ["(10n ** 25n).toFixed()", "10000000000000000000000000"],
  ])("have the methods of the Go console's big numbers: %s", (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  it("are serialized to JSON as decimal text with every digit", () => {
    expect(evaluate("JSON.stringify({ balance: 10n ** 25n, of: [1n] })")).toBe(
      '{"balance":"10000000000000000000000000","of":["1"]}',
    );
  });

  it("report a missing operand", () => {
    expect(() => evaluate("5n.plus()")).toThrow("a number is missing");
  });
});
