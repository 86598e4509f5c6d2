import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { api } from "./spec/api.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** Names of the reference node's methods by namespace, read from a running v2.2.1. */
const reference = JSON.parse(read("test/fixtures/reference-methods.json")) as Record<string, string[]>;
const methods = Object.entries(reference).flatMap(([namespace, names]) =>
  names.map((name) => `${namespace}_${name}`),
);
/** Not declared as methods here: every namespace with subscriptions has them. */
const special = new Set(["kaia_subscribe", "kaia_unsubscribe", "debug_traceChain"]);
const page = read("docs/reference/method-coverage.md");
const leftOut = page.slice(page.indexOf("## Left out"));

describe("docs/reference/method-coverage.md", () => {
  it("names exactly the reference's methods that are not served", () => {
    const missing = methods.filter((name) => !(name in api) && !special.has(name));
    const named = [...leftOut.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual(missing.sort());
  });

  it("counts the reference's methods", () => {
    expect(page).toContain(`serves ${methods.length} methods`);
  });
});
