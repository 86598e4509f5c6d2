import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { devNodeOptions } from "../../node/options/index.ts";
import { runCommandLine } from "../run.ts";
import { REFERENCE_FLAGS } from "./reference-flags.ts";
import { readReferenceProperties } from "./reference-properties.ts";

const read = (properties: Record<string, string>) =>
  readReferenceProperties(properties, devNodeOptions, REFERENCE_FLAGS);

it("maps networks, unless a network id is given", () => {
  for (const [name, option] of [
    ["mainnet", "mainnet"],
    ["cypress", "mainnet"],
    ["kairos", "testnet"],
    ["baobab", "testnet"],
  ] as const)
    expect(read({ NETWORK: name, NETWORK_ID: "" })).toEqual({ settings: { [option]: "true" }, unknown: [] });
  expect(read({ NETWORK: "kairos", NETWORK_ID: "7" })).toEqual({
    settings: { NETWORK_ID: "7" },
    unknown: ["NETWORK"],
  });
  expect(() => read({ NETWORK: "ropsten" })).toThrow('NETWORK: "ropsten" is not mainnet or kairos');
});

it("expands variables and skips empty values", () => {
  const properties = {
    BASE: "/var",
    DATA_DIR: `$BASE/$\{NODE}`,
    LOG_DIR: "",
    MAXCONNECTIONS: "3",
    NODE: "$NODE$NODE",
  };
  expect(read(properties)).toEqual({
    settings: { DATA_DIR: "/var/", maxconnections: "3" },
    unknown: ["BASE"],
  });
});

it("reads additional flags, which take precedence, and reports those without effect", () => {
  const additional =
    "--txpool.nolocals --rpcport=9 --snapshot --cache.type 2 --strange 3 --stranger --gcmode archive";
  expect(read({ ADDITIONAL: additional })).toEqual({
    settings: { "txpool.nolocals": "true", rpcport: "9", gcmode: "archive" },
    unknown: ["--snapshot", "--cache.type", "--strange", "--stranger"],
  });
  expect(() => read({ ADDITIONAL: "rpcport" })).toThrow("ADDITIONAL: rpcport is not a flag");
  expect(() => read({ ADDITIONAL: "--rpcport" })).toThrow("ADDITIONAL: --rpcport needs a value");
});

it("configures a node, and reports in one line what has no effect", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-conf-"));
  const file = join(folder, "kend.conf");
  const lines = [
    'NETWORK="kairos"',
    ...["NETWORK_ID=", "SYNCMODE=full", "RPC_ENABLE=1 # serves", "RPC_PORT=9001", "PORT=40001"],
    ...["SUBPORT=$((PORT + 1))", "AUTO_RESTART=0", 'ADDITIONAL="--rpcport 9002"'],
  ];
  writeFileSync(file, `# settings\n${lines.join("\n")}\n`);
  const written = { out: "", err: "" };
  const stream = (key: "out" | "err") => ({ write: (text: string) => (written[key] += text) });
  const terminal = { env: {}, stdout: stream("out"), stderr: stream("err") };
  try {
    const code = await runCommandLine(["config", "show", "--config", file], terminal as never);
    expect({ code, err: written.err }).toEqual({
      code: 0,
      err: `kairn: without effect in ${file}: AUTO_RESTART, SUBPORT, SYNCMODE\n`,
    });
    expect(written.out).toMatch(/rpcport\s+9002\s.*file/);
    expect(written.out).toMatch(/testnet\s+true\s.*file/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
