import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as client from "../../../api/client/index.ts";
import * as kairn from "../../index.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Files that declare what users import, with the exports that have an example. */
const EXPLAINED: Readonly<Record<string, readonly string[]>> = {
  "src/node/create-node.ts": ["dashboardLink", "watch", "createNode"],
  "src/node/node-options.ts": ["NodeOptions"],
  "src/wallet/wallet.ts": ["Keystore"],
  "src/api/client/client.ts": ["createClient"],
  "src/api/client/http.ts": ["httpRequest"],
  "src/api/client/provider.ts": ["remoteProvider"],
  "src/api/client/local-account.ts": ["localAccount"],
  "src/api/client/websocket.ts": ["connect"],
};
/** Functions explained by their name and type. */
const PLAIN = ["bytesToHex", "hexToBytes", "transactionType"];

/** Names that examples assume: the reader's own values, and exports of other libraries. */
const ASSUMED = `
declare const address: Uint8Array;
declare const hash: Uint8Array;
declare const privateKey: Uint8Array;
declare const to: Uint8Array;
declare const url: string;
declare const createPublicClient: (options: object) => unknown;
declare const custom: (provider: { request(call: { method: string; params?: readonly unknown[] }): Promise<unknown> }) => object;
declare const WebSocket: new (url: string) => client.WebSocketLike;
`;

/** The examples of a file, by the name that is declared after each. */
function examplesOf(path: string): Map<string, string> {
  const found = new Map<string, string>();
  const text = readFileSync(join(root, path), "utf8");
  for (const part of text.split("@example\n").slice(1)) {
    const end = part.indexOf("*/");
    const code = part.slice(0, end).replace(/^ *\* ?/gm, "");
    const declared = part
      .slice(end + 2)
      .replace(/^(\s|export|async|function|interface|class)+(?= \w|\w)/, "");
    found.set(/\w+/.exec(declared)?.[0] ?? "", code);
  }
  return found;
}

function compile(codes: readonly string[]): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "examples-"));
  try {
    const values = (from: object) => Object.keys(from).join(", ");
    const head = `import * as kairn from "../../../src/node/index.ts";
import type { NodeOptions } from "../../../src/node/index.ts";
import * as client from "../../../src/api/client/index.ts";
const { ${values(kairn)} } = kairn;
const { ${values(client)} } = client;
declare const node: kairn.Node;
${ASSUMED}`;
    for (const [at, code] of codes.entries())
      writeFileSync(join(folder, `${at}.ts`), `${head}\nexport async function example() {\n${code}\n}\n`);
    const compilerOptions = { noEmit: true, rootDir: root, composite: false };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions,
        include: ["*.ts"],
        exclude: [],
      }),
    );
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("examples in docstrings of what users import", () => {
  const examples = Object.entries(EXPLAINED).map(([path, names]) => ({ names, found: examplesOf(path) }));

  it("exist for every function but the simplest", () => {
    for (const { names, found } of examples) expect([...found.keys()]).toEqual(names);
    const named = examples.flatMap(({ names }) => names);
    const functions = [...Object.entries(kairn), ...Object.entries(client)]
      .filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name))
      .map(([name]) => name);
    expect(functions.filter((name) => !named.includes(name)).sort()).toEqual(PLAIN);
  });

  it("compile", { timeout: 120_000 }, () => {
    const wrong = "await createNode({ accounts: 3 });";
    const codes = [...examples.flatMap(({ found }) => [...found.values()]), wrong];
    const faults = compile(codes).match(/^.*error TS.*$/gm);
    expect(faults).toEqual([expect.stringMatching(`/${codes.length - 1}\\.ts.*'accounts' does not exist`)]);
  });
});

/** Code of the page itself, which its own sources show better. */
const NOT_FOR_USERS = "docs/guide/dashboard.md";

/** The TypeScript of a page of documentation as one program: each block may use what earlier blocks declare. */
function programOf(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => !/from "(?!kairn)/.test(block)); // other libraries': the recipes, which are run
  const own = blocks.map((block) => block.replace(/^import .* from "kairn.*";\n/gm, ""));
  return own.join("{\n") + "}".repeat(Math.max(0, own.length - 1));
}

it("code in README and guides compiles", { timeout: 120_000 }, () => {
  const guides = readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`);
  const codes = ["README.md", ...guides].filter((file) => file !== NOT_FOR_USERS).map(programOf);
  const written = codes.filter((code) => code !== "");
  expect(written.length).toBeGreaterThan(3);
  const faults = compile([...written, "createNode(1);"]).match(/^.*error TS.*$/gm);
  expect(faults).toEqual([expect.stringMatching(`/${written.length}\\.ts`)]);
});
