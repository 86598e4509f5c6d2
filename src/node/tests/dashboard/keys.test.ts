import { afterEach, beforeEach, expect, it } from "vitest";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { createNode, type Node } from "../../create-node.ts";
import { callAs, openSession, sessionOf } from "../../testing/page-client.ts";

let time: SimulatedRuntime;
/** Milliseconds of the timers that were set. */
const delays: number[] = [];
let node: Node;
let session: string;
let account: string;

beforeEach(async () => {
  time = createSimulatedRuntime({ startMs: 1_700_000_000_000 });
  const timers: Timers = {
    schedule(delayMs, callback) {
      delays.push(delayMs);
      return time.timers.schedule(delayMs, callback);
    },
  };
  const runtime = { ...systemRuntime, clock: time.clock, timers };
  node = await createNode({ runtime, lightKdf: true, dashboard: { port: 0 }, sealing: { kind: "manual" } });
  session = await sessionOf(node);
  account = await call("personal_newAccount", "right");
});
afterEach(() => node.stop());

/** As the page asks. @throws Error with the text of the refusal */
async function call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const { result, error } = JSON.parse((await callAs(node, session, method, params)).body);
  if (error !== undefined) throw new Error(error.message);
  return result as T;
}

const unlock = (passphrase: string) => call<boolean>("personal_unlockAccount", account, passphrase, 300);
const status = async (): Promise<string | undefined> => {
  const wallets = await call<{ status: string; accounts: { address: string }[] }[]>("personal_listWallets");
  return wallets.find(({ accounts }) => accounts[0]?.address === account)?.status;
};

/** Awaits a response that is delayed for this long, and advances the time by that. */
async function heldBack<T>(ask: () => Promise<T>, milliseconds: number): Promise<T> {
  delays.length = 0;
  const answer = ask();
  await expect.poll(() => delays, { timeout: 10_000 }).toContain(milliseconds);
  await time.advance(milliseconds);
  return answer;
}

it("delays longer after each wrong passphrase from the sixth on, and no more after the right one", async () => {
  for (let i = 0; i < 5; i++) expect(await unlock("wrong")).toBe(false);
  for (const seconds of [1, 2, 4, 8])
    expect(await heldBack(() => unlock("wrong"), seconds * 1_000)).toBe(false);
  expect(await heldBack(() => unlock("right"), 16_000)).toBe(true);
  expect(await unlock("right")).toBe(true);
});

it("applies the same limit to changing passphrases", async () => {
  for (let i = 0; i < 5; i++)
    await expect(call("dashboard_changePassphrase", account, "wrong", "mine")).rejects.toThrow(
      "could not decrypt key with given passphrase",
    );
  expect(
    await heldBack(() => call("dashboard_changePassphrase", account, "right", "mine"), 1_000),
  ).toBeNull();
  expect(await unlock("right")).toBe(false);
});

it("locks the accounts of a session whose user was idle for a minute", async () => {
  await unlock("right");
  await time.advance(59_999);
  expect(await status()).toBe("Unlocked");
  await call("dashboard_touch");
  await time.advance(59_999);
  await call("kaia_blockNumber"); // a page asks by itself: no sign of its user
  expect(await status()).toBe("Unlocked");
  await time.advance(60_000);
  expect(await status()).toBe("Locked");
});

it("changes a passphrase: the new one decrypts the file, the old one does not", async () => {
  await call("dashboard_changePassphrase", account, "right", "better");
  expect(await unlock("right")).toBe(false);
  expect(await unlock("better")).toBe(true);
  await expect(call("dashboard_changePassphrase", `0x${"12".repeat(20)}`, "a", "b")).rejects.toThrow(
    "no key for given address or file",
  );
});

it("creates a new link at run time, only for callers on its machine", async () => {
  const link = await node.provider.request({ method: "admin_dashboardLink" });
  const answer = await openSession(node, link as string);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body).session).not.toBe(session);
  await expect(call("admin_dashboardLink")).rejects.toThrow("does not exist/is not available");
});
