import { describe, expect, it } from "vitest";
import { answerProbe, isProbeQuery, type Readiness } from "./probes.ts";

const asked = (target: string, readiness: Readiness = { isReady: true }) => {
  const thresholds: unknown[] = [];
  const reply = answerProbe(target, (given) => {
    thresholds.push(given);
    return readiness;
  });
  return { reply, thresholds };
};

describe("the probes", () => {
  it("of liveness are empty and not stored, whatever the state of the service", () => {
    for (const target of ["/health", "/health?a=1"])
      expect(asked(target)).toEqual({
        reply: { status: 200, headers: "Cache-Control: no-store\r\n", body: "" },
        thresholds: [],
      });
  });

  it("of readiness pass on the caller's thresholds", () => {
    expect(asked("/ready")).toMatchObject({
      reply: { status: 200, body: '{"ready":true}\n' },
      thresholds: [{}],
    });
    expect(asked("/ready?lag=5&peers=0").thresholds).toEqual([{ lag: 5, peers: 0 }]);
    expect(asked("/ready?").thresholds).toEqual([{}]);
    for (const query of ["lag=", "lag=-1", "lag=1.5", "lag=1234567890", "leg=1", "lag=1&x"])
      expect(asked(`/ready?${query}`)).toMatchObject({ reply: { status: 400 }, thresholds: [] });
  });

  it("of readiness tell strangers the cause, without names of files", () => {
    const reason = "cannot write /home/me/data: ENOSPC";
    const { reply } = asked("/ready", { isReady: false, cause: "disk", code: "ENOSPC", reason });
    expect([reply?.status, JSON.parse(String(reply?.body))]).toEqual([
      503,
      { ready: false, cause: "disk", code: "ENOSPC", reason: "the disk takes no writes" },
    ]);
  });

  it("are these two paths only", () => {
    for (const target of ["/", "/healthy", "/ready/", "/readyz"]) expect(asked(target).reply).toBeUndefined();
    expect(["/ready?lag=1", "/ready", "/health?"].map(isProbeQuery)).toEqual([true, false, false]);
  });
});
