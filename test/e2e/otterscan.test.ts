import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node/index.ts";
import { openBrowser } from "./dashboard/browser.ts";
import { token } from "./token.ts";

// Otterscan's own page in Chromium against a node. No package contains it: KAIRN_OTTERSCAN names the folder `dist` of a build of its
// repository (`npm ci --ignore-scripts && npx vite build`, MIT); without it, or without a browser, the test is skipped.

const DIST = process.env["KAIRN_OTTERSCAN"] ?? "";
const TYPES: Readonly<Record<string, string>> = {
  ...{ ".js": "text/javascript", ".css": "text/css", ".json": "application/json" },
  ".wasm": "application/wasm",
};
const REVERTING = `0x${"7e".repeat(20)}`;
/** `revert("no")` */
const REVERT_NO = [
  `0x7f${"08c379a0".padEnd(64, "0")}600052`,
  ...[`7f${"20".padStart(64, "0")}600452`, `7f${"2".padStart(64, "0")}602452`],
  `7f${"6e6f".padEnd(64, "0")}60445260646000fd`,
].join("");
/** The page probes contracts for interfaces; some of these calls revert. */
const REVERTED = 3;
const TIMEOUT_MS = 60_000;
const isHere = DIST !== "" && existsSync(join(DIST, "index.html"));
if (!isHere) console.warn("not tested: KAIRN_OTTERSCAN names no built page of Otterscan");

let node: Node;
let pages: Server;
let url: string;
let browser: Browser | undefined;

/** The page, with the node's address in its configuration. */
function servePage(rpc: string): Promise<Server> {
  const config = JSON.stringify({ erigonURL: rpc, assetsURLPrefix: "" });
  const server = createServer(({ url: target = "/" }, response) => {
    const path = normalize(new URL(target, "http://page").pathname);
    const file = join(DIST, path);
    const isView = /^\/($|block|tx|address)/.test(path);
    if (path === "/config.json") response.end(config);
    else if (isView)
      response.setHeader("content-type", "text/html").end(readFileSync(join(DIST, "index.html")));
    else if (existsSync(file))
      response.setHeader("content-type", TYPES[extname(file)] ?? "text/plain").end(readFileSync(file));
    else response.writeHead(404).end(); // names of functions, logos of tokens: not needed here
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function call(method: string, ...params: unknown[]): Promise<unknown> {
  return node.provider.request({ method, params });
}

describe.skipIf(!isHere)("Otterscan's page", () => {
  let from: string;
  let to: string;
  let transfer: string;
  let contract: string;
  let failed: string;

  beforeAll(async () => {
    node = await createNode({ http: { port: 0, origins: ["*"] } });
    [from = "", to = ""] = (await call("eth_accounts")) as string[];
    transfer = (await call("eth_sendTransaction", { from, to, value: "0xde0b6b3a7640000" })) as string;
    const data = `${token.bytecode}${(5).toString(16).padStart(64, "0")}`;
    const created = await call("eth_sendTransaction", { from, data, gas: "0x4c4b40" });
    const receipt = (await call("eth_getTransactionReceipt", created)) as { contractAddress: string };
    contract = receipt.contractAddress;
    await call("anvil_setCode", REVERTING, REVERT_NO);
    const refused = { from, to: REVERTING, data: "0xdeadbeef", gas: "0x186a0" };
    failed = (await call("eth_sendTransaction", refused)) as string;
    pages = await servePage(node.endpoints.http as string);
    url = `http://127.0.0.1:${(pages.address() as { port: number }).port}`;
    browser = await openBrowser();
    if (browser === undefined) console.warn("not tested: no Chromium");
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await node?.stop();
  });

  /** Opens a path and waits until each text is shown. @returns the errors of the node meanwhile */
  async function shows(path: string, texts: readonly (string | RegExp)[]): Promise<string[]> {
    const page: Page = await (browser as Browser).newPage();
    const refused: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().startsWith(node.endpoints.http as string)) return;
      const answers = [await response.json().catch(() => [])].flat();
      for (const { error } of answers)
        if (error !== undefined && error.code !== REVERTED) refused.push(error.message);
    });
    await page.goto(`${url}${path}`);
    for (const text of texts)
      await page
        .getByText(text)
        .first()
        .waitFor({ timeout: TIMEOUT_MS / 2 });
    await page.close();
    return refused;
  }

  it(
    "shows a block with its transactions",
    async ({ skip }) => {
      if (browser === undefined) skip();
      expect(await shows("/block/1", ["Block", /Gas Used/])).toEqual([]);
      expect(await shows("/block/1/txs", [new RegExp(transfer.slice(0, 10))])).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "shows a transaction, and one that failed",
    async ({ skip }) => {
      if (browser === undefined) skip();
      expect(await shows(`/tx/${transfer}`, ["Success", /Block \/ Position/])).toEqual([]);
      expect(await shows(`/tx/${failed}`, [/Fail with revert message/])).toEqual([]);
      expect(await shows(`/tx/${failed}/trace`, [/0xdeadbeef|deadbeef/i])).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "shows an account with its transactions, and a contract",
    async ({ skip }) => {
      if (browser === undefined) skip();
      expect(await shows(`/address/${to}`, [/Balance/, new RegExp(transfer.slice(0, 10))])).toEqual([]);
      expect(await shows(`/address/${contract}`, [/Contract Creator/i])).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
