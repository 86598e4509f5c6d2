import { describe, expect, it } from "vitest";
import {
  createCheckedLookup,
  createPublicLookup,
  isLinkAddress,
  isPublicAddress,
  type Lookup,
} from "./targets.ts";

describe("isPublicAddress", () => {
  it.each(["1.1.1.1", "9.255.255.255", "172.32.0.1", "2606:4700::1111", "2a00::1"])("takes %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

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

  it("answers with the addresses that it looked at", async () => {
    expect(await ask(found("1.1.1.1"), false)).toBe("1.1.1.1");
    expect(await ask(found("1.1.1.1", "8.8.8.8"), true)).toHaveLength(2);
  });

  it("refuses a name that means a private address too", async () => {
    await expect(ask(found("1.1.1.1", "127.0.0.1"), true)).rejects.toMatchObject({
      code: "FORBIDDEN_TARGET",
    });
    await expect(ask(found(), false)).rejects.toMatchObject({ code: "FORBIDDEN_TARGET" });
  });
});

it("knows addresses of the link, however they are written", () => {
  for (const address of ["169.254.169.254", "fe80::1", "fd00:ec2::254", "::ffff:169.254.169.254"])
    expect(isLinkAddress(address)).toBe(true);
  for (const address of ["10.0.0.1", "127.0.0.1", "::1", "metadata", ""])
    expect(isLinkAddress(address)).toBe(false);
});

it("looks a name up once, and connects to nothing that was refused", async () => {
  const find = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: "169.254.169.254", family: 4 }])) as unknown as Lookup;
  const lookup = createCheckedLookup((address) => {
    if (isLinkAddress(address)) throw new Error("of the link");
  }, find);
  const asked = new Promise((resolve, reject) =>
    lookup("metadata.example", { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );
  await expect(asked).rejects.toThrow("of the link");
});
