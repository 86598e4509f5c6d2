import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createNode, type Node } from "../../../src/node/create-node.ts";
import { FakeBus } from "../../../src/wallet/hardware/testing/fake-bus.ts";
import { FakeKeys } from "../../../src/wallet/hardware/testing/fake-keys.ts";
import { FakeLedger } from "../../../src/wallet/hardware/testing/fake-ledger.ts";
import { FakeTrezor } from "../../../src/wallet/hardware/testing/fake-trezor.ts";
import { openPage } from "./browser.ts";
import { type Looked, linkOf, visit } from "./checks.ts";

/** Keys that the development chain does not hold. */
const KEYS = new FakeKeys("zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong");
const KEY_STORE = { name: "", path: "/keystore", text: "Import a key" };

/** Checks of the keystore, each on its own node with cheap key files and simulated devices. */
export const keyChecks: Readonly<Record<string, (looked: Looked) => Promise<void>>> = {
  async "a key is created, its passphrase changed, and only the new one unlocks it"(looked) {
    await onKeyStore(looked, new FakeBus(), async (page) => {
      const making = page.getByRole("form", { name: "Create a key" });
      await making.getByLabel("Passphrase", { exact: true }).fill("first");
      await making.getByLabel("Repeat the passphrase").fill("second");
      await making.getByText("The passphrases differ.").waitFor();
      assert.ok(await making.getByRole("button", { name: "Create a key" }).isDisabled());
      await making.getByLabel("Repeat the passphrase").fill("first");
      await making.getByRole("button", { name: "Create a key" }).click();
      const key = page.getByRole("listitem").filter({ hasText: "keystore://" });
      await key.getByText("locked", { exact: true }).waitFor();
      await key.getByRole("button", { name: "Passphrase…" }).click();
      await key.getByLabel("Current passphrase").fill("first");
      await key.getByLabel("New passphrase").fill("better");
      await key.getByLabel("Repeat the passphrase").fill("better");
      await key.getByRole("button", { name: "Change the passphrase" }).click();
      await key.getByText("The passphrase has been changed.").waitFor();
      await key.getByRole("button", { name: "Unlock…" }).click();
      for (const [passphrase, said] of [
        ["first", "The passphrase is wrong"],
        ["better", /unlocked, \d min left/],
      ] as const) {
        await key.getByLabel("Passphrase", { exact: true }).fill(passphrase);
        await key.getByRole("button", { name: "Unlock", exact: true }).click();
        await key.getByText(said).waitFor();
      }
      await key.getByRole("button", { name: "Lock" }).click();
      await key.getByText("locked", { exact: true }).waitFor();
      assert.equal(await page.locator("input[type=password]").first().inputValue(), "");
    });
  },

  async "a Ledger is opened, and one of its accounts sends a transfer"(looked) {
    const bus = new FakeBus();
    bus.plug("1-1", new FakeLedger({ app: "klaytn", keys: KEYS }));
    await onKeyStore(looked, bus, async (page, node) => {
      const device = page.getByRole("listitem").filter({ hasText: "ledger://1-1" });
      await device.getByRole("button", { name: "Open" }).click();
      await device.getByText("Klaytn app v1.1.0 online").waitFor();
      await device.getByRole("button", { name: "Derive" }).click();
      const said = await device.getByText(/m\/44'\/8217'\/0'\/0\/0 is 0x[0-9a-f]{40}/).textContent();
      const from = /0x[0-9a-f]{40}/.exec(said ?? "")?.[0] as string;
      await device.locator(`a[href="#/accounts/${from}"]`).waitFor();
      const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
      await ask("anvil_setBalance", from, "0xde0b6b3a7640000");
      await visit(page, node, { name: "", path: "/multisig", text: "Start a transfer" });
      await page.getByLabel("From (the account").fill(from);
      await page.getByLabel("To", { exact: true }).fill(from);
      await page.getByLabel("KAIA").fill("0.5");
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByLabel("Sign with the key of").selectOption(from);
      await page.getByRole("button", { name: "Sign", exact: true }).click();
      await page.getByText("ready to send").first().waitFor();
      await page.getByRole("button", { name: "Send…" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Confirm" }).click();
      await page.getByText("✓ ok").first().waitFor();
    });
  },

  async "a Trezor requests its PIN by positions, and its passphrase"(looked) {
    const bus = new FakeBus();
    bus.plug("1-2", new FakeTrezor({ pin: "1234", passphrase: true, checksAtPing: true }));
    await onKeyStore(looked, bus, async (page) => {
      const device = page.getByRole("listitem").filter({ hasText: "trezor://" });
      await device.getByRole("button", { name: "Open" }).click();
      await device.getByText("PIN: press the positions").waitFor();
      // the fake shows 1 to 4 at the positions 7, 8, 9 and 4
      for (const place of ["row 1, column 1", "row 1, column 2", "row 1, column 3", "row 2, column 1"])
        await device.getByRole("button", { name: place }).click();
      await device.getByText("4 digits").waitFor();
      await device.getByRole("button", { name: "Continue" }).click();
      await device.getByLabel("Passphrase of the wallet").fill("hidden");
      await device.getByRole("button", { name: "Continue" }).click();
      await device.getByText(/online/).waitFor();
      await device.getByRole("button", { name: "Derive" }).click();
      await device.getByText(/ is 0x[0-9a-f]{40}/).waitFor();
      bus.unplug("1-2");
      for (let tries = 0; tries < 60 && (await device.count()) > 0; tries++) {
        await page.getByRole("button", { name: "Refresh" }).click();
        await page.waitForTimeout(500); // the device list is cached for a second
      }
      await page.getByText("No Ledger or Trezor").waitFor();
    });
  },
};

/** Opens the keystore of a new node, and asserts that the page has no problems. */
async function onKeyStore(
  { browser }: Looked,
  usb: FakeBus,
  check: (page: Page, node: Node) => Promise<void>,
): Promise<void> {
  const node = await createNode({ dashboard: { port: 0 }, lightKdf: true, usb });
  try {
    const { page, faults } = await openPage(browser, linkOf(node));
    await visit(page, node, KEY_STORE);
    await check(page, node);
    assert.deepEqual(faults, []);
    await page.context().close();
  } finally {
    await node.stop();
  }
}
