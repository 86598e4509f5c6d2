import { describe, expect, it, vi } from "vitest";
import type { Json, Schema } from "../../../../protocol/codec/json/schema.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import { personal } from "../../spec/accounts/personal.ts";
import type { CallContext } from "../../spec/method.ts";
import type { TransactionSender } from "../transactions/sender.ts";
import type { KeyGuard } from "./key-guard.ts";
import { personalHandlers } from "./personal.ts";

const stopped = () => Promise.reject(new Error("the guard was asked"));
const guard = {
  attempt: vi.fn(stopped),
  create: vi.fn(stopped),
  unlock: vi.fn(stopped),
} as unknown as KeyGuard;
const untouched = new Proxy(
  {},
  { get: (_, name) => (name === "has" ? () => true : unexpected(String(name))) },
);
const handlers = personalHandlers({
  ...{ guard, messageName: "Ethereum", networkName: "Kaia" },
  wallets: untouched as WalletManager,
  sender: untouched as TransactionSender,
});

function unexpected(name: string): never {
  throw new Error(`${name} without the guard`);
}

/** The secret of a device is checked by the device, which counts the attempts itself. */
const OF_DEVICES = new Set(["openWallet"]);
const guarded = Object.entries(personal).filter(
  ([name, { params }]) =>
    !OF_DEVICES.has(name) &&
    Object.values(params as Record<string, { schema?: Schema<unknown> } & Schema<unknown>>).some(
      (param) => (param.schema ?? param).secret !== undefined,
    ),
);

describe("methods that take a secret", () => {
  it.each(guarded.map(([name]) => [name as keyof typeof handlers]))("%s asks the guard", async (name) => {
    const address = new Uint8Array(20).fill(1);
    const args = {
      ...{ address, passphrase: "a", newPassphrase: "b", message: address, key: "1".repeat(64) },
      tx: { from: address, to: address, value: 0n, key: new Uint8Array([1, 192]), feePayer: address },
    };
    const call = handlers[name] as (args: object, context: CallContext) => Promise<Json>;
    const context = { signal: new AbortController().signal, access: {} } as CallContext;
    await expect(Promise.resolve().then(() => call(args, context))).rejects.toThrow("the guard was asked");
  });

  it("are all covered", () => {
    expect(guarded.length).toBe(12);
  });
});
