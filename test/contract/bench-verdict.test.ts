import { describe, expect, it } from "vitest";
import { compare, median } from "../../bench/pairs/verdict.mjs";
import { plot } from "../../bench/plot.mjs";

// The verdicts of `npm run bench -- --compare` from paired figures.

/** Pairs with these ratios; absolute figures vary by a factor of a hundred, as on a busy machine. */
function pairsOf(ratios: readonly number[]) {
  const before = ratios.map((_, i) => 10 ** (i % 3));
  return [before, ratios.map((ratio, i) => ratio * (before[i] as number))] as const;
}

const verdictOf = (ratios: readonly number[]) => compare(...pairsOf(ratios)).verdict;

/** Uniform numbers in [0, 1), the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the interval of the median ratio", () => {
  // Ranks from published tables of the sign test at 95 %: number of values, lowest and highest rank.
  it.each([
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [20, 6, 15],
    [50, 18, 33],
  ])("of %i pairs goes from the value of rank %i to that of rank %i", (count, lowest, highest) => {
    const ratios = Array.from({ length: count }, (_, i) => 1 + ((i * 7 + 3) % count) / 128);
    const sorted = [...ratios].sort((a, b) => a - b);
    const { low, high, ratio } = compare(
      ratios.map(() => 64),
      ratios.map((value) => value * 64),
    );
    expect([low, high]).toEqual([sorted[lowest - 1], sorted[highest - 1]]);
    expect(ratio).toBe(median(ratios));
  });

  it("is unbounded for five pairs or fewer", () => {
    const { ratio, low, high, verdict } = compare([1, 1, 1, 1, 1], [0.1, 0.1, 0.1, 0.1, 0.1]);
    expect([ratio, low, high, verdict]).toEqual([0.1, -Infinity, Infinity, "same"]);
  });

  it("contains the true median in about 95 of 100 cases, whatever the distribution", () => {
    const next = numbers(7);
    let held = 0;
    for (let i = 0; i < 4000; i++) {
      // a quarter of the values lies far out on one side; the median is 1
      const ratios = Array.from({ length: 12 }, () => {
        const at = next();
        return at < 0.25 ? at / 10 : 0.5 + at;
      });
      const { low, high } = compare(...pairsOf(ratios));
      if (low <= 1 && high >= 1) held++;
    }
    // ranks 3 and 10 of 12: 96.1 %, with a standard deviation of 0.3 in 4,000
    expect(held / 4000).toBeGreaterThan(0.95);
    expect(held / 4000).toBeLessThan(0.973);
  });
});

describe("the verdict", () => {
  const around = (centre: number, spread: number) =>
    Array.from({ length: 12 }, (_, i) => centre + spread * ((i % 4) - 1.5));

  it("is a fall or a rise only if the interval excludes 1 and the change exceeds 3 %", () => {
    expect(verdictOf(around(0.9, 0.02))).toBe("fell");
    expect(verdictOf(around(1.1, 0.02))).toBe("rose");
    expect(verdictOf(around(0.98, 0.002))).toBe("same"); // significant, but small
    expect(verdictOf(around(1.02, 0.002))).toBe("same");
    expect(verdictOf(around(0.9, 0.2))).toBe("same"); // large, but not significant
    expect(verdictOf(around(1.1, 0.2))).toBe("same");
  });

  it("is robust against a few disturbed windows", () => {
    expect(verdictOf([...around(0.9, 0.01).slice(2), 5, 7])).toBe("fell");
    expect(verdictOf([...around(1, 0.01).slice(2), 0.1, 0.2])).toBe("same");
  });
});

describe("the plot", () => {
  it("draws a bar per node, the median of its ratios to the first, with a dot per ratio, and escapes names", () => {
    const figures = { base: [100, 200, 300], "here & <now>": [150, 200, 900] };
    const svg = plot([{ name: "a < b", figures }]);
    const widths = [...svg.matchAll(/<rect x="320" y="\d+" width="([0-9.]+)" height="9"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toEqual([240, 360]); // 480 wide for twice the first one; the ratios are 1.5, 1 and 3
    expect(svg.match(/<circle/g)).toHaveLength(6);
    expect(svg).toContain(">a &lt; b</text>");
    expect(svg).toContain(">here &amp; &lt;now></text>");
    expect(svg).not.toContain("NaN");
  });

  it("inverts figures where less is better, accepts missing rows and rounds, and is capped at a factor of four", () => {
    const svg = plot([
      { name: "CPU s", figures: { kairn: [2, 2, 2], anvil: [1, 2, 4], kcn: [40, 40] } },
      { name: "ms", isLessBetter: true, figures: { kairn: [200, 200, 200], anvil: [400, 400, 400] } },
    ]);
    const widths = [...svg.matchAll(/<rect x="320" y="\d+" width="([0-9.]+)" height="9"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toEqual([120, 120, 480, 120, 60]);
    expect(svg).toContain(">400</text>");
    expect(svg).not.toContain("NaN");
  });
});
