import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerProbe } from "../../../platform/http/routes/probes.ts";
import { createNode, type Node } from "../../create-node.ts";
import { healthOf } from "../../service/endpoints/health.ts";

const healthy = { state: "healthy" } as const;
const failing = { state: "failing", code: "EIO", reason: "/secret/log cannot be written" } as const;
const fine = { disks: [healthy, healthy], isStopping: false, sealingFailure: undefined, peers: 2, lag: 3 };

describe("health", () => {
  it("reports the most serious problem", () => {
    const sealingFailure = new Error("no state");
    expect(healthOf(fine)).toEqual({ isReady: true });
    expect(healthOf({ ...fine, sealingFailure })).toMatchObject({ cause: "sealing", code: "SEALING" });
    expect(healthOf({ ...fine, sealingFailure, disks: [healthy, failing] })).toMatchObject({ cause: "disk" });
    const damaged = { ...failing, state: "damaged", code: "DATABASE_DAMAGED" } as const;
    expect(healthOf({ ...fine, disks: [damaged, failing] })).toMatchObject({ cause: "damage" });
    expect(healthOf({ ...fine, disks: [damaged, failing], isStopping: true, sealingFailure })).toMatchObject({
      cause: "stopping",
    });
  });
});

describe("thresholds of the caller", () => {
  it.each([
    [{ lag: 3, peers: 2 }, undefined],
    [{ lag: 2, peers: 2 }, "lag"],
    [{ lag: 3, peers: 3 }, "peers"],
    [{ lag: 0 }, "lag"],
    [{ peers: 0 }, undefined],
  ])("%j", (thresholds, cause) => {
    const health = healthOf(fine, thresholds);
    expect(health.isReady ? undefined : health.cause).toBe(cause);
  });

  it("are whole numbers, and unknown parameters are rejected", () => {
    const asked: object[] = [];
    const statusOf = (target: string) =>
      answerProbe(target, (thresholds) => {
        asked.push(thresholds);
        return { isReady: true };
      })?.status;
    for (const target of ["/ready?lag=", "/ready?lag=-1", "/ready?lag=5&all=1", "/ready?peers=1e3"])
      expect(statusOf(target)).toBe(400);
    expect(statusOf("/ready?lag=5&peers=3")).toBe(200);
    expect(asked).toEqual([{ lag: 5, peers: 3 }]);
  });
});

describe("probes of a node", () => {
  let node: Node;
  beforeEach(async () => {
    const jwtSecret = new Uint8Array(32).fill(1);
    node = await createNode({ dev: true, http: { port: 0 }, metrics: { port: 0 }, jwtSecret });
  });
  afterEach(() => node.stop());

  /** @returns status and body */
  function get(base: string | undefined, path: string, host = "localhost"): Promise<[number, string]> {
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, base), { headers: { host } }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve([response.statusCode ?? 0, text]);
      });
      asked.on("error", reject).end();
    });
  }

  it("are answered without a token to callers admitted by the Host rules, next to RPC and metrics", async () => {
    for (const base of [node.endpoints.http, node.endpoints.metrics]) {
      expect(await get(base, "/health")).toEqual([200, ""]);
      expect(await get(base, "/ready")).toEqual([200, '{"ready":true}\n']);
      expect((await get(base, "/ready", "evil.example"))[0]).toBe(403);
      expect(await get(base, "/ready?lag=0&peers=0")).toEqual([200, '{"ready":true}\n']);
      const [status, text] = await get(base, "/ready?peers=1");
      expect([status, JSON.parse(text)]).toMatchObject([
        503,
        { ready: false, cause: "peers", code: "PEERS" },
      ]);
      expect((await get(base, "/ready?lag=much"))[0]).toBe(400);
    }
  });

  it("fail once the node is stopping", async () => {
    const stopped = node.stop();
    expect(node.health()).toMatchObject({ isReady: false, cause: "stopping" });
    await stopped;
  });
});

describe("a probe's response", () => {
  it("contains no system error text", () => {
    const reply = answerProbe("/ready", () => healthOf({ ...fine, disks: [healthy, failing] }));
    expect(reply?.status).toBe(503);
    expect(JSON.parse(reply?.body ?? "")).toEqual({
      ...{ ready: false, cause: "disk", code: "EIO" },
      reason: "the disk takes no writes",
    });
  });
});
