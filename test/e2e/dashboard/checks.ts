import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { Node } from "../../../src/node/create-node.ts";
import { openPage } from "./browser.ts";
import { type Shown, shownScreens, transactionsByType } from "./screens.ts";

/** What checks look at. */
export interface Looked {
  readonly browser: Browser;
  readonly node: Node;
}

const NARROW = { width: 320, height: 700 };

/** Every check, by what it says. */
export const checks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "each screen is drawn without a fault, and from its own origin alone"({ browser, node }) {
    const { page, faults } = await openPage(browser, urlOf(node));
    for (const screen of await shownScreens(node)) await visit(page, node, screen);
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "each type of transaction can be read, with its signatures"({ browser, node }) {
    const { page, faults } = await openPage(browser, urlOf(node));
    const types = await transactionsByType(node);
    assert.ok(types.size >= 24, `only ${types.size} types in the chain`);
    for (const [type, { transactionHash: hash }] of types) {
      await visit(page, node, { name: type, path: `/transactions/${hash}`, text: "Signed by the sender" });
      const text = await page.locator("main").textContent();
      const words = type
        .replace("TxType", "")
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase();
      assert.ok(text?.toLowerCase().includes(words), `${type} is not named`);
      assert.ok(text?.includes("✓ valid"), `the signatures of ${type} are not found valid`);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "each screen keeps the rules of accessibility, light and dark"({ browser, node }) {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage(browser, urlOf(node), { colorScheme, bypassCSP: true });
      for (const screen of await shownScreens(node)) {
        await visit(page, node, screen);
        assert.deepEqual(await violationsOn(page), [], `${screen.name}, ${colorScheme}`);
      }
      await page.context().close();
    }
  },

  async "each screen fits into 320 pixels"({ browser, node }) {
    const { page } = await openPage(browser, urlOf(node), { viewport: NARROW });
    for (const screen of await shownScreens(node)) {
      await visit(page, node, screen);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= NARROW.width, `${screen.name} is ${width} pixels wide`);
    }
    await page.context().close();
  },
};

/** Where a node's page is. */
export function urlOf(node: Node): string {
  return node.endpoints.dashboard as string;
}

/** Goes to a screen and waits until it is there. */
export async function visit(page: Page, node: Node, { path, text }: Shown): Promise<void> {
  await page.goto(`${urlOf(node)}#${path}`);
  await page.getByText(text).first().waitFor();
  await page.locator(".waiting").waitFor({ state: "detached" });
}

async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: rules } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await rules.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}
