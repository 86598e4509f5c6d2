import { describe, expect, it } from "vitest";
import { createNode } from "../create-node.ts";
import type { NodeOptions } from "../node-options.ts";
import { checkOptions } from "./check-options.ts";

describe("invalid options", () => {
  it.each([
    [{ forkUrl: "http://127.0.0.1:1" }, "forkUrl is not an option of createNode"],
    [{ mining: { mode: "bogus" } }, "mining.mode must be instant, interval or off"],
    [{ mining: { mode: "interval" } }, "mining.intervalMs must be a whole number of milliseconds"],
    [{ mining: { mode: "interval", intervalMs: -5 } }, "mining.intervalMs must be"],
    [{ mining: { mode: "interval", intervalMs: 0 } }, "mining.intervalMs must be"],
    [{ mining: { mode: "interval", intervalMs: 1.5 } }, "mining.intervalMs must be"],
    [{ dev: { accounts: -1 } }, "dev.accounts must be a whole number"],
    [{ dev: { accounts: 1.5 } }, "dev.accounts must be a whole number"],
    [{ dev: { chainId: 1337 } }, "dev.chainId must be a bigint from 1 to"],
    [{ dev: { acounts: 3 } }, "dev.acounts is not an option of createNode"],
    [{ dev: { autoFeePayer: new Uint8Array(21) } }, "dev.autoFeePayer must be an address of 20 bytes"],
    [{ dev: { autoFeePayer: `0x${"ab".repeat(20)}` } }, "dev.autoFeePayer must be an address of 20 bytes"],
    [
      { fork: { url: "http://127.0.0.1:1", blockNumber: 3 } },
      "fork.blockNumber is not an option of createNode",
    ],
    [{ history: "foo" }, "history must be full or archive"],
  ])("are refused by name: %j", async (options, text) => {
    await expect(createNode(options as unknown as NodeOptions)).rejects.toThrow(text);
  });

  it("are rejected by name: chain id 0, whose signatures are valid on every chain", async () => {
    await expect(createNode({ dev: { chainId: 0n } })).rejects.toThrow(
      "dev.chainId must be a bigint from 1 to",
    );
  });

  it("do not include minimum values, nor options available to programs only", async () => {
    const mining = { mode: "interval", intervalMs: 1 } as const;
    const fork = { cacheDir: "c", headers: {}, retries: 0, timeoutMs: 1 };
    const feePayer = { account: new Uint8Array(20), host: "127.0.0.1" };
    const state = { load: "l", dump: "d", intervalMs: 1 };
    for (const options of [
      { mining },
      { mining: { mode: "off" } },
      { fork },
      { feePayer },
      { state },
      { dev: { accounts: 0 } },
      { dev: { chainId: 1n } },
      { dev: { chainId: BigInt(Number.MAX_SAFE_INTEGER) } },
      { dev: { autoFeePayer: new Uint8Array(20) } },
      ...["dataDir", "genesis", "heavyDebugLimit", "logger", "logLevels", "network", "runtime"].map(
        (name) => ({
          [name]: {},
        }),
      ),
    ])
      expect(() => checkOptions(options as unknown as NodeOptions)).not.toThrow();
  });

  it("do not include undefined ones", async () => {
    const node = await createNode({ mining: undefined, history: undefined } as unknown as NodeOptions);
    await node.stop();
  });
});
