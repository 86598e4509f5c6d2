import { expect, it } from "vitest";
import type { WalletAccount } from "../wallet/wallet.ts";
import { accountOf } from "./account-argument.ts";

const HEX = "ab".repeat(20);
const accounts = [1, 2].map((n) => ({
  address: new Uint8Array(20).fill(n),
})) as unknown as readonly WalletAccount[];

it("accepts an address with or without 0x, and a place in the list", () => {
  for (const text of [HEX, `0x${HEX}`])
    expect(accountOf(text, accounts, "--unlock")).toEqual(new Uint8Array(20).fill(0xab));
  expect(accountOf("1", accounts, "--unlock")).toBe(accounts[1]);
});

it("refuses anything else, naming flag and accounts", () => {
  for (const text of ["2", "-1", "x", `${HEX}ff`, ""])
    expect(() => accountOf(text, accounts, "--unlock")).toThrow(
      `--unlock: no account ${text} (keystore: 0x${"01".repeat(20)}, 0x${"02".repeat(20)})`,
    );
  expect(() => accountOf("0", [], "account update")).toThrow("account update: no account 0 (keystore: none)");
});
