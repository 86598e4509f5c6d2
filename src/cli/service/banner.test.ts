import { describe, expect, it } from "vitest";
import type { Node } from "../../node/create-node.ts";
import { type BannerFacts, bannerData, bannerText } from "./banner.ts";

const paint = {
  bold: (text: string) => text,
  dim: (text: string) => text,
  red: (text: string) => text,
  green: (text: string) => text,
};
const account = (n: number) => ({
  address: new Uint8Array(20).fill(n),
  privateKey: new Uint8Array(32).fill(n + 100),
});

/** A node with this many accounts at block 7. */
function facts(count: number, more: object = {}, rest: Partial<BannerFacts> = {}): BannerFacts {
  const node = {
    dev: {
      balance: 5n * 10n ** 18n,
      accounts: Array.from({ length: count }, (_, i) => account(i)),
      mnemonic: "one two",
      derivationPath: "m/44'/",
    },
    chain: {
      config: { chainId: 1337n, forks: { london: 0n, kaia: 9n } },
      genesisHash: new Uint8Array(32).fill(0xcd),
      head: { header: { number: 7n } },
    },
    endpoints: { http: "http://h", ws: "ws://w", ipc: "/i", feePayer: "http://f" },
    dashboardLink: () => "http://d",
    ...more,
  } as unknown as Node;
  return { node, dataDir: undefined, modules: ["eth", "net", "web3"], ...rest };
}

const row = (label: string, value: string) => `  ${label.padEnd(11)} ${value}\n`;

describe("the banner as text", () => {
  it("has accounts with keys, and a row for each fact", () => {
    const text = bannerText(facts(2), paint, Number.POSITIVE_INFINITY);
    expect(text).toMatch(/^\n {3}▲ {6}kairn v\d+\.\d+\.\d+\S*\n {2}▲▲▲/);
    expect(text).toContain("  Accounts each with 5 KAIA; the keys are public knowledge\n\n  (0) 0x00");
    expect(text).toContain(`  (1) 0x${"01".repeat(20)}  0x${"65".repeat(32)}\n\n`);
    const rows = [
      row("Mnemonic", "one two"),
      row("Path", "m/44'/…"),
      row("Chain id", "1337"),
      row("Block", "7"),
      row("Fork rules", "london, kaia at 9"),
      row("HTTP", "http://h"),
      row("WebSocket", "ws://w"),
      row("IPC", "/i"),
      row("Fee payer", "http://f"),
      row("Dashboard", "http://d"),
      row("Modules", "eth, net, web3"),
      row("Data", "in memory"),
    ];
    expect(text).toContain(rows.join(""));
    expect(text.endsWith("\n\n  Ctrl-C stops the node; the chain is discarded.\n\n")).toBe(true);
  });

  it("omits what is absent, and shows which chain it is a fork of", () => {
    const endpoints = { http: "http://h" };
    const plain = bannerText(
      facts(1, { endpoints, dev: undefined, dashboardLink: () => undefined }),
      paint,
      200,
    );
    for (const word of ["Accounts", "Mnemonic", "WebSocket", "Dashboard", "Fork  "])
      expect(plain).not.toContain(word);
    const fork = { origin: "http://o", blockNumber: 5n };
    expect(bannerText(facts(1, { fork }, { dataDir: "/data" }), paint, 200)).toMatch(
      /^ {2}Fork +block 5 of http:\/\/o$[\s\S]*^ {2}Data +\/data$[\s\S]*the chain is kept\./m,
    );
  });

  it("lists twenty accounts, and counts the others", () => {
    expect(bannerText(facts(20), paint, 200)).not.toContain("more");
    const text = bannerText(facts(23), paint, 200);
    expect(text).toContain("  (19) 0x");
    expect(text).not.toContain("  (20) 0x");
    expect(text).toContain("\n  … and 3 more\n");
  });

  it("wraps lines in a narrow terminal", () => {
    const widest = (text: string) => Math.max(...text.split("\n").map(({ length }) => length));
    expect(bannerText(facts(1), paint, 117)).toContain(`${"00".repeat(20)}  0x${"64".repeat(32)}\n`);
    const narrow = bannerText(facts(1), paint, 116);
    expect(narrow).toContain(`  (0) 0x${"00".repeat(20)}\n      0x${"64".repeat(32)}\n`);
    const modules = (columns: number) => {
      const lines = bannerText(facts(0), paint, columns).split("\n");
      const from = lines.findIndex((line) => line.startsWith("  Modules"));
      return lines
        .slice(
          from,
          lines.findIndex((line) => line.startsWith("  Data")),
        )
        .map((line) => line.slice(14));
    };
    expect(modules(28)).toEqual(["eth, net, web3"]);
    expect(modules(27)).toEqual(["eth, net,", "web3"]);
    expect(modules(10)).toEqual(["eth,", "net,", "web3"]);
    expect(widest(bannerText(facts(0), paint, 24).split("Modules")[1] ?? "")).toBeLessThan(60);
  });
});

it("the banner as data has the same facts", () => {
  const data = bannerData(facts(1));
  expect(data).toMatchObject({
    ...{ chainId: 1337, blockNumber: 7, genesisHash: `0x${"cd".repeat(32)}`, dataDir: null },
    ...{ modules: ["eth", "net", "web3"], mnemonic: "one two", derivationPath: "m/44'/" },
    accounts: [{ address: `0x${"00".repeat(20)}`, privateKey: `0x${"64".repeat(32)}` }],
  });
  expect(data).not.toHaveProperty("fork");
  const fork = { origin: "http://o", blockNumber: 5n };
  expect(bannerData(facts(1, { fork }, { dataDir: "/data" }))).toMatchObject({
    ...{ dataDir: "/data", fork: { url: "http://o", blockNumber: 5 } },
  });
});
