import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../../api/rpc/spec/api.ts";
import type { Method } from "../../../api/rpc/spec/method.ts";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { createNode, type Node } from "../../create-node.ts";

const PASSPHRASE = 'planted "passphrase" <é>';
const WRONG = "wrong planted passphrase";
const KEY = "9a3f6d1c8e27b504419a3f6d1c8e27b504419a3f6d1c8e27b504419a3f6d1c8e";
const WALLET_KEY = `${KEY}0x000x${"ab".repeat(20)}`;

/** Every spelling under which a secret could be found again. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const own = [secret, JSON.stringify(secret).slice(1, -1), bytes.toString("hex"), bytes.toString("base64")];
  return /^[0-9a-f]{64}$/.test(secret) ? [...own, Buffer.from(secret, "hex").toString("base64")] : own;
}
const secrets = [PASSPHRASE, WRONG, KEY].flatMap(spellings);

let node: Node;
let said = "";
beforeAll(async () => {
  const write = (line: string) => {
    said += line;
  };
  const { logger } = createLogger({ verbosity: 5, format: "json", now: Date.now, write });
  node = await createNode({ logger, lightKdf: true });
});
afterAll(() => node.stop());

/** Keeps the response, whether a result or an error. */
async function call(method: string, ...params: unknown[]): Promise<unknown> {
  try {
    const result = await node.provider.request({ method, params });
    said += JSON.stringify(result);
    return result;
  } catch (error) {
    const { message, data, code } = error as { message: string; data?: unknown; code: number };
    said += JSON.stringify({ message, data, code });
    return undefined;
  }
}

describe("passphrases and keys", () => {
  it("appear in no log line, response, error or metric, whatever is wrong with the call", async () => {
    const account = await call("personal_importRawKey", KEY, PASSPHRASE);
    expect(account).toMatch(/^0x/);
    await call("personal_importRawKey", KEY, PASSPHRASE);
    await call("personal_importRawKey", WALLET_KEY, PASSPHRASE);
    await call("personal_importRawKey", `0x${KEY}`, PASSPHRASE);
    await call("personal_importRawKey", [KEY], PASSPHRASE);
    await call("personal_importRawKey", KEY, { passphrase: PASSPHRASE });
    await call("personal_importRawKey", KEY, PASSPHRASE, PASSPHRASE);
    await call("personal_unlockAccount", account, WRONG, 10);
    await call("personal_unlockAccount", account, PASSPHRASE, "soon");
    await call("personal_unlockAccount", PASSPHRASE, account);
    await call("personal_unlockAccount", account, PASSPHRASE, 10);
    await call("personal_sign", "0x00", account, WRONG);
    await call("personal_sign", "0x00", account, [WRONG]);
    await call("personal_sendTransaction", { from: account, to: account, value: "0x1" }, WRONG);
    await call("personal_sendTransaction", { from: account, to: account, value: "0x1" }, { WRONG });
    await call("personal_replaceRawKey", KEY, WRONG, PASSPHRASE);
    await call("personal_newAccount", { WRONG });
    await call("personal_openWallet", "keystore://x", WRONG);
    await call("debug_metrics", true);
    expect(leaked()).toEqual([]);
  });

  it("appear nowhere for any method that takes one, at any argument position", async () => {
    for (const [name, { params }] of Object.entries(api as Record<string, Method>)) {
      const fields = Object.values(params);
      if (!fields.some(({ schema }) => schema.secret !== undefined)) continue;
      for (const planted of [WRONG, KEY, [WRONG], { [WRONG]: KEY }]) {
        await call(name, ...fields.map(() => planted));
        for (const [place] of fields.entries())
          await call(name, ...fields.map((_, i) => (i === place ? planted : null)));
      }
      await call(name, ...fields.map(() => WRONG), WRONG);
    }
    expect(leaked()).toEqual([]);
  });

  it("appear in no process listing while in use", async () => {
    const unlocking = call("personal_newAccount", WRONG);
    for (const method of ["debug_stacks", "debug_memStats", "admin_nodeInfo", "rpc_modules"])
      await call(method);
    await unlocking;
    await call("debug_metrics", false);
    expect(leaked()).toEqual([]);
  });
});

function leaked(): string[] {
  return secrets.filter((secret) => said.includes(secret));
}
