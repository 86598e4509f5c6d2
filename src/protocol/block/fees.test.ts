import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GAS_PER_BLOB } from "../params/gas.ts";
import { parseChainConfig } from "../params/parse-config.ts";
import { nextBaseFee } from "./base-fee.ts";
import { blobBaseFee, maxBlobGas, nextExcessBlobGas } from "./blob-gas.ts";
import type { Header } from "./header.ts";

const path = new URL("../../../test/fixtures/vectors/basefee.json", import.meta.url);
const parentOf = (fields: Partial<Header>) => fields as Header;

describe("nextBaseFee", () => {
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  const cases: any[] = JSON.parse(readFileSync(path, "utf8")).cases;

  it.each(cases)("$name", ({ kip71, startBaseFee, startNumber, steps }) => {
    const params = {
      lowerBoundBaseFee: BigInt(kip71.lowerboundbasefee),
      upperBoundBaseFee: BigInt(kip71.upperboundbasefee),
      gasTarget: BigInt(kip71.gastarget),
      maxBlockGasUsedForBaseFee: BigInt(kip71.maxblockgasusedforbasefee),
      baseFeeDenominator: BigInt(kip71.basefeedenominator),
    };
    let baseFee = startBaseFee === null ? undefined : BigInt(startBaseFee);
    for (const [i, step] of steps.entries()) {
      const parent = { number: BigInt(startNumber + i), gasUsed: BigInt(step.parentGasUsed) };
      baseFee = nextBaseFee(parentOf(baseFee === undefined ? parent : { ...parent, baseFee }), params);
      expect(String(baseFee)).toBe(step.baseFee);
    }
  });
});

describe("blob gas", () => {
  const config = parseChainConfig({ blobSchedule: { osaka: { target: 1, max: 2 } } });

  it("carries over the excess above the target", () => {
    const parent = parentOf({ excessBlobGas: GAS_PER_BLOB, blobGasUsed: 2n * GAS_PER_BLOB });
    expect(nextExcessBlobGas(parent, config)).toBe(2n * GAS_PER_BLOB);
    expect(nextExcessBlobGas(parentOf({}), config)).toBe(0n);
    expect(maxBlobGas(config)).toBe(2n * GAS_PER_BLOB);
  });

  it("costs eight times the base fee", () => {
    expect(blobBaseFee(25_000_000_000n)).toBe(200_000_000_000n);
  });
});
