import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Usual places of the browser; `KAIRN_CHROMIUM` names another. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; undefined if there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = [process.env["KAIRN_CHROMIUM"] ?? "", ...PLACES].find(
    (path) => path && existsSync(path),
  );
  if (executablePath === undefined) return undefined;
  // its sandbox does not work in containers
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
}

/** A page that records problems: errors, violations of its content security policy, responses from other origins. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Opens a watched page. @param url - its own origin; no other may respond */
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
      faults.push(`a response from ${response.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}
