import { describe, expect, it } from "vitest";
import { logQuery } from "./filters.ts";

describe("addresses and topics of a filter", () => {
  it.each([
    ["", "empty hex string"],
    ["12", "hex string without 0x prefix"],
    ["0xinvalid", "invalid hex string"],
    ["0x123", "hex string of odd length"],
    ["0x12", "hex has invalid length 1 after decoding"],
  ])("are rejected with the reference's texts: %j", (address, reason) => {
    const text = `invalid address: ${reason}`;
    expect(() => logQuery.decode({ address })).toThrow(text);
    expect(() => logQuery.decode({ topics: [[address]] })).toThrow(reason);
  });
});
