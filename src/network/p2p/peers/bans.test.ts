import { expect, it } from "vitest";
import { Bans } from "./bans.ts";

it("bans a node for ten minutes, and no longer", () => {
  let now = 5;
  const bans = new Bans(() => now);
  bans.add("a", "10.0.0.1");
  expect([bans.has("a"), bans.has("b"), bans.hasHost("10.0.0.1")]).toEqual([true, false, false]);
  now += 600_000;
  expect(bans.has("a")).toBe(false);
});

it("bans an address from which five nodes were banned, whatever their identity", () => {
  let now = 0;
  const bans = new Bans(() => now);
  for (let i = 0; i < 4; i++) bans.add(`liar ${i}`, "10.0.0.1");
  expect(bans.hasHost("10.0.0.1")).toBe(false);
  bans.add("liar 4", "10.0.0.1");
  expect([bans.hasHost("10.0.0.1"), bans.hasHost("10.0.0.2")]).toEqual([true, false]);
  now += 600_000;
  expect(bans.hasHost("10.0.0.1")).toBe(false);
});

it("counts the addresses of one IPv6 network as one", () => {
  const bans = new Bans(() => 0);
  for (let i = 0; i < 5; i++) bans.add(`liar ${i}`, `2a01:db7:1:2::${i}`);
  expect([bans.hasHost("2a01:db7:1:2::9"), bans.hasHost("2a01:db7:1:3::1")]).toEqual([true, false]);
});

it("remembers the newest ten thousand", () => {
  const bans = new Bans(() => 0);
  for (let i = 0; i <= 10_000; i++) bans.add(`liar ${i}`, `host ${i}`);
  expect([bans.has("liar 0"), bans.has("liar 1"), bans.has("liar 10000")]).toEqual([false, true, true]);
});
