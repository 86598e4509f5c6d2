import { describe, expect, it } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { createNode } from "../create-node.ts";
import type { NodeOptions } from "../node-options.ts";
import { checkOptions } from "./check-options.ts";
import { devNodeOptions } from "./index.ts";
import type { MemberOption } from "./member.ts";

describe("invalid options", () => {
  it.each([null, 5, "dev", [], () => {}])("are refused: %j is none", async (options) => {
    await expect(createNode(options as unknown as NodeOptions)).rejects.toThrow(
      "the argument of createNode must be an object",
    );
  });

  it.each([
    [{ forkUrl: "http://127.0.0.1:1" }, "forkUrl is not an option of createNode"],
    [{ sealing: { kind: "bogus" } }, "sealing.kind must be onDemand, interval or manual"],
    [{ sealing: { kind: "interval" } }, "sealing.intervalMs must be a whole number of milliseconds"],
    [{ sealing: { kind: "interval", intervalMs: -5 } }, "sealing.intervalMs must be"],
    [{ sealing: { kind: "interval", intervalMs: 0 } }, "sealing.intervalMs must be"],
    [{ sealing: { kind: "interval", intervalMs: 1.5 } }, "sealing.intervalMs must be"],
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
    [{ maxCalls: -1 }, "maxCalls must be a whole number from 0 to 64"],
    [{ callSliceMs: "x" }, "callSliceMs must be a whole number from 0 to 1000"],
    [{ gasCap: 5 }, "gasCap must be a bigint from 0 to"],
    [{ http: { prt: 1 } }, "http.prt is not an option of createNode"],
    [{ http: 5 }, "http must be an object"],
    [{ ws: { port: 65_536 } }, "ws.port must be a whole number from 0 to 65535"],
    [{ pool: { foo: 1 } }, "pool.foo is not an option of createNode"],
    [{ peers: { maxConnections: -3 } }, "peers.maxConnections must be a whole number from 0 to 1000"],
    [{ peers: { discoverTypes: ["cn", "sn"] } }, "peers.discoverTypes must be a list of cn, pn and en"],
    [{ peers: { netRestrict: ["10.0.0.0"] } }, "peers.netRestrict must be a list of networks"],
    [
      { cluster: { url: "postgres://u@h/d", leaseMs: 1 } },
      "cluster.leaseMs must be a whole number of milliseconds from 500",
    ],
    [{ cluster: { role: "reader" } }, "cluster.role must be writer, standby, follower or feeder"],
    [{ dashboard: { readonly: true } }, "dashboard.readonly is not an option of createNode"],
    [{ dashboard: 1 }, "dashboard must be true, false or an object"],
    [{ metrics: { prt: 1 } }, "metrics.prt is not an option of createNode"],
    [{ dev: { codeSizeLimit: -4 } }, "dev.codeSizeLimit must be a whole number from 1 to 1048576"],
    [{ dev: { baseFee: "7" } }, "dev.baseFee must be a bigint from 0 to"],
    [{ eventStream: { kafka: { partitions: 0 } } }, "eventStream.kafka.partitions must be a whole number"],
    [{ eventStream: { kafka: { topic: "t" } } }, "eventStream.kafka.topic is not an option of createNode"],
    [{ gasless: true }, "gasless must be false or an object"],
    [{ gasless: { allowedTokens: ["0x12"] } }, "gasless.allowedTokens must be a list of addresses"],
    [{ ipc: 1 }, "ipc must be a path, or true or false"],
    [{ nodeKey: "0x01" }, "nodeKey must be a key of 32 bytes"],
    [{ network: "cypress" }, "network must be mainnet or kairos"],
    [{ sealing: { kind: "manual", interval: 1 } }, "sealing.interval is not an option of createNode"],
  ])("are refused by name: %j", async (options, text) => {
    await expect(createNode(options as unknown as NodeOptions)).rejects.toThrow(text);
  });

  it.each([
    [{ feePayer: { port: 0, dapps: [{ name: "a", balance: 1 }] } }, "feePayer.dapps must be a list of dApps"],
    [{ feePayer: {} }, "feePayer.port is missing"],
    [{ http: { port: 0, modules: ["zzz"] } }, "http.modules must be a list of modules: admin, anvil"],
    [{ http: {} }, "http.port is missing"],
    [{ http: { port: 0, host: "a b" } }, "http.host must be a host name or an IP address"],
    [{ signer: "x" }, "signer must be a URL beginning with http:// or https://, or the path of a socket"],
    [{ peers: { nodes: ["x"] } }, "peers.nodes must be a list of URLs like kni://ID@HOST:PORT"],
    [{ dev: { derivationPath: "m/x" } }, "dev.derivationPath must be a derivation path such as m/44'"],
    [{ dev: { mnemonic: "test ".repeat(200) } }, "dev.mnemonic must be a mnemonic of 12 to 24 words"],
    [{ logger: { info() {} } }, "logger must be a logger: an object with the methods crit, error"],
    [{ logLevels: {} }, "logLevels must be the levels of a log: an object with the methods setVerbosity"],
    [{ runtime: { clock: {} } }, "runtime must be an object of clock, timers, randomness, files"],
    [{ nodeKey: new Uint8Array(32) }, "nodeKey must be a key of 32 bytes between 0 and the order"],
    [{ blsNodeKey: new Uint8Array(32).fill(255) }, "blsNodeKey must be a key of 32 bytes between 0"],
    [
      { fork: { url: "http://h", headers: { "a b": "" } } },
      "fork.headers must be an object of header fields",
    ],
    [{ fork: { url: "http://h", headers: { a: "\n" } } }, "fork.headers must be an object of header fields"],
    [{ tls: { cert: "c" } }, "tls.key is missing"],
    [{ sealing: {} }, "sealing.kind is missing"],
    [
      { eventStream: { kafka: { saslUsername: "u" } } },
      "eventStream.kafka.saslUsername requires eventStream.kafka.saslPasswordFile",
    ],
    [{ state: { file: "a", load: "b" } }, "state.file cannot be given together with state.load"],
    [{ dataDir: "a\0b" }, "dataDir must be a path"],
  ])("are refused by name, what they hold too: %j", async (options, text) => {
    await expect(createNode(options as unknown as NodeOptions)).rejects.toThrow(text);
  });

  it("are rejected by name: chain id 0, whose signatures are valid on every chain", async () => {
    await expect(createNode({ dev: { chainId: 0n } })).rejects.toThrow(
      "dev.chainId must be a bigint from 1 to",
    );
  });

  it("do not include minimum values, nor options available to programs only", () => {
    for (const options of [
      { sealing: { kind: "interval", intervalMs: 1 } },
      { sealing: { kind: "manual" } },
      { fork: { url: "http://h", cacheDir: "c", headers: {}, retries: 0, timeoutMs: 1 } },
      { feePayer: { port: 0, account: new Uint8Array(20), host: "127.0.0.1" } },
      { state: { load: "l", dump: "d", intervalMs: 10 } },
      { dev: { accounts: 0, chainId: 1n, autoFeePayer: new Uint8Array(20) } },
      { dev: { chainId: BigInt(Number.MAX_SAFE_INTEGER) } },
      { dev: true, dashboard: false, gasless: false, ipc: "klay.ipc", usb: true },
      {
        ipc: true,
        usb: { devices() {}, open() {} },
        pool: { maxGas: 1n },
        peers: { nodes: [`kni://${"ab".repeat(64)}@127.0.0.1:1`], discoverTypes: ["cn", "en"] },
      },
      {
        dataDir: "d",
        heavyDebugLimit: 0,
        network: "kairos",
        genesis: {},
        logger: silentLogger,
        logLevels: { setVerbosity() {}, setRooms() {}, isOn: () => true },
        runtime: systemRuntime,
      },
    ])
      expect(() => checkOptions(options as unknown as NodeOptions)).not.toThrow();
  });

  it("include what the command line refuses for each option, and not its default", () => {
    for (const { member, default: value, accepts, type, as } of Object.values(
      devNodeOptions,
    ) as readonly Partial<MemberOption<unknown, string>>[]) {
      if (member === undefined || type === undefined) continue;
      const { test } = accepts ?? type.accepts;
      expect([member, test(Symbol("anything"))]).toEqual([member, false]);
      const landed = value === undefined || as === undefined ? value : as(value);
      if (landed !== undefined) expect([member, test(landed)]).toEqual([member, true]);
    }
  });

  it("do not include undefined ones", async () => {
    const node = await createNode({ sealing: undefined, history: undefined } as unknown as NodeOptions);
    await node.stop();
  });
});
