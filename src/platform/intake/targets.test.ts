import { describe, expect, it } from "vitest";
import {
  createCheckedLookup,
  createPublicLookup,
  isLinkLocalAddress,
  isPublicAddress,
  type Lookup,
} from "./targets.ts";

describe("isPublicAddress", () => {
  it.each(["1.1.1.1", "9.255.255.255", "172.32.0.1", "2606:4700::1111", "2a00::1"])(
    "accepts %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1", "192.168.0.1"],
    ...["198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:8.8.8.8", "fe80::1", "fc00::1"],
    ...["fd12::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1", "name", ""],
  ])("refuses %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("createPublicLookup", () => {
  const found = (...addresses: string[]) =>
    createPublicLookup(((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )) as unknown as Lookup);
  const ask = (lookup: Lookup, all: boolean) =>
    new Promise((resolve, reject) =>
      lookup("name", { all }, (error: Error | null, address: unknown) =>
        error ? reject(error) : resolve(address),
      ),
    );

  it("returns the addresses that it checked", async () => {
    expect(await ask(found("1.1.1.1"), false)).toBe("1.1.1.1");
    expect(await ask(found("1.1.1.1", "8.8.8.8"), true)).toHaveLength(2);
  });

  it("rejects a name with a private address among its addresses", async () => {
    await expect(ask(found("1.1.1.1", "127.0.0.1"), true)).rejects.toMatchObject({
      code: "FORBIDDEN_TARGET",
    });
    await expect(ask(found(), false)).rejects.toMatchObject({ code: "FORBIDDEN_TARGET" });
  });
});

it("recognises link-local addresses in any notation", () => {
  for (const address of ["169.254.169.254", "fe80::1", "febf::1", "fd00:ec2::254", "::ffff:169.254.169.254"])
    expect(isLinkLocalAddress(address)).toBe(true);
  for (const address of ["10.0.0.1", "127.0.0.1", "::1", "fec0::1", "metadata", ""])
    expect(isLinkLocalAddress(address)).toBe(false);
});

it("resolves a name once, and connects to no rejected address", async () => {
  const find = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: "169.254.169.254", family: 4 }])) as unknown as Lookup;
  const lookup = createCheckedLookup((address) => {
    if (isLinkLocalAddress(address)) throw new Error("of the link");
  }, find);
  const asked = new Promise((resolve, reject) =>
    lookup("metadata.example", { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );
  await expect(asked).rejects.toThrow("of the link");
});
