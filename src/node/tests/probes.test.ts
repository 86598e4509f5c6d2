import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerProbe } from "../../platform/http/probes.ts";
import { createNode, type Node } from "../create-node.ts";
import { healthOf } from "../endpoints/health.ts";

const disk = { state: "healthy" } as const;
const failing = { state: "failing", code: "EIO", reason: "/secret/log cannot be written" } as const;
const fine = { disk, isStopping: false, sealingFailure: undefined };

describe("health", () => {
  it("names the gravest of what stands in the way", () => {
    const sealingFailure = new Error("no state");
    expect(healthOf(fine)).toEqual({ isReady: true });
    expect(healthOf({ ...fine, sealingFailure })).toMatchObject({ cause: "sealing", code: "SEALING" });
    expect(healthOf({ ...fine, sealingFailure, disk: failing })).toMatchObject({ cause: "disk" });
    const damaged = { ...failing, state: "damaged", code: "DATABASE_DAMAGED" } as const;
    expect(healthOf({ ...fine, disk: damaged })).toMatchObject({ cause: "damage" });
    expect(healthOf({ disk: damaged, isStopping: true, sealingFailure })).toMatchObject({
      cause: "stopping",
    });
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

  it("are answered without a token to whoever the Host rules let in, beside RPC and beside metrics", async () => {
    for (const base of [node.endpoints.http, node.endpoints.metrics]) {
      expect(await get(base, "/health")).toEqual([200, ""]);
      expect(await get(base, "/ready")).toEqual([200, '{"ready":true}\n']);
      expect((await get(base, "/ready", "evil.example"))[0]).toBe(403);
    }
  });

  it("say no once the node was told to stop", async () => {
    const stopped = node.stop();
    expect(node.health()).toMatchObject({ isReady: false, cause: "stopping" });
    await stopped;
  });
});

describe("an answer to a probe", () => {
  it("holds no text of the system", () => {
    const reply = answerProbe("/ready", () => healthOf({ ...fine, disk: failing }));
    expect(reply?.status).toBe(503);
    expect(JSON.parse(reply?.body ?? "")).toEqual({
      ...{ ready: false, cause: "disk", code: "EIO" },
      reason: "the disk takes no writes",
    });
  });
});
