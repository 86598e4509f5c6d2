import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createNode } from "../../src/node/index.ts";

const ops = (name: string) => readFileSync(new URL(`../../ops/${name}`, import.meta.url), "utf8");
const namesIn = (text: string) => new Set(text.match(/klaytn_\w+/g));

describe("names in ops/", () => {
  it.each([
    ["grafana-dashboard.json", 30],
    ["alerts.yml", 8],
  ])("are exported by a running node: %s", async (file, min) => {
    await using node = await createNode({ metrics: { port: 0 }, http: { port: 0 } });
    const url = node.endpoints.metrics as string;
    const exported = namesIn(await (await fetch(url)).text());
    const named = namesIn(ops(file));
    expect(named.size).toBeGreaterThan(min);
    // a node without peers has no traffic to measure
    const missing = [...named].filter((name) => !exported.has(name) && !name.startsWith("klaytn_p2p_"));
    expect(missing).toEqual([]);
  });

  it("include only existing flags", async () => {
    const { nodeOptions, devNodeOptions } = await import("../../src/node/options/index.ts");
    const flagsOf = (options: object) =>
      new Set(Object.values(options).flatMap(({ flag, aliases = [] }) => [flag, ...aliases]));
    const [unit, container] = [ops("kairn.service"), ops("Containerfile")];
    const given = (line: string | undefined) =>
      [...(line ?? "").matchAll(/--([a-z0-9.-]+)/g)].map(([, name]) => name);
    const started = given(unit.match(/ExecStart=.*/)?.[0]);
    expect(started.length).toBeGreaterThan(2);
    for (const flag of started) expect(flagsOf(nodeOptions)).toContain(flag);
    const contained = given(container.match(/^CMD \["dev".*/m)?.[0]);
    expect(contained.length).toBeGreaterThan(2);
    for (const flag of contained) expect(flagsOf(devNodeOptions)).toContain(flag);
  });
});
