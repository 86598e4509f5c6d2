import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { cachedPage } from "../../../scripts/build-dashboard.mjs";
import { type Looked, linkOf, urlOf } from "./checks.ts";

const OPENINGS = 12;
const SECONDS = 10;
const PER_SECOND = 500;
const BLOCKS = 10_000;
/** Maximum rows of tables, however many transactions arrive. */
const MAX_ROWS = 200;
/** Maximum growth of the page's heap. */
const MAX_GROWTH = 20 << 20;

/** Asserts that rows and memory stay bounded; prints size, time to first paint, frame times and memory. */
export async function measure({ browser, dev }: Looked): Promise<void> {
  const files = readdirSync(cachedPage, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const sizes = files.map(
    ({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name)), { level: 9 }).length,
  );
  console.log(`all files, gzipped: ${sizes.reduce((sum, one) => sum + one, 0)} bytes`);
  const paints: number[] = [];
  const contents: number[] = [];
  for (let i = 0; i < OPENINGS; i++) {
    const page = await browser.newPage();
    await page.goto(urlOf(dev));
    await page.getByText("Newest blocks").first().waitFor();
    contents.push(await page.evaluate(() => performance.now()));
    paints.push(
      await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
    );
    await page.close();
  }
  console.log(`first paint: ${paints.map((ms) => Math.round(ms)).join(", ")} ms`);
  console.log(`lists are shown: ${contents.map((ms) => Math.round(ms)).join(", ")} ms`);
  const page = await browser.newPage();
  await page.goto(`${linkOf(dev)}`);
  await page.getByText("Newest transactions").first().waitFor();
  await measureLive(page, { browser, dev } as Looked);
  await measureMemory(page, { browser, dev } as Looked);
  await page.close();
}

/** As text: a named function would need a helper of the compiler in the page. */
const WATCH_FRAMES = `{
  window.gaps = [];
  let last = performance.now();
  window.nextFrame = (now) => {
    window.gaps.push(now - last);
    last = now;
    requestAnimationFrame(window.nextFrame);
  };
  requestAnimationFrame(window.nextFrame);
}`;

/** Measures frame times while transactions arrive. */
async function measureLive(page: Page, { dev }: Looked): Promise<void> {
  const ask = (method: string, ...params: unknown[]) => dev.provider.request({ method, params });
  await ask("evm_setIntervalMining", 1);
  const [, , from, to] = (await ask("kaia_accounts")) as string[];
  await page.evaluate(WATCH_FRAMES);
  const begin = performance.now();
  let sent = 0;
  while (performance.now() - begin < SECONDS * 1_000) {
    const due = ((performance.now() - begin) / 1_000) * PER_SECOND;
    while (sent < due) {
      const many = Math.min(50, Math.ceil(due - sent));
      const transfer = { typeInt: 8, from, to, value: "0x1", gas: "0x7530" };
      await Promise.all(Array.from({ length: many }, () => ask("kaia_sendTransaction", transfer)));
      sent += many;
      if (performance.now() - begin > SECONDS * 1_000) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ask("evm_setIntervalMining", 0);
  const gaps = (await page.evaluate(() => (window as unknown as { gaps: number[] }).gaps)).sort(
    (a, b) => a - b,
  );
  const at = (share: number) => Math.round(gaps[Math.floor(gaps.length * share)] ?? 0);
  const rows = await page.locator("tr").count();
  const rate = Math.round(sent / SECONDS);
  assert.ok(rows <= MAX_ROWS, `${rows} rows`);
  console.log(`at ${rate} transactions a second: frames p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; ${rows} rows`);
}

/** Measures the page's heap before and after many blocks. */
async function measureMemory(page: Page, { dev }: Looked): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const heap = async (): Promise<number> => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  };
  const before = await heap();
  for (let mined = 0; mined < BLOCKS; mined += 500)
    await dev.provider.request({ method: "anvil_mine", params: ["0x1f4"] });
  await page.waitForTimeout(1_000);
  const after = await heap();
  assert.ok(after - before < MAX_GROWTH, `the page grew from ${before} to ${after} bytes`);
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  console.log(`heap of the page: ${mib(before)} MiB, ${mib(after)} MiB after ${BLOCKS} blocks`);
}
