import { expect, it } from "vitest";
import { displaceable } from "./inbound-slots.ts";

const from = (host: string) => ({ stream: { remote: { host, port: 1 } } });

it("takes the newest slot of the network that has the most", () => {
  const sessions = ["10.0.0.1", "2a01:db7:1:2::1", "2a01:db7:1:2::2", "2a01:db7:1:2::3"].map(from);
  expect(displaceable(sessions, 4, "10.0.0.2")).toBe(sessions[3]);
  expect(displaceable(sessions, 4, "10.0.0.1")).toBe(sessions[3]);
  expect(displaceable(sessions, 4, "2a01:db7:1:2::9")).toBeUndefined();
});

it("leaves a network its share, and as many as the newcomer's would have", () => {
  const sessions = ["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2"].map(from);
  expect(displaceable(sessions, 12, "10.0.0.3")).toBeUndefined();
  expect(displaceable(sessions, 8, "10.0.0.3")).toBe(sessions[2]);
  expect(displaceable(sessions, 8, "10.0.0.2")).toBeUndefined();
  expect(displaceable([], 0, "10.0.0.2")).toBeUndefined();
});
