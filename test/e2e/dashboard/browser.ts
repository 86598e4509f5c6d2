import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Where systems put the browser; `KAIRN_CHROMIUM` names another. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; undefined where there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = [process.env["KAIRN_CHROMIUM"] ?? "", ...PLACES].find(
    (path) => path && existsSync(path),
  );
  if (executablePath === undefined) return undefined;
  // its sandbox needs what containers do not give
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
}

/** A page that notes what goes wrong in it: errors, violations of its policy, answers from elsewhere. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Opens a page with an eye on it. @param url - its own origin; no other may answer */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const own = new URL(url).origin;
  page.on("console", (message) => {
    if (message.type() === "error" || message.text().includes("Content Security Policy"))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("response", (response) => {
    const { origin, protocol } = new URL(response.url());
    if (origin !== own && protocol !== "data:" && protocol !== "blob:")
      faults.push(`an answer from ${response.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}
