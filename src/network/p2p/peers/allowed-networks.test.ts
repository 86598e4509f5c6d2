import { describe, expect, it } from "vitest";
import { allowedBy, parseNetwork } from "./allowed-networks.ts";

describe("networks to which peers are restricted", () => {
  it("are in CIDR notation", () => {
    expect(parseNetwork("10.0.0.0/8")).toEqual({ address: "10.0.0.0", bits: 8 });
    expect(parseNetwork("2001:db8::/128")).toEqual({ address: "2001:db8::", bits: 128 });
    expect(parseNetwork("10.1.2.3/32")).toEqual({ address: "10.1.2.3", bits: 32 });
    for (const text of [
      "",
      "10.0.0.0",
      "10.0.0.0/",
      "10.0.0.0/33",
      "::/129",
      "host/8",
      "10.0.0.0/8/8",
      "10.0.0.0/-1",
    ])
      expect(parseNetwork(text), text).toBeUndefined();
  });

  it("contain the addresses with their prefix, whatever their notation", () => {
    const isAllowed = allowedBy(["10.0.0.0/8", "2001:db8::/32", "nonsense"]);
    const hosts = [
      "10.255.0.1",
      "::ffff:10.0.0.1",
      "2001:db8:1::1",
      "11.0.0.1",
      "2001:db9::1",
      "::ffff:11.0.0.1",
    ];
    expect(hosts.filter(isAllowed)).toEqual(["10.255.0.1", "::ffff:10.0.0.1", "2001:db8:1::1"]);
  });

  it("are all, unless some are named", () => {
    expect(allowedBy([])("11.0.0.1")).toBe(true);
    expect(allowedBy(["nonsense"])("11.0.0.1")).toBe(false);
  });
});
