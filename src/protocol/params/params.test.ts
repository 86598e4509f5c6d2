import { describe, expect, it } from "vitest";
import { parseExactJson } from "./config-json.ts";
import { DEFAULT_PARAMS, genesisParams } from "./defaults.ts";
import { checkForkOrder, findIncompatibility } from "./fork-order.ts";
import { FORKS } from "./forks.ts";
import { governanceJson, parameterFromJson, parseGovernanceJson } from "./parameter-json.ts";
import { isRatio, PARAMETERS, parameterNamed } from "./parameters.ts";
import { parseChainConfig } from "./parse-config.ts";
import { networkConfig } from "./presets.ts";
import { rulesAt } from "./rules.ts";

describe("rulesAt", () => {
  const mainnet = networkConfig("mainnet");

  it("activates each mainnet fork at its block", () => {
    expect(rulesAt(mainnet, 86_816_004n).level).toBe(0);
    expect(rulesAt(mainnet, 86_816_005n)).toMatchObject({ level: 3, ethTxType: true, magma: false });
    expect(rulesAt(mainnet, 162_900_479n)).toMatchObject({ randao: true, kaia: false });
    expect(rulesAt(mainnet, 300_000_000n)).toMatchObject({
      chainId: 8217n,
      level: FORKS.indexOf("osaka") + 1,
      osaka: true,
    });
  });

  it("returns the same object for blocks under the same rules", () => {
    expect(rulesAt(mainnet, 1n)).toBe(rulesAt(mainnet, 2n));
  });
});

describe("fork order", () => {
  it.each([
    [{ istanbul: 5n, london: 4n }, "istanbulBlock enabled at 5, but londonBlock enabled at 4"],
    [{ istanbul: 5n, magma: 4n }, "istanbulBlock enabled at 5, but magmaBlock enabled at 4"],
  ])("refuses %o", (forks, reason) => {
    expect(() => checkForkOrder(forks)).toThrowError(`unsupported fork ordering: ${reason}`);
  });

  it("accepts forks that are not planned yet, and gaps", () => {
    expect(() => checkForkOrder({ istanbul: 0n, london: 7n })).not.toThrow();
    expect(() => checkForkOrder({ istanbul: 0n, magma: 7n })).not.toThrow();
  });

  it("uses the level of the newest active fork across a gap", () => {
    const { forks, ...rest } = networkConfig("mainnet");
    const { randao, ...others } = forks;
    const rules = rulesAt({ ...rest, forks: others }, 10n ** 9n);
    expect([randao !== undefined, rules.randao, rules.osaka, rules.level]).toEqual([true, false, true, 11]);
  });

  it("names the block to rewind to when a past fork moves", () => {
    const conflict = findIncompatibility({ istanbul: 0n, london: 10n }, { istanbul: 0n, london: 20n }, 15n);
    expect(conflict?.error.message).toBe(
      "mismatching London Block in database (have 10, want 20, rewindto 9)",
    );
    expect(
      findIncompatibility({ istanbul: 0n, london: 10n }, { istanbul: 0n, london: 20n }, 9n),
    ).toBeUndefined();
  });

  it("reports the lowest of several conflicts", () => {
    const conflict = findIncompatibility({ istanbul: 4n, london: 10n }, { istanbul: 2n, london: 9n }, 50n);
    expect(conflict?.error.message).toBe(
      "mismatching Istanbul Block in database (have 4, want 2, rewindto 1)",
    );
    expect(findIncompatibility({}, { istanbul: 3n }, 5n)?.error.message).toBe(
      "mismatching Istanbul Block in database (have <nil>, want 3, rewindto 2)",
    );
  });
});

