import { describe, expect, it } from "vitest";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import { rulesOfLevel } from "../../../protocol/params/rules.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { renderEthHeader } from "./eth-block.ts";

const source = { rules: rulesOfLevel(1n, 0), author: ZERO_ADDRESS, hash: new Uint8Array(32) };

describe("the size of a header in the eth namespace", () => {
  it("is that of the reference's memory, measured on v2.2.1 before and after randao", () => {
    // Block 1 of the recorded chains `forks` and `all-types`.
    const common = { ...emptyHeader(), blockScore: 1n, number: 1n, time: 0x6b01a0ecn };
    const early = { ...common, extra: new Uint8Array(192) };
    expect(renderEthHeader({ ...source, header: early })["size"]).toBe("0x314");
    const late = {
      ...common,
      extra: new Uint8Array(192),
      randomReveal: new Uint8Array(96),
      mixHash: new Uint8Array(32),
      baseFee: 25_000_000_000n,
    };
    expect(renderEthHeader({ ...source, header: late })["size"]).toBe("0x398");
  });
});

it("shows the total difficulty where it is given", () => {
  const header = emptyHeader();
  expect(renderEthHeader({ ...source, header, totalDifficulty: 16n })).toHaveProperty(
    "totalDifficulty",
    "0x10",
  );
  expect(renderEthHeader({ ...source, header })).not.toHaveProperty("totalDifficulty");
});
