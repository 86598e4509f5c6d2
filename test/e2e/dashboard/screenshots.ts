import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openPage } from "./browser.ts";
import { allScreens, type Looked, linkOf, visit } from "./checks.ts";

const WIDE = { width: 1280, height: 860 };
const MODES = {
  light: { colorScheme: "light", viewport: WIDE },
  dark: { colorScheme: "dark", viewport: WIDE },
  narrow: { colorScheme: "light", viewport: { width: 320, height: 700 } },
} as const;

/** Saves a screenshot of each screen: light, dark, and 320 pixels wide. */
export async function keepScreenshots(looked: Looked, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [mode, options] of Object.entries(MODES))
    for (const [node, screens] of await allScreens(looked)) {
      const { page } = await openPage(looked.browser, linkOf(node), options);
      for (const screen of screens) {
        await visit(page, node, screen);
        await prepare(page, screen.name);
        await page.screenshot({ path: join(folder, `${screen.name}-${mode}.png`), animations: "disabled" });
      }
      await page.context().close();
    }
}

/** Fills in the content of a screenshot. */
async function prepare(page: Page, name: string): Promise<void> {
  if (name !== "key-editor") return;
  await page.getByLabel("Key: type").selectOption("multisig");
  for (const [i, key] of SHOWN_KEYS.entries())
    await page.getByLabel(`Key: key ${i + 1}`, { exact: true }).fill(key);
  await page.getByText("This locks you out").waitFor();
}

const SHOWN_KEYS = [
  "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  "0x02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
];
