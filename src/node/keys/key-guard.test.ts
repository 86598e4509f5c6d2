import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Rpc } from "../../api/rpc/create-rpc.ts";
import { toErrorObject } from "../../api/rpc/engine/errors.ts";
import type { CallContext } from "../../api/rpc/spec/method.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { kdfBusy, walletError } from "../../wallet/errors.ts";
import type { Passphrase } from "../../wallet/passphrase.ts";
import type { WalletManager } from "../../wallet/wallet.ts";
import { createNode, type Node } from "../create-node.ts";
import type { NodeOptions } from "../node-options.ts";
import { Listeners } from "../service/endpoints/listeners.ts";
import { createKeyGuard } from "./key-guard.ts";

describe("passphrase guessing over HTTP", () => {
  let node: Node;
  let account: string;
  let later = 0;
  const held: (() => void)[] = [];
  const runtime = {
    ...systemRuntime,
    clock: { now: () => Date.now(), elapsed: () => performance.now() + later },
    timers: {
      schedule(delayMs: number, callback: () => void) {
        if (delayMs <= 900 || delayMs > 1000) return systemRuntime.timers.schedule(delayMs, callback);
        held.push(callback);
        return () => {};
      },
    },
  };
  beforeAll(async () => {
    node = await createNode({ runtime, http: { port: 0 }, lightKdf: true, sealing: { kind: "manual" } });
    account = (await node.provider.request({ method: "personal_newAccount", params: ["right"] })) as string;
    held.length = 0;
  }, 30_000);
  afterAll(() => node.stop());

  async function unlockOverHttp(passphrase: string): Promise<unknown> {
    const response = await fetch(node.endpoints.http as string, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "personal_unlockAccount",
        params: [account, passphrase],
      }),
    });
    return ((await response.json()) as { result: unknown }).result;
  }

  it("is slowed down after five wrong ones, with unchanged responses; in-process callers never wait", async () => {
    for (let i = 0; i < 5; i++) expect(await unlockOverHttp("wrong")).toBe(false);
    expect(held).toEqual([]);
    const sixth = unlockOverHttp("right");
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
    const params = [account, "wrong"];
    expect(await node.provider.request({ method: "personal_unlockAccount", params })).toBe(false);
    later = 1000;
    held[0]?.();
    expect(await sixth).toBe(true);
    expect(await unlockOverHttp("wrong")).toBe(false);
    // those over HTTP alone: the process itself guesses nothing
    const metrics = await node.provider.request({ method: "debug_metrics", params: [true] });
    expect(metrics).toMatchObject({ wallet: { passphrase: { wrong: { Overall: 6 } } } });
  });
});

