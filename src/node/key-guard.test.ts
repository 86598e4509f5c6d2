import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Rpc } from "../api/rpc/create-rpc.ts";
import { systemRuntime } from "../platform/runtime/system.ts";
import { silentLogger } from "../platform/telemetry/logger.ts";
import type { WalletManager } from "../wallet/wallet.ts";
import { createNode, type Node } from "./create-node.ts";
import { Listeners } from "./listeners.ts";
import type { NodeOptions } from "./node-options.ts";

describe("guessing passphrases over HTTP", () => {
  let node: Node;
  let account: string;
  let later = 0;
  const held: (() => void)[] = [];
  const runtime = {
    ...systemRuntime,
    clock: { now: () => Date.now() + later },
    timers: {
      schedule(delayMs: number, callback: () => void) {
        if (delayMs <= 900 || delayMs > 1000) return systemRuntime.timers.schedule(delayMs, callback);
        held.push(callback);
        return () => {};
      },
    },
  };
  beforeAll(async () => {
    node = await createNode({ runtime, http: { port: 0 }, lightKdf: true, mining: { mode: "off" } });
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

  it("gets slow after five wrong ones, with the same answers; the process itself never waits", async () => {
    for (let i = 0; i < 5; i++) expect(await unlockOverHttp("wrong")).toBe(false);
    expect(held).toEqual([]);
    const sixth = unlockOverHttp("right");
    await expect.poll(() => held.length).toBe(1);
    const params = [account, "wrong"];
    expect(await node.provider.request({ method: "personal_unlockAccount", params })).toBe(false);
    later = 1000;
    held[0]?.();
    expect(await sixth).toBe(true);
    expect(await unlockOverHttp("wrong")).toBe(false);
    const metrics = await node.provider.request({ method: "debug_metrics", params: [true] });
    expect(JSON.stringify(metrics)).toMatch(/wrong/);
  });
});

describe("a listener that other machines reach", () => {
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
    return { logger, listeners: new Listeners(() => rpc, { options, logger, wallets }) };
  }

  it("is known by its address", async () => {
    const { listeners } = listenersOf({ http: { port: 8551, host: "0.0.0.0" } });
    await listeners.launch(undefined);
    expect(listeners.exposed).toBe("0.0.0.0:8551");
    listeners.http.stop();
    expect(listeners.exposed).toBeUndefined();
    await listeners.http.start({ host: "localhost" });
    expect(listeners.exposed).toBeUndefined();
  });

  it("is not opened while accounts are unlocked, unless that is wanted", async () => {
    const { listeners } = listenersOf({}, "Unlocked");
    await expect(listeners.http.start({ host: "192.168.0.2" })).rejects.toThrowError(
      "accounts are unlocked; account unlock with HTTP access is forbidden: 192.168.0.2",
    );
    await listeners.http.start({});
    const wanted = listenersOf({ allowInsecureUnlock: true }, "Unlocked");
    await wanted.listeners.http.start({ host: "192.168.0.2" });
    await wanted.listeners.ws.start({});
    expect(wanted.logger.warn).toHaveBeenCalledOnce(); // the second one is for this machine alone
  });
});
