import { expect, it } from "vitest";
import { isLoopbackAddress, networkOf } from "./client-network.ts";

it.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["1::3:4:5:6:7:8", "1:0:3:4"],
  ["::2:3:4:5:6:7:8", "0:2:3:4"],
  ["::5:6:7:8", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["192.0.2.1", "192.0.2.1"],
])("counts %s as a client of the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it("knows the addresses of this machine", () => {
  for (const address of ["127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1"])
    expect(isLoopbackAddress(address), address).toBe(true);
  for (const address of ["128.0.0.1", "10.127.0.1", "::2", "::ffff:10.0.0.1", "fe80::1", ""])
    expect(isLoopbackAddress(address), address).toBe(false);
});