describe("unlocking", () => {
  const account = new Uint8Array(20).fill(1);
  const context = (local: boolean): CallContext => ({
    signal: new AbortController().signal,
    access: { local } as CallContext["access"],
  });
  function guardOf(parts: Partial<Parameters<typeof createKeyGuard>[0]>) {
    const logger = { ...silentLogger, warn: vi.fn() };
    const [failures, busy] = [{ add: vi.fn() }, { add: vi.fn() }];
    const guard = createKeyGuard({
      runtime: systemRuntime,
      ...{ failures, busy },
      ...{ logger, exposed: () => "0.0.0.0:8551", allowInsecureUnlock: false },
      ...parts,
    });
    const task = vi.fn(async (_seconds: number) => {});
    const unlock = (local: boolean, seconds = 300) =>
      guard.unlock(account, context(local), seconds, (_, allowed) => task(allowed));
    return { failures, busy, logger, task, unlock };
  }

  it.each([
    [false, "0.0.0.0:8551", false, false],
    [true, "0.0.0.0:8551", false, true],
    [false, "0.0.0.0:8551", true, true],
    [true, "0.0.0.0:8551", true, true],
    [false, undefined, false, true],
    [true, undefined, false, true],
  ])("by IPC %s, while %s is open, allowed %s: %s", async (local, listener, allowInsecureUnlock, works) => {
    const { unlock, task, logger } = guardOf({ exposed: () => listener, allowInsecureUnlock });
    expect(await unlock(local)).toBe(works);
    expect(task).toHaveBeenCalledTimes(works ? 1 : 0);
    if (!works)
      expect(logger.warn.mock.lastCall?.[1]).toMatchObject({
        reason: expect.stringMatching(/0\.0\.0\.0:8551.*--allow-insecure-unlock/),
      });
  });

  it("lasts at most as long as --unlock.max", async () => {
    const { unlock, task } = guardOf({ unlockMaxSeconds: 60 });
    for (const seconds of [0, 59, 60, 3600]) await unlock(true, seconds);
    expect(task.mock.calls).toEqual([[60], [59], [60], [60]]);
  });

  it("returns false if the wallet refuses, and an error if the passphrase was not the reason", async () => {
    const { unlock, task, logger } = guardOf({});
    task.mockRejectedValueOnce(walletError("WRONG_PASSPHRASE"));
    expect(await unlock(true)).toBe(false);
    expect(logger.warn).toHaveBeenCalledOnce();
    task.mockRejectedValueOnce(kdfBusy());
    await expect(unlock(true)).rejects.toMatchObject({ code: "KDF_BUSY" });
    expect(toErrorObject(kdfBusy()).code).toBe(-32005);
  });

  it("counts wrong passphrases of network callers only", async () => {
    const { unlock, task, failures, busy } = guardOf({ exposed: () => undefined });
    for (const local of [false, true, false]) {
      task.mockRejectedValueOnce(walletError("WRONG_PASSPHRASE"));
      expect(await unlock(local)).toBe(false);
    }
    task.mockRejectedValueOnce(kdfBusy());
    await expect(unlock(false)).rejects.toMatchObject({ code: "KDF_BUSY" });
    expect(await unlock(false)).toBe(true);
    expect(failures.add).toHaveBeenCalledTimes(2);
    expect(busy.add).toHaveBeenCalledOnce();
  });

  it("wipes the passphrase afterwards", async () => {
    const guard = createKeyGuard({
      runtime: systemRuntime,
      ...{ failures: { add: () => {} }, busy: { add: () => {} } },
      ...{ logger: silentLogger, exposed: () => undefined, allowInsecureUnlock: false },
    });
    let bytes = new Uint8Array();
    let given: Passphrase | undefined;
    await guard.create(context(false), async (secret) => {
      given = secret("hunter2");
      bytes = given.bytes as Uint8Array<ArrayBuffer>;
      expect(given.caller).toMatchObject({ isLocal: false });
      expect(String(Buffer.from(bytes))).toBe("hunter2");
    });
    expect(bytes).toEqual(new Uint8Array(7));
    expect(() => given?.bytes).toThrow("wiped");
  });
});

describe("a listener reachable from other machines", () => {
  const open = { port: 8551, host: "0.0.0.0", modules: ["eth"] };
  const file = (status: string) => ({ url: "keystore:///keys/a", status: async () => ({ status }) });
  function listenersOf(options: NodeOptions, status = "Locked") {
    const listen = async ({ host, port }: { host: string; port: number }) => ({
      ...{ address: `${host}:${port}`, port, close: async () => {} },
    });
    const rpc = {
      listenHttp: listen,
      listenWebSocket: listen,
    } as unknown as Rpc;
    const wallets = { wallets: () => [file(status)] } as unknown as WalletManager;
    const logger = { ...silentLogger, warn: vi.fn() };
    return {
      logger,
      listeners: new Listeners(() => rpc, { options, logger, hasDevelopmentKeys: false, wallets }),
    };
  }

  it("is recognised by its address", async () => {
    const { listeners } = listenersOf({ http: { port: 8551, host: "0.0.0.0", modules: ["eth"] } });
    await listeners.launch(undefined);
    expect(listeners.exposed).toBe("0.0.0.0:8551");
    listeners.http.stop();
    expect(listeners.exposed).toBeUndefined();
    await listeners.http.start({ host: "localhost" });
    expect(listeners.exposed).toBeUndefined();
  });

  it("is not opened while accounts are unlocked, unless allowed", async () => {
    const { listeners } = listenersOf({ http: open }, "Unlocked");
    await expect(listeners.http.start({})).rejects.toThrowError(
      "accounts are unlocked; account unlock with HTTP access is forbidden: 0.0.0.0",
    );
    await listeners.http.start({ host: "localhost" });
    const wanted = listenersOf({ http: open, allowInsecureUnlock: true }, "Unlocked");
    await wanted.listeners.http.start({ host: "192.168.0.2" });
    await wanted.listeners.ws.start({});
    expect(wanted.logger.warn).toHaveBeenCalledOnce(); // the second one is for this machine alone
  });
});
