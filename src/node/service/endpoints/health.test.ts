import { expect, it } from "vitest";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { type HealthParts, healthOf } from "./health.ts";

const HEALTHY: HealthParts = {
  ...{ disks: [{ state: "healthy" }, { state: "healthy" }], isStopping: false, sealingFailure: undefined },
  ...{ peers: 3, lag: 5 },
};
const failing = { state: "failing", code: "ENOSPC", reason: "the journal cannot be written" } as const;
const damaged = { state: "damaged", code: "DATABASE_DAMAGED", reason: "a page" } as const;
const cluster = { isReady: false, cause: "cluster", code: "LEASE_LOST", reason: "another writes" } as const;

/** From the most serious to the least. */
const PROBLEMS: [cause: string, code: string, reason: string, parts: Partial<HealthParts>][] = [
  ["stopping", "STOPPING", "the node is stopping", { isStopping: true }],
  ["damage", damaged.code, damaged.reason, { disks: [{ state: "healthy" }, damaged] }],
  ["sealing", "SEALING", "Error: no key", { sealingFailure: new Error("no key") }],
  ["cluster", cluster.code, cluster.reason, { cluster }],
  ["lag", "LAG", "5 blocks behind", { lag: 5 }],
];
const LIMITS = { lag: 4, peers: 4 };

it("is ready without a problem, and within the caller's thresholds", () => {
  expect(healthOf(HEALTHY)).toEqual({ isReady: true });
  expect(healthOf(HEALTHY, { lag: 5, peers: 3 })).toEqual({ isReady: true });
  expect(healthOf(HEALTHY, { peers: 4 })).toEqual({
    ...{ isReady: false, cause: "peers", code: "PEERS", reason: "3 peers" },
  });
});

it.each(PROBLEMS.map((_, i) => PROBLEMS.slice(i)))("shows the most serious problem: %s", (...left) => {
  const parts = Object.assign({}, HEALTHY, ...left.map(([, , , each]) => each));
  const [[cause, code, reason] = []] = left;
  expect(healthOf(parts, LIMITS)).toEqual({ isReady: false, cause, code, reason });
});

it("tells a disk that takes no writes from damage, and names the code of a failure to seal", () => {
  expect(healthOf({ ...HEALTHY, disks: [failing, damaged] })).toMatchObject({
    cause: "disk",
    code: "ENOSPC",
  });
  class Failure extends NodeError<"NO_KEY"> {}
  expect(healthOf({ ...HEALTHY, sealingFailure: new Failure("NO_KEY", "no key") }).isReady).toBe(false);
  expect(healthOf({ ...HEALTHY, sealingFailure: new Failure("NO_KEY", "no key") })).toMatchObject({
    code: "NO_KEY",
  });
});
