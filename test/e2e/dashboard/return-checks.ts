import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Node } from "../../../src/node/create-node.ts";
import { openPage } from "./browser.ts";
import { type Looked, linkOf, urlOf } from "./checks.ts";
import { blockNumbers, newestBlock, withProxy } from "./stream-checks.ts";

const UNKNOWN = `#/transactions/0x${"12".repeat(32)}`;

/** Checks of a page whose chain loses blocks or grows fast, and of one whose node was away. */
export const returnChecks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "blocks that the chain lost while the stream was cut are not shown"({ browser }) {
    await withProxy(async (node, proxy) => {
      await ask(node, "anvil_mine", "0x8");
      const { page } = await openPage(browser, proxy.url);
      await newestBlock(page, 8);
      proxy.isOpen = false;
      proxy.cut();
      await page.getByText("○ offline").waitFor();
      await ask(node, "anvil_rollback", "0x5");
      proxy.isOpen = true;
      await newestBlock(page, 3);
      assert.deepEqual(await blockNumbers(page), [3, 2, 1, 0]);
      assert.equal(await page.locator("li.height").textContent(), "#3");
      await page.context().close();
    });
  },

  async "a list that loses all of its blocks is filled with those below"({ browser }) {
    await withProxy(async (node, proxy) => {
      await ask(node, "anvil_mine", "0x64");
      const { page, faults } = await openPage(browser, proxy.url);
      await ask(node, "anvil_mine", "0x1");
      await newestBlock(page, 101);
      await ask(node, "anvil_rollback", "0x5a");
      await newestBlock(page, 11);
      assert.deepEqual(await blockNumbers(page), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      assert.deepEqual(faults, []);
      await page.context().close();
    });
  },

  async "a page outlives its node: it reads the next one, and signs in with a link pasted over its address"({
    browser,
  }) {
    await withProxy(async (node, proxy, replace) => {
      const controls = (page: Page) => page.getByRole("link", { name: "Dev controls" });
      await ask(node, "anvil_mine", "0x5");
      const { page } = await openPage(browser, linkAt(proxy.url, node));
      await newestBlock(page, 5);
      await controls(page).waitFor();
      proxy.isOpen = false;
      proxy.cut();
      await page.goto(`${proxy.url}#/accounts/0x${"12".repeat(20)}`);
      await page.getByText("the node does not respond").first().waitFor();
      const next = await replace();
      proxy.isOpen = true;
      await page.getByText("does not exist yet").waitFor();
      await page.getByText("● live").waitFor();
      await controls(page).waitFor({ state: "detached" });
      await page.goto(`${proxy.url}#/`);
      await newestBlock(page, 0);
      await page.goto(linkAt(proxy.url, next));
      await controls(page).waitFor();
      assert.equal(page.url(), `${proxy.url}#/`);
      await page.context().close();
    });
  },

  async "an invalid link pasted over the page's address does not end its session"({ browser, dev }) {
    const { page } = await openPage(browser, linkOf(dev));
    await page.getByRole("link", { name: "Dev controls" }).waitFor();
    const refused = page.waitForResponse("**/api/session");
    await page.goto(`${urlOf(dev)}#token=${"0".repeat(64)}`);
    assert.equal((await refused).status(), 401);
    await page.getByRole("link", { name: "Dev controls" }).click();
    await page.getByRole("heading", { name: "Dev controls" }).waitFor();
    await page.context().close();
  },

  async "a screen has one call under way, however fast the chain grows"({ browser }) {
    await withProxy(async (node, proxy) => {
      const { page } = await openPage(browser, proxy.url);
      await page.getByText("● live").waitFor();
      let [running, most, calls] = [0, 0, 0];
      await page.route("**/api", async (route) => {
        most = Math.max(most, ++running);
        calls++;
        await new Promise((resolve) => setTimeout(resolve, 400));
        await route.continue();
        running--;
      });
      await page.goto(`${proxy.url}${UNKNOWN}`);
      for (let i = 0; i < 15; i++) {
        await ask(node, "evm_mine");
        await page.waitForTimeout(120);
      }
      await page.getByText("The node knows no transaction with this hash").waitFor();
      assert.equal(most, 1);
      assert.ok(calls >= 2 && calls <= 8, `${calls} calls`);
      await page.context().close();
    });
  },
};

function linkAt(url: string, node: Node): string {
  return `${url}${new URL(linkOf(node)).hash}`;
}

function ask(node: Node, method: string, ...params: unknown[]): Promise<unknown> {
  return node.provider.request({ method, params });
}
