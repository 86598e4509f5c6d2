import { expect, it } from "vitest";
import { subnetOf } from "./address-rules.ts";
import { hostOf, ipBytesOf } from "./ip-address.ts";

it.each([
  ["127.0.0.1", "7f000001"],
  ["::1", "00000000000000000000000000000001"],
  ["2001:4860:4860::8888", "20014860486000000000000000008888"],
  ["fe80::1:0:0:2", "fe800000000000000000000100000002".replace("0000000100000002", "0001000000000002")],
  ["::", "00000000000000000000000000000000"],
])("reads and writes %s", (text, bytes) => {
  expect(Buffer.from(ipBytesOf(text)).toString("hex")).toBe(bytes);
  expect(hostOf(Buffer.from(bytes, "hex"))).toBe(text);
});

it("shows an IPv4-mapped address in its IPv4 form", () => {
  expect(hostOf(ipBytesOf("::ffff:10.1.2.3"))).toBe("10.1.2.3");
  expect(ipBytesOf("fe80::1%eth0")).toEqual(ipBytesOf("fe80::1"));
});

it("rejects 5 bytes and names", () => {
  expect(hostOf(new Uint8Array(5))).toBeUndefined();
  expect(() => ipBytesOf("localhost")).toThrow("localhost is not an IP address");
});

it("groups IPv4 addresses by 24 bits and IPv6 ones by 64", () => {
  expect(subnetOf("8.8.8.8")).toBe(subnetOf("8.8.8.9"));
  expect(subnetOf("8.8.8.8")).not.toBe(subnetOf("8.8.9.8"));
  expect(subnetOf("2606:4700::1111")).toBe(subnetOf("2606:4700::ffff:0:0:1"));
  expect(subnetOf("2606:4700::1111")).not.toBe(subnetOf("2606:4700:0:1::1111"));
});
