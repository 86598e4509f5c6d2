import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import type { Node } from "../../../src/node/create-node.ts";
import { callAs, sessionOf } from "../../../src/node/testing/page-client.ts";
import { openPage } from "./browser.ts";
import { devScreens, type Shown, shownScreens, transactionsByType } from "./screens.ts";
import { HOSTILE } from "./seeded-node.ts";

/** The browser and nodes of the checks. */
export interface Looked {
  readonly browser: Browser;
  /** With a recorded chain of all types. */
  readonly node: Node;
  /** A development chain, on which the page has all permissions. */
  readonly dev: Node;
}

/** Every screen, with the node it is shown for. */
export async function allScreens({
  node,
  dev,
}: Looked): Promise<readonly (readonly [Node, readonly Shown[]])[]> {
  return [
    [node, await shownScreens(node)],
    [dev, await devScreens(dev)],
  ];
}

const NARROW = { width: 320, height: 700 };
/** 1280 by 800 at a zoom of 200 %. */
const ZOOMED = { width: 640, height: 400 };

/** All checks, by title. */
export const checks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "each screen renders without errors, from its own origin only"(looked) {
    for (const [node, screens] of await allScreens(looked)) {
      const { page, faults } = await openPage(looked.browser, linkOf(node));
      for (const screen of screens) await visit(page, node, screen);
      assert.deepEqual(faults, []);
      await page.context().close();
    }
  },

  async "each type of transaction is shown with its signatures"({ browser, node }) {
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
      assert.ok(text?.includes("✓ valid"), `the signatures of ${type} are not shown as valid`);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "each screen passes the accessibility rules, light and dark"(looked) {
    for (const colorScheme of ["light", "dark"] as const)
      for (const [node, screens] of await allScreens(looked)) {
        const { page } = await openPage(looked.browser, linkOf(node), { colorScheme, bypassCSP: true });
        for (const screen of screens) {
          await visit(page, node, screen);
          assert.deepEqual(await violationsOn(page), [], `${screen.name}, ${colorScheme}`);
        }
        await page.context().close();
      }
  },

  async "each screen fits into 320 pixels, and at a zoom of 200 %"(looked) {
    for (const [viewport, deviceScaleFactor] of [
      [NARROW, 1],
      [ZOOMED, 2],
    ] as const)
      for (const [node, screens] of await allScreens(looked)) {
        const { page } = await openPage(looked.browser, linkOf(node), { viewport, deviceScaleFactor });
        for (const screen of screens) {
          await visit(page, node, screen);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `${screen.name} is ${width} pixels wide`);
        }
        await page.context().close();
      }
  },

  async "hostile texts are shown, never executed"({ browser, dev }) {
    const { page, faults } = await openPage(browser, linkOf(dev));
    const rows = await ask<{ hash: string; type: string; to: string }[]>(dev, "dashboard_transactions", 20);
    const memo = rows.find(({ type }) => type === "ValueTransferMemo");
    const failed = rows.find(({ to }) => to === HOSTILE);
    await visit(page, dev, { name: "", path: `/transactions/${memo?.hash}`, text: "Payload" });
    const shown = (await page.locator("main").textContent()) ?? "";
    assert.ok(
      shown.includes("<img src=x onerror=") && shown.includes("\\u{202e}gnp.exe"),
      "the memo is not shown as text",
    );
    assert.ok(!shown.includes("\u202e"), "a bidirectional control character is not escaped");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `stacked marks make the page ${wide} pixels too wide`);
    await visit(page, dev, {
      name: "",
      path: `/transactions/${failed?.hash}`,
      text: "Trace this transaction",
    });
    await page.getByRole("button", { name: "Trace this transaction" }).click();
    await page.getByText("<img src=x onerror=").first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.ok(!(await page.title()).includes("taken"));
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "a key that would lock out its owner causes a warning and a confirmation"({ browser, dev }) {
    const { page, faults } = await openPage(browser, linkOf(dev));
    const [, editor] = [0, (await devScreens(dev)).find(({ name }) => name === "key-editor") as Shown];
    await visit(page, dev, editor);
    await page.getByLabel("Key: type").selectOption("fail");
    await page.getByText("This locks you out").waitFor();
    await page.getByText("Nobody will ever be able to change this account's key again.").waitFor();
    await page.getByRole("button", { name: "Preview the transaction" }).click();
    await page.getByRole("alertdialog").getByText("Encoded key").waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "sending on a production chain requires typing its id"({ browser, node }) {
    const { page } = await openPage(browser, linkOf(node));
    const account = `0x${"12".repeat(20)}`;
    await visit(page, node, { name: "", path: `/accounts/${account}/key`, text: "What it means" });
    await page.getByLabel("Key: type").selectOption("legacy");
    await page.getByRole("button", { name: "Preview the transaction" }).click();
    const panel = page.getByRole("alertdialog");
    const confirm = panel.getByRole("button", { name: "Confirm" });
    assert.ok(await confirm.isDisabled(), "it can be sent without confirmation");
    await panel.getByLabel("This is not a development chain").fill("1337");
    assert.ok(await confirm.isDisabled(), "another chain's id is accepted");
    await panel.getByLabel("This is not a development chain").fill("2019");
    assert.ok(await confirm.isEnabled(), "its own id is not accepted");
    await page.context().close();
  },

  async "a transaction is signed by two signers and sent"({ browser, dev }) {
    const { page, faults } = await openPage(browser, linkOf(dev));
    const accounts = await ask<string[]>(dev, "kaia_accounts");
    const [owner, second] = accounts.slice(4, 6) as [string, string];
    const keys = [
      await ask(dev, "dashboard_publicKey", owner),
      await ask(dev, "dashboard_publicKey", second),
    ];
    const key = { keyType: 4, key: { threshold: 2, keys: keys.map((one) => ({ weight: 1, key: one })) } };
    await dev.provider.request({
      method: "kairn_setAccountKey",
      params: [owner, (await ask<{ result: unknown }>(dev, "dashboard_examineKey", owner, key)).result],
    });
    await visit(page, dev, { name: "", path: "/multisig", text: "Start a transfer" });
    await page.getByLabel("From (the account").fill(owner);
    await page.getByLabel("To", { exact: true }).fill(second);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    for (const [i, signer] of [owner, second].entries()) {
      await page.getByText("signatures missing").waitFor();
      await page.getByLabel("Sign with the key of").selectOption(signer);
      await page.getByRole("button", { name: "Sign", exact: true }).click();
      await page
        .getByText(i === 0 ? "1 of 2" : "ready to send")
        .first()
        .waitFor();
    }
    await page.getByRole("button", { name: "Send…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Confirm" }).click();
    await page.getByText("in the pool", { exact: true }).waitFor();
    await dev.provider.request({ method: "evm_mine", params: [] });
    const [row] = await ask<{ from: string; ok: boolean }[]>(dev, "dashboard_transactions", 1);
    assert.ok(row?.ok, "it was not mined");
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "an account sends KAIA, and another one pays part of the fee"({ browser, dev }) {
    const { page, faults } = await openPage(browser, linkOf(dev));
    const [from, payer] = (await ask<string[]>(dev, "kaia_accounts")).slice(6, 8) as [string, string];
    await visit(page, dev, { name: "", path: `/accounts/${from}`, text: "Send KAIA" });
    await page.getByLabel("To", { exact: true }).fill(payer);
    await page.getByLabel("KAIA", { exact: true }).fill("2.5");
    await page.getByLabel("Fee payer", { exact: true }).selectOption(payer);
    await page.getByLabel("Its share in percent").fill("30");
    await page.getByRole("button", { name: "Preview…" }).click();
    const panel = page.getByRole("alertdialog");
    await panel.getByText("2.5 KAIA").waitFor();
    await panel.getByText("30 %").waitFor();
    await panel.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("in the pool", { exact: true }).waitFor();
    await dev.provider.request({ method: "evm_mine", params: [] });
    await page.getByText("✓ ok").first().waitFor();
    await page.getByText("Fee delegated value transfer with ratio").first().waitFor();
    assert.equal(await page.getByText("✓ valid").count(), 2);
    assert.deepEqual(faults, []);
    await page.context().close();
  },

  async "a screen requested while the first one renders is shown"({ browser, node }) {
    const { page } = await openPage(browser, urlOf(node));
    await page.addInitScript(() => {
      const drawn = new MutationObserver(() => {
        if (document.querySelector("main") === null) return;
        drawn.disconnect();
        window.location.hash = "/blocks"; // before the effects of the first screen
      });
      drawn.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Blocks", exact: true, level: 1 }).waitFor();
    await page.context().close();
  },

  async "a page is usable by keyboard only"({ browser, dev }) {
    const { page } = await openPage(browser, linkOf(dev));
    await page.getByText("Newest transactions").first().waitFor();
    await page.keyboard.press("Tab");
    assert.match((await focused(page)) ?? "", /Skip to the content/);
    for (let i = 0; i < 40 && (await focused(page)) !== "Dev controls"; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Dev controls" }).waitFor();
    await page.context().close();
  },
};

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.textContent?.trim());
}

/** Calls the node like a page, with its own session. */
async function ask<T>(node: Node, method: string, ...params: readonly unknown[]): Promise<T> {
  let session = sessions.get(node);
  if (session === undefined) {
    session = await sessionOf(node);
    sessions.set(node, session);
  }
  const { result, error } = JSON.parse((await callAs(node, session, method, params)).body);
  if (error !== undefined) throw new Error(error.message);
  return result as T;
}

const sessions = new WeakMap<Node, string>();

/** A link that gives a page all permissions. */
export function linkOf(node: Node): string {
  return node.dashboardLink() as string;
}

/** URL of a node's dashboard. */
export function urlOf(node: Node): string {
  return node.endpoints.dashboard as string;
}

/** Opens a screen and waits until it is shown. */
export async function visit(page: Page, node: Node, { path, text }: Shown): Promise<void> {
  await page.goto(`${urlOf(node)}#${path}`);
  await page
    .getByText(text)
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      const shown = await page.locator("body").textContent();
      throw new Error(`${path} shows no “${text}”, but: ${shown}`, { cause });
    });
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
