import assert from "node:assert/strict";
import { createNode } from "../../../src/node/create-node.ts";
import { openPage } from "./browser.ts";
import { allScreens, type Looked, linkOf, urlOf } from "./checks.ts";

/** Put in the place of every text of the node. */
const HOSTILE = "<img src=x onerror=document.title='taken'>\u202ejavascript:alert(1)\u0000\ud800";
/** Members that the page compares with words of its own. */
const WORDS = new Set(["methods", "kind", "level", "source", "mutability", "subscription"]);
const UNREADABLE = /[\u202e\p{Cs}]/u;

/** Checks of texts that a screen might show without a thought, and of links that any page may make. */
export const textChecks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "no text of the node misleads, wherever a screen shows it: labels, tooltips, headings"(looked) {
    for (const [node, screens] of await allScreens(looked)) {
      const { page, faults } = await openPage(looked.browser, urlOf(node));
      await page.route("**/api", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: JSON.stringify(replaced(await response.json())) });
      });
      await page.goto(`${linkOf(node)}`);
      for (const { path } of screens) {
        await page.goto(`${urlOf(node)}#${path}`);
        await page.locator("main > :not(h1)").first().waitFor();
        await page.locator("main .waiting").first().waitFor({ state: "detached" });
        const texts = await page.evaluate(() =>
          [...document.querySelectorAll("*")].flatMap((one) => [
            ...[...one.attributes].map(({ name, value }) => `${name}: ${value}`),
            ...[...one.childNodes]
              .filter(({ nodeType }) => nodeType === 3)
              .map((text) => text.nodeValue ?? ""),
          ]),
        );
        assert.deepEqual(
          texts.filter((text) => UNREADABLE.test(text)),
          [],
          path,
        );
        assert.equal(await page.locator("main img, main script, a[href^=javascript]").count(), 0, path);
      }
      assert.deepEqual(faults, []);
      await page.context().close();
    }
  },

  async "a link with any text is shown as text"({ browser, dev }) {
    const { page, faults } = await openPage(browser, urlOf(dev));
    for (const path of ["/blocks/", "/accounts/", "/transactions/", "/search/"]) {
      await page.goto(`${urlOf(dev)}#${path}${encodeURIComponent(HOSTILE.slice(0, -1) + "x".repeat(3_000))}`);
      await page.locator("main > :not(h1)").first().waitFor();
      const [title, text] = [await page.title(), (await page.locator("main").textContent()) ?? ""];
      assert.ok(!UNREADABLE.test(title + text) && title.length < 40 && text.length < 1_000, path);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "calls inside one another a thousand times are traced, and fit into 320 pixels"({ browser }) {
    const node = await createNode({ dashboard: { port: 0, publicRead: true } });
    const ask = <T>(method: string, ...params: unknown[]) =>
      node.provider.request({ method, params }) as Promise<T>;
    try {
      const [from] = await ask<string[]>("kaia_accounts");
      await ask("anvil_setCode", ADDRESS, RECURSION);
      const tx = { typeInt: 48, from, to: ADDRESS, value: "0x0", input: "0x", gas: "0x1dcd6500" };
      const hash = await ask<string>("kaia_sendTransaction", tx);
      const { page, faults } = await openPage(browser, urlOf(node), {
        viewport: { width: 320, height: 700 },
      });
      await page.goto(`${urlOf(node)}#/transactions/${hash}`);
      await page.getByRole("button", { name: "Trace this transaction" }).click();
      await page.getByText("more calls are not shown").waitFor();
      assert.equal(await page.locator(".tree .tree details").count(), 62);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
      assert.deepEqual(faults, []);
      await page.context().close();
    } finally {
      await node.stop();
    }
  },

  async "an ABI of 60 functions with 60 parameters each does not fill the page"({ browser }) {
    const node = await createNode({ dashboard: { port: 0, publicRead: true } });
    try {
      const { page } = await openPage(browser, urlOf(node));
      await node.provider.request({ method: "anvil_setCode", params: [ADDRESS, "0x00"] });
      await page.goto(`${urlOf(node)}#/accounts/${ADDRESS}/contract`);
      await page.getByLabel("ABI, or an artifact").fill(JSON.stringify(LARGE_ABI));
      await page.getByRole("button", { name: "Use this ABI" }).click();
      await page.getByText("Read (60)").waitFor();
      assert.equal(await page.locator("main input").count(), 0, "forms of closed functions are rendered");
      await page.getByText("f7", { exact: true }).click();
      await page.getByLabel("a59 (uint256)").waitFor();
      assert.equal(await page.locator("main input").count(), 60);
      await page.context().close();
    } finally {
      await node.stop();
    }
  },
};

/** Calls itself until its gas is used up. */
const RECURSION = "0x5f5f5f5f5f305af100";
const ADDRESS = `0x${"ab".repeat(20)}`;
const LARGE_ABI = Array.from({ length: 60 }, (_, i) => ({
  ...{ type: "function", name: `f${i}`, stateMutability: "view", outputs: [] },
  inputs: Array.from({ length: 60 }, (_, j) => ({ name: `a${j}`, type: "uint256" })),
}));

/** The same with every text replaced but hex, numbers and words of the interface. */
function replaced(value: unknown, name = ""): unknown {
  if (typeof value === "string")
    return WORDS.has(name) || /^(0x[0-9a-f]*|[\d.]+|[\w+/]{43}=)$/i.test(value) ? value : HOSTILE;
  if (Array.isArray(value)) return value.map((one) => replaced(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, key)]));
}
