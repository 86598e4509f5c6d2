import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { freePort } from "./free-port.ts";
import { until } from "./json-rpc.ts";
import { temporaryFolder } from "./started-node.ts";

// All shell commands in README and guides work as documented. Files, hosts and ports that they mention as placeholders are
// provided.

const root = fileURLToPath(new URL("../..", import.meta.url));
const standIn = fileURLToPath(new URL("doc-commands/stand-in.mjs", import.meta.url));
const NODE_ID = "3f1c".repeat(32);
const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const MISSING = ["jq", "curl", "openssl"].filter((tool) => spawnSync(tool, ["--version"]).error);

/** Commands run before those of a file. */
const BEFORE: Readonly<Record<string, string>> = {
  "README.md": "kairn setup --validators 1 --dir own > /dev/null; cp own/genesis.json .; kairn dev",
  "docs/guide/dashboard.md": "kairn dev",
  "docs/guide/exposure.md": `kairn setup --validators 1 --dir own > /dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout privkey.pem -out fullchain.pem -subj /CN=localhost 2> /dev/null
chmod 600 privkey.pem; kairn init own/genesis.json`,
  "docs/guide/keys.md": `echo ${KEY.slice(2)} > FILE; echo passphrase > pass; export KAIRN_PASSWORD=pass
kairn setup --validators 1 --dir own > /dev/null; kairn init own/genesis.json`,
  "docs/guide/network.md": "kairn setup --validators 1 --dir own > /dev/null; cp own/genesis.json .",
  "docs/guide/operations.md": `kairn setup --validators 1 --dir own > /dev/null; kairn init own/genesis.json
mkdir -p /etc/kend/conf; echo RPC_ENABLE=1 > /etc/kend/conf/kend.conf`,
  "docs/guide/tracing.md": `kairn dev
HASH=$(curl -s -H 'content-type: application/json' http://127.0.0.1:8551 -d '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"value":"0x1","to":"0x${"11".repeat(20)}"}]}' | jq -r .result)`,
};

/** Lines tested elsewhere, and why. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["net/start.sh", "takes the ports of a network: test/network"],
  ...[
    "npm run cluster                # in a clone: a PostgreSQL, a writer, a standby, two followers, a client",
    "createdb kaia                                                   # owned by the user below",
    "kairn node --datadir /data/a --http --role writer --changelog.durability shared",
    "kairn node --datadir /data/b --http --role standby --changelog.durability shared   # with the writer's nodekey",
    "kairn node --datadir /data/c --http --role follower",
  ].map((line): [string, string] => [line, "needs a PostgreSQL: npm run test:cluster"]),
  ...[
    "createdb chain",
    "kairn node --sql postgres://kairn@127.0.0.1:5432/chain --sql.password-file /etc/kairn/sql-password",
  ].map((line): [string, string] => [line, "needs a PostgreSQL: npm run test:sql"]),
  ...[
    "kairn node --chaindatafetcher --chaindatafetcher.kafka.brokers 10.0.0.5:9092 \\",
    "--chaindatafetcher.kafka.topic.environment production --chaindatafetcher.kafka.topic.resource en-0",
  ].map((line): [string, string] => [line, "needs a broker: npm run test:stream"]),
]);

const files = ["README.md", ...markdownIn("docs/guide"), ...markdownIn("docs/recipes")];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

/** The blocks of shell commands of a file. */
function blocksOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
}

/** A folder with stand-ins for the programs of the commands. */
function programs(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["kairn", "npm", "docker"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${standIn}" ${name} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** Commands of a file, and the ports that they use. */
interface Commands {
  readonly text: string;
  readonly http: number | undefined;
  readonly ws: number | undefined;
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

async function runBlocks(file: string): Promise<Outcome> {
  const folder = temporaryFolder();
  try {
    return await runIn(folder, await commandsOf(file, folder));
  } finally {
    const pids = existsSync(join(folder, "pids"))
      ? readFileSync(join(folder, "pids"), "utf8").split("\n")
      : [];
    for (const pid of pids.filter(Boolean).map(Number)) await ended(pid);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function commandsOf(file: string, folder: string): Promise<Commands> {
  const [http, ws, feePayer, peers] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const text = [BEFORE[file] ?? "", ...blocksOf(file)]
    .join("\n")
    .split("\n")
    .filter((line) => !ELSEWHERE.has(line.trim()))
    .join("\n")
    .replaceAll("8551", String(http))
    .replaceAll("8560", String(feePayer))
    .replaceAll(":32323 ", `127.0.0.1:${peers} `)
    .replaceAll("203.0.113.5:32323", `127.0.0.1:${peers}`)
    .replaceAll("<128 hex digits>", NODE_ID)
    .replaceAll("/var/lib", folder)
    .replaceAll("/etc", folder)
    .replaceAll("/tmp/try", join(folder, "try"))
    .replaceAll("ACCOUNT", "0");
  return { text, http, ws };
}

async function runIn(folder: string, { text, http, ws }: Commands): Promise<Outcome> {
  const env = {
    PATH: `${programs(folder)}${delimiter}${process.env["PATH"]}`,
    ...{ HOME: folder, P2P_ADDR: "127.0.0.1", PORT: "0" },
    ...{ RPC_PORT: String(http), WS_PORT: String(ws) },
    DOC_PROGRAM: join(root, "bin", "kairn"),
    DOC_PIDS: join(folder, "pids"),
    DOC_MODULES: join(root, "test", "e2e", "node_modules"),
  };
  const child = spawn("bash", ["-euo", "pipefail", "-c", text], {
    ...{ cwd: folder, timeout: 100_000, env },
    stdio: ["ignore", "pipe", "pipe"], // with a socket bash would read its start-up files
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (said: string) => {
      output += said;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Interrupts a program and waits for its end. */
async function ended(pid: number): Promise<void> {
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  if (isThere()) process.kill(pid, "SIGINT");
  await until(
    async () => isThere(),
    (there) => !there,
  );
}

describe.skipIf(MISSING.length > 0)("commands in README and guides", () => {
  for (const file of files.filter((name) => blocksOf(name).length > 0)) {
    it.concurrent(`of ${file} work as documented`, async () => {
      const { code, output } = await runBlocks(file);
      expect(output).not.toMatch(/"error":/);
      expect(code, output).toBe(0);
    });
  }

  it("are in blocks marked as sh, so that none is missed", () => {
    const unmarked = files.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8").replace(
        /^```(sh|text|ts|js|json|toml|sql)\n[\s\S]*?^```$/gm,
        "",
      );
      return /^ *```/m.test(text.replace(/^ {2}```text\n[\s\S]*?^ {2}```$/gm, "")) ? [file] : [];
    });
    expect(unmarked).toEqual([]);
  });
});

describe("code of the recipes", () => {
  const excerpt = /^```(?:js|ts|toml)\n([\s\S]*?)^```$/gm;
  for (const file of markdownIn("docs/recipes")) {
    it(`of ${file} is part of tested programs that it names`, () => {
      const text = readFileSync(join(root, file), "utf8");
      const named = [...text.matchAll(/\]\(\.\.\/\.\.\/(examples\/[^)]+)\)/g)].map(([, path = ""]) => path);
      const programs = named.map((path) => readFileSync(join(root, path), "utf8"));
      for (const [, block = ""] of text.matchAll(excerpt))
        expect(
          programs.some((program) => program.includes(block)),
          block,
        ).toBe(true);
      expect(programs.length).toBeGreaterThan(0);
    });
  }
});
