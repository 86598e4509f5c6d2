import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { siteFiles } from "../../scripts/docs/site/site.ts";
import { openBrowser } from "./dashboard/browser.ts";

// The documentation in a real browser, from a local folder without a network; skipped without Chromium.

const folder = mkdtempSync(join(tmpdir(), "kairn-site-"));
const browser: Browser | undefined = await openBrowser();
if (browser === undefined) console.warn("not tested: no Chromium on this machine");

beforeAll(() => {
  for (const [path, content] of siteFiles(fileURLToPath(new URL("../..", import.meta.url)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

it.skipIf(browser === undefined)(
  "is searched offline, by keyboard, from a page in a subfolder",
  async () => {
    const context = await (browser as Browser).newContext({ offline: true });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.goto(pathToFileURL(join(folder, "docs/guide/keys.html")).href);
    await page.keyboard.press("/");
    await page.keyboard.type("fee payer");
    const results = page.locator("#results a");
    await results.filter({ hasText: /fee/i }).first().waitFor();
    await results.first().click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(page.url()).toMatch(/^file:.*\.html/);
    expect(page.url()).not.toContain("docs/guide/keys.html");
    await page.keyboard.press("/");
    await page.keyboard.type("dashboard");
    await results.first().waitFor();
    await page.keyboard.press("Escape");
    await results.first().waitFor({ state: "hidden" });
    expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  },
  60_000,
);