describe("parseChainConfig", () => {
  it("leaves absent sections to the defaults and counts absent keys of present ones as zero", () => {
    const params = genesisParams(
      parseChainConfig({ chainId: 1, governance: { governanceMode: "none", kip71: {} } }),
    );
    expect(params).toMatchObject({ unitPrice: 0n, gasTarget: 0n, epoch: DEFAULT_PARAMS.epoch });
    expect(params.baseFeeDenominator).toBe(DEFAULT_PARAMS.baseFeeDenominator);
  });

  it("replaces intervals of zero, which would divide by zero", () => {
    const { params } = parseChainConfig({ governance: { reward: { stakingUpdateInterval: 0 } } });
    expect(params).toMatchObject({ stakingUpdateInterval: 86_400n, proposerUpdateInterval: 3_600n });
  });

  it("rejects removed engines and wrong types", () => {
    expect(() => parseChainConfig({ clique: {} })).toThrowError("DEPRECATED: 'clique' consensus engine");
    expect(() => parseChainConfig({ chainId: "x" })).toThrowError("chainId is not an unsigned integer");
  });

  it("keeps every digit of a number that a double cannot hold", () => {
    const json = parseExactJson(
      '{"governance":{"reward":{"mintingAmount":9600000000000000001,"ratio":"1234567890123456789"}}}',
    );
    expect(parseChainConfig(json as Record<string, unknown>).params.mintingAmount).toBe(
      9_600_000_000_000_000_001n,
    );
    expect(json).toMatchObject({ governance: { reward: { ratio: "1234567890123456789" } } });
  });
});

describe("JSON of a genesis", () => {
  it("keeps long integers as strings, and everything else as it is", () => {
    const text = String.raw`{"\"1234567890123456":[-12345678901234567,1234567890123456,123456789012345,true,1.5e3,
      1234567890123456.5,12345678901234567E-2,"\\",{"a":[]},"x:12345678901234567"],"":9007199254740993}`;
    expect(parseExactJson(text)).toEqual({
      '"1234567890123456': [
        ...["-12345678901234567", "1234567890123456", 123456789012345, true, 1500],
        ...[1234567890123456.5, 123456789012345.67, "\\", { a: [] }, "x:12345678901234567"],
      ],
      "": "9007199254740993",
    });
  });

  it.each([`{"a":${"1".repeat(100_000)}e1}`, `[${"1".repeat(100_000)}.0]`, `["${'\\"'.repeat(50_000)}"]`])(
    "takes time in proportion to its length: %.12s",
    (text) => void parseExactJson(text),
    10_000,
  );

  it.each([`{"a":"${'\\"'.repeat(50_000)}`, `{"a":${"1".repeat(100_000)}`, "12345678901234567 1"])(
    "is refused in such a time if it is none: %.12s",
    (text) => {
      expect(() => parseExactJson(text)).toThrowError(SyntaxError);
    },
    10_000,
  );
});

describe("governance parameters", () => {
  it("are sorted by name, as governance data must be", () => {
    const names = PARAMETERS.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
  });

  it("survive the JSON of a governance header", () => {
    expect(parseGovernanceJson(governanceJson(DEFAULT_PARAMS, PARAMETERS))).toEqual(DEFAULT_PARAMS);
  });

  it("write big amounts as text and numbers as digits", () => {
    const parameters = ["reward.mintingamount", "governance.unitprice"]
      .map((name) => parameterNamed(name))
      .filter((p) => p !== undefined);
    expect(governanceJson({ mintingAmount: 7n, unitPrice: 8n }, parameters)).toBe(
      '{"governance.unitprice":8,"reward.mintingamount":"7"}',
    );
  });

  it.each([
    ["kip71.gastarget", "5", "could not canonicalize value to uint64"],
    ["kip71.gastarget", 1.5, "could not canonicalize float64 to uint64"],
    ["reward.mintingamount", "1e18", "could not canonicalize string to big.Int"],
    ["governance.governingnode", "0x12", "could not canonicalize string to address"],
    ["istanbul.committeesize", 0, "invalid param value"],
    ["reward.ratio", "50/50/50", "invalid param value"],
  ])("refuses %s = %s", (name, value, text) => {
    const parameter = parameterNamed(name);
    expect(() => parameter && parameterFromJson(parameter, value)).toThrowError(text);
  });

  it("accept only integer ratios that add up to 100", () => {
    expect([isRatio("34/54/12", 3), isRatio("20/80", 2)]).toEqual([true, true]);
    expect([isRatio("-1/101", 2), isRatio("50.5/49.5", 2), isRatio("100", 2)]).toEqual([false, false, false]);
  });
});
