import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Passphrase } from "../../wallet/passphrase.ts";
import type { Keystore } from "../../wallet/wallet.ts";
import { newFolder } from "../testing/kairn.ts";
import { prepareUnlock, readPassphrases } from "./unlock-at-start.ts";

const ADDRESSES = [1, 2, 3].map((n) => new Uint8Array(20).fill(n));

function passwordFile(text: string): string {
  const file = join(newFolder(), "passwords");
  writeFileSync(file, text);
  return file;
}

/** A keystore that records which account was unlocked with which passphrase, and for how long. */
function store(refuses = false) {
  const unlocked: [number | undefined, string, number | undefined][] = [];
  const secrets: Passphrase[] = [];
  const wallets = {
    accounts: () => ADDRESSES.map((address) => ({ address })),
    unlock: async (account: Uint8Array | { address: Uint8Array }, secret: Passphrase, seconds?: number) => {
      const address = account instanceof Uint8Array ? account : account.address;
      secrets.push(secret);
      unlocked.push([address[0], Buffer.from(secret.bytes).toString(), seconds]);
      if (refuses) throw new Error("wrong passphrase");
    },
  } as unknown as Keystore;
  return { wallets, unlocked, secrets };
}

it("unlocks each account until the node ends with its line of the file, the last one for the rest", async () => {
  const { wallets, unlocked, secrets } = store();
  const unlock = [`0x${"03".repeat(20)}`, "0", "1"];
  await (await prepareUnlock({ unlock, passwordFile: passwordFile("one\r\ntwo") }, {}))(wallets);
  expect(unlocked).toEqual([
    [3, "one", 0],
    [1, "two", 0],
    [2, "two", 0],
  ]);
  for (const secret of secrets) expect(() => secret.bytes).toThrow("wiped");
});

it("does nothing without accounts, whatever the listeners are", async () => {
  const { wallets, unlocked } = store();
  const exposed = { http: { host: "0.0.0.0", port: 0 } };
  await (await prepareUnlock({ unlock: [], passwordFile: "/dev/null/none" }, exposed))(wallets);
  expect(unlocked).toEqual([]);
});

it("rejects a node that other machines can reach, a missing file, a wrong passphrase", async () => {
  const given = { unlock: ["0"], passwordFile: passwordFile("x") };
  await expect(prepareUnlock(given, { http: { host: "0.0.0.0", port: 0 } })).rejects.toThrow(
    "--unlock: account unlock",
  );
  const missing = join(newFolder(), "none");
  await expect(prepareUnlock({ ...given, passwordFile: missing }, {})).rejects.toMatchObject({
    ...{ code: "CONFIG_FILE", message: expect.stringContaining("--password: ENOENT") },
  });
  const { wallets, secrets } = store(true);
  await expect((await prepareUnlock(given, {}))(wallets)).rejects.toMatchObject({
    ...{ code: "CONFIG_VALUE", message: "--unlock 0: wrong passphrase" },
  });
  expect(() => secrets[0]?.bytes).toThrow("wiped");
  expect(readPassphrases(given.passwordFile)).toEqual(["x"]);
});
