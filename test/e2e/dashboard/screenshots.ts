import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPage } from "./browser.ts";
import { type Looked, urlOf, visit } from "./checks.ts";
import { shownScreens } from "./screens.ts";

const WIDE = { width: 1280, height: 860 };
const MODES = {
  light: { colorScheme: "light", viewport: WIDE },
  dark: { colorScheme: "dark", viewport: WIDE },
  narrow: { colorScheme: "light", viewport: { width: 320, height: 700 } },
} as const;

/** Keeps what each screen looks like: light, dark, and 320 pixels wide. */
export async function keepScreenshots(looked: Looked, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [mode, options] of Object.entries(MODES)) {
    const { page } = await openPage(looked.browser, urlOf(looked.node), options);
    for (const screen of await shownScreens(looked.node)) {
      await visit(page, looked.node, screen);
      await page.screenshot({ path: join(folder, `${screen.name}-${mode}.png`), animations: "disabled" });
    }
    await page.context().close();
  }
}
