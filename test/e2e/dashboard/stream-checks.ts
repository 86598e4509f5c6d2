import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Page } from "playwright-core";
import { createNode, type Node } from "../../../src/node/create-node.ts";
import { createLogger } from "../../../src/platform/telemetry/logger.ts";
import { openPage } from "./browser.ts";
import { type Looked, urlOf } from "./checks.ts";

/** Checks of the event stream, and of a page whose node does not respond. */
export const streamChecks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "each event of the stream is shown: heads, removed blocks, samples, log lines"({ browser }) {
    const { logger } = createLogger({ verbosity: 0, format: "text", now: Date.now, write: () => undefined });
    const node = await createNode({ dashboard: { port: 0, publicRead: true }, logger });
    const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
    try {
      const { page, faults } = await openPage(browser, urlOf(node));
      await page.getByText("● live").waitFor();
      const snapshot = await ask("evm_snapshot");
      await ask("anvil_mine", "0x3");
      await newestBlock(page, 3);
      const [from] = (await ask("kaia_accounts")) as string[];
      await ask("kaia_sendTransaction", { typeInt: 8, from, to: from, value: "0x1", gas: "0x7530" });
      await page.getByRole("cell", { name: "Value transfer" }).waitFor();
      await ask("evm_revert", snapshot);
      await page.getByRole("link", { name: "#3", exact: true }).waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "Value transfer" }).waitFor({ state: "detached" });
      await newestBlock(page, 0);
      await page.goto(`${urlOf(node)}#/metrics`);
      const plots = page.getByRole("img", { name: /^Height: height \d/ });
      await plots.waitFor();
      await ask("anvil_mine", "0x7");
      await page.getByRole("img", { name: "Height: height 7" }).waitFor();
      await page.goto(`${urlOf(node)}#/logs`);
      await page.getByText("Lines, newest first").waitFor();
      await ask("personal_unlockAccount", from, "wrong", 1);
      await page.getByText("an account was not unlocked").waitFor();
      assert.deepEqual(faults, []);
      await page.context().close();
    } finally {
      await node.stop();
    }
  },

  async "a cut stream is reported, and what was missed is shown after reconnecting"({ browser }) {
    await withProxy(async (node, proxy) => {
      const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
      await ask("anvil_mine", "0x2");
      const { page } = await openPage(browser, proxy.url);
      await page.getByText("● live").waitFor();
      const snapshot = await ask("evm_snapshot");
      await ask("anvil_mine", "0x2");
      await newestBlock(page, 4);
      proxy.isOpen = false;
      proxy.cut();
      await page.getByText("○ offline").waitFor();
      await page.goto(`${proxy.url}#/accounts/0x${"12".repeat(20)}`);
      await page.getByText("the node does not respond").first().waitFor();
      await page.goto(`${proxy.url}#/`);
      await ask("evm_revert", snapshot); // replaces blocks 3 and 4
      await ask("anvil_mine", "0x4");
      proxy.isOpen = true;
      await page.getByText("● live").waitFor();
      await newestBlock(page, 6);
      await ask("evm_mine");
      await newestBlock(page, 7);
      assert.deepEqual(await blockNumbers(page), [7, 6, 5, 4, 3, 2, 1, 0]);
      await page.context().close();
    });
  },

  async "a refusing proxy is reported, and the page recovers"({ browser }) {
    await withProxy(async (_, proxy) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      let refusals = 0;
      await page.route("**/api", (route) => {
        refusals++;
        return refusals > 2 ? route.continue() : route.fulfill({ status: 502, body: "bad gateway\n" });
      });
      await page.goto(proxy.url);
      await page.getByText("bad gateway").waitFor();
      await page.getByRole("heading", { name: "Newest blocks" }).waitFor();
      assert.ok(refusals > 2);
      await context.close();
    });
  },
};

/** Waits until this is the first row of blocks. */
export async function newestBlock(page: Page, number: number): Promise<void> {
  await page
    .locator(`section[aria-label="Newest blocks"] tbody tr:first-child a[href="#/blocks/${number}"]`)
    .waitFor();
}

/** Numbers of the blocks shown. */
export function blockNumbers(page: Page): Promise<number[]> {
  const links = page.locator('section[aria-label="Newest blocks"] tbody a[href^="#/blocks/"]');
  return links.evaluateAll((found) =>
    found.map((one) => Number(one.getAttribute("href")?.split("/").at(-1))),
  );
}

/** A proxy between page and node that can cut connections. */
class CuttingProxy {
  isOpen = true;
  url = "";
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(target: () => number) {
    this.#server = createServer((near) => {
      if (!this.isOpen) return near.destroy();
      const far = connect(target(), "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one
          .on("error", () => undefined)
          .on("close", () => {
            this.#sockets.delete(one);
            other.destroy();
          });
        one.pipe(other);
      }
      return undefined;
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as { port: number };
    this.url = `http://127.0.0.1:${port}/`;
    return port;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

/** Runs a check of a page behind a proxy. @param check - may replace the node by a new one with an empty chain */
export async function withProxy(
  check: (node: Node, proxy: CuttingProxy, replace: () => Promise<Node>) => Promise<void>,
): Promise<void> {
  let node: Node | undefined;
  const proxy = new CuttingProxy(() => Number(new URL(urlOf(node as Node)).port));
  const port = await proxy.listen();
  try {
    // a host name with its own port is treated as a reverse proxy
    const create = () =>
      createNode({ dashboard: { port: 0, publicRead: true, hosts: [`127.0.0.1:${port}`] } });
    node = await create();
    await check(node, proxy, async () => {
      await node?.stop();
      node = await create();
      return node;
    });
  } finally {
    proxy.close();
    await node?.stop();
  }
}
