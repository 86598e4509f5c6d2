import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.ts";
import { metricsTree } from "./metrics-tree.ts";
import { MovingRate } from "./moving-rate.ts";
import { prometheusText } from "./prometheus.ts";
import { Reservoir } from "./reservoir.ts";

const SECOND = 1000;

describe("moving rates", () => {
  it("converge to a steady rate, the short window first", () => {
    const rate = new MovingRate(0);
    for (let second = 0; second < 300; second++) rate.mark(10, second * SECOND);
    const steady = rate.snapshot(300 * SECOND);
    for (const average of steady.rates) expect(average).toBeCloseTo(10, 5);
    expect(steady).toMatchObject({ total: 3000, mean: 10 });
    const [one, five, fifteen] = rate.snapshot(360 * SECOND).rates;
    expect(one).toBeCloseTo(10 * Math.exp(-1), 1);
    expect(one).toBeLessThan(five);
    expect(five).toBeLessThan(fifteen);
  });

  it("do not depend on when they are read", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60_000), { maxLength: 20 }), (looks) => {
        const watched = new MovingRate(0);
        const alone = new MovingRate(0);
        for (const rate of [watched, alone]) rate.mark(100, 1);
        for (const at of [...looks].sort((a, b) => a - b)) watched.snapshot(at + 1);
        const [a, b] = [watched.snapshot(120_000).rates, alone.snapshot(120_000).rates];
        for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i] as number, 9);
      }),
    );
  });
});

describe("reservoirs", () => {
  it("return percentiles of the last values", () => {
    const reservoir = new Reservoir();
    for (let value = 1; value <= 5000; value++) reservoir.add(value);
    const { count, sum, minimum, maximum, percentile } = reservoir.snapshot();
    expect({ count, sum, maximum }).toEqual({ count: 5000, sum: 12_502_500, maximum: 5000 });
    expect(minimum).toBe(5000 - 1028 + 1);
    expect(percentile(0.5)).toBeCloseTo(4486.5, 0);
    expect(new Reservoir().snapshot().percentile(0.99)).toBe(0);
  });
});

describe("a metric registry", () => {
  function filled(): { metrics: Metrics; at: (ms: number) => void } {
    let now = 0;
    const metrics = new Metrics({ now: () => now, elapsed: () => now });
    metrics.counter("rpc/counts/total").add(3);
    metrics.gauge("chain/head", () => 7);
    metrics.meter("p2p/InboundTraffic").mark(1_500_000);
    metrics.timer("chain/inserts").time(() => {
      now += 12;
    });
    return {
      metrics,
      at: (ms) => {
        now = ms;
      },
    };
  }

  it("shows numbers to programs", () => {
    const { metrics, at } = filled();
    at(10_000);
    expect(metricsTree(metrics, true)).toMatchObject({
      rpc: { counts: { total: { Overall: 3 } } },
      chain: { head: "Unknown metric type", inserts: { Overall: 1, MeanRate: expect.any(Number) } },
      p2p: { InboundTraffic: { Overall: 1_500_000, MeanRate: 150_000, AvgRate01Min: expect.any(Number) } },
    });
  });

  it("shows short texts to people", () => {
    const { metrics, at } = filled();
    at(10_000);
    const tree = metricsTree(metrics, false) as { p2p: { InboundTraffic: { Overall: string } } };
    expect(tree.p2p.InboundTraffic.Overall).toBe("1.50M (150.00K/s)");
  });

  it("shows the distribution of durations: nanoseconds to programs, Go's durations to people", () => {
    const metrics = new Metrics({ now: () => 0, elapsed: () => 0 });
    const timer = metrics.timer("chain/inserts");
    for (const ms of [1, 2, 3, 4, 5]) timer.update(ms);
    const near = (value: number) => expect.closeTo(value, 3);
    expect(metricsTree(metrics, true)).toMatchObject({
      chain: {
        inserts: {
          ...{ Overall: 5, Mean: 3e6, StdDev: Math.sqrt(2) * 1e6 },
          Percentiles: { 5: 1e6, 20: near(1.2e6), 50: 3e6, 80: near(4.8e6), 95: 5e6 },
        },
      },
    });
    const shown = (ms: number): unknown => {
      const one = new Metrics({ now: () => 0, elapsed: () => 0 });
      one.timer("x").update(ms);
      return (metricsTree(one, false) as { x: { Maximum: string } }).x.Maximum;
    };
    expect(metricsTree(metrics, false)).toMatchObject({
      chain: { inserts: { Minimum: "1ms", Maximum: "5ms", Percentiles: { 50: "3ms", 80: "4.8ms" } } },
    });
    expect([0, 0.0005, 0.25, 1.5, 2_000, 62_500, 3_723_000].map(shown)).toEqual([
      ...["0s", "500ns", "250µs", "1.5ms", "2s", "1m2.5s", "1h2m3s"],
    ]);
  });

  it("returns the same metric for the same name", () => {
    const { metrics } = filled();
    metrics.counter("rpc/counts/total").add();
    expect([...metrics.readings()].find(([name]) => name === "rpc/counts/total")?.[1]).toEqual({
      kind: "counter",
      value: 4,
    });
  });

  it("times an action that throws", () => {
    const { metrics } = filled();
    const timer = metrics.timer("chain/inserts");
    expect(() =>
      timer.time(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(prometheusText(metrics)).toContain("klaytn_chain_inserts_count 2\n");
  });

  it("follows the text format of Prometheus", () => {
    const line =
      /^(# TYPE [a-zA-Z_:][\w:]* (gauge|counter|summary)|[a-zA-Z_:][\w:]*(\{quantile="[\d.]+"\})? -?[\d.eE+-]+)$/;
    for (const text of prometheusText(filled().metrics).trimEnd().split("\n")) expect(text).toMatch(line);
  });
});
