import { describe, expect, it } from "vitest";
import { createNode } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";
import {
  addressOf,
  checkExposure,
  checkUnlockAtStart,
  dangersOf,
  ExposureError,
  isLoopback,
} from "./exposure.ts";
import { narrowed } from "./narrowed.ts";

describe("a listener's host", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "[::1]", "::ffff:127.0.0.1"])(
    "%s is this machine's alone",
    (host) => expect(isLoopback(host)).toBe(true),
  );

  it.each([
    "0.0.0.0",
    "::",
    "[::]",
    "192.168.1.5",
    "localhost.example.org",
    "127.0.0.1.example.org",
    "128.0.0.1",
    "::2",
    "",
  ])("'%s' may be reached by others", (host) => expect(isLoopback(host)).toBe(false));
});

it("resolves a name to its address", async () => {
  expect(await addressOf("127.1")).toBe("127.0.0.1");
  expect(await addressOf("0")).toBe("0.0.0.0");
  expect(await addressOf("")).toBe("::");
  expect(await addressOf("LOCALHOST")).toBe("LOCALHOST");
  await expect(addressOf("no-such-host.invalid")).rejects.toThrow();
});

describe("unlocking at start", () => {
  const open = { port: 0, host: "0.0.0.0" };
  it("is refused while other machines can reach the node, unless allowed", async () => {
    await expect(checkUnlockAtStart({ http: open })).rejects.toThrowError(
      /^--unlock: account unlock with HTTP access is forbidden: 0\.0\.0\.0/,
    );
    await expect(checkUnlockAtStart({ http: { port: 0 }, ws: open })).rejects.toThrowError(/forbidden/);
    await checkUnlockAtStart({ http: open, allowInsecureUnlock: true });
    await checkUnlockAtStart({ http: open, allowExposed: true });
    await checkUnlockAtStart({
      http: { port: 0, host: "localhost" },
      ws: { port: 0, host: "127.0.0.1" },
      ipc: true,
    });
  });
});

describe("what a node exposes at start", () => {
  const hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "::", "192.0.2.7", ""];
  const modules: readonly (readonly string[] | undefined)[] = [
    ["eth", "kaia", "klay", "net", "web3", "rpc", "txpool"],
    ["eth", "admin"],
    ["eth", "personal"],
    ["eth", "debug"],
    ["eth", "governance"],
    ["evm"],
    undefined,
  ];
  const flags: readonly NodeOptions[] = [
    {},
    { unsafeDebugDisabled: true },
    { allowInsecureUnlock: true },
    { unsafeHost: true },
    { allowExposed: true },
  ];
  const matrix = hosts.flatMap((host) =>
    modules.flatMap((names) =>
      flags.flatMap((flag) =>
        [false, true].flatMap((keys) =>
          (["http", "ws"] as const).map((kind) => ({ host, names, flag, keys, kind })),
        ),
      ),
    ),
  );

  it.each(matrix)("$kind on '$host' with $names, $flag, development keys: $keys", async (row) => {
    const { host, names, flag, keys, kind } = row;
    const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(host);
    const isHarmless = names === modules[0] || (names === modules[3] && flag.unsafeDebugDisabled === true);
    const isFine = isHere || flag.allowExposed === true || (isHarmless && !keys && flag.unsafeHost !== true);
    const judged = checkExposure(
      { ...flag, [kind]: { host, port: 0, ...(names && { modules: names }) } },
      keys,
    );
    if (isFine) await judged;
    else await expect(judged).rejects.toThrow(ExposureError);
  });

  it("includes WebSocket modules on the HTTP port, and a fee payer", async () => {
    const http = { host: "0.0.0.0", port: 0, modules: ["eth"] };
    const ws = { host: "127.0.0.1", port: 0, modules: ["personal"] };
    await checkExposure({ http }, false);
    await expect(checkExposure({ http, ws }, false)).rejects.toThrow(
      "HTTP on 0.0.0.0 would open the modules personal to other machines; --allow-exposed",
    );
    await expect(checkExposure({ feePayer: { host: "::", port: 0 } }, false)).rejects.toThrow(ExposureError);
  });

  it("includes the dashboard, with or without an address of its own", async () => {
    const dashboard = { host: "0.0.0.0", port: 0 };
    await expect(checkExposure({ dashboard }, false)).rejects.toThrow(
      "the dashboard on 0.0.0.0 would open a page that reads and changes the node to other machines; --allow-exposed",
    );
    await checkExposure({ dashboard, allowExposed: true }, false);
    await checkExposure({ dashboard: { port: 0 } }, false);
    await checkExposure({ dashboard: true }, false);
  });

  it("names everything that a listener would open", () => {
    expect(dangersOf({}, { signer: "http://127.0.0.1:1", unsafeHost: true }, true)).toEqual([
      ...["the development accounts", "the accounts of the external signer"],
      ...["this machine's files and listeners", "every module"],
    ]);
    expect(dangersOf({ modules: ["eth", "personal", "admin"] }, {}, false)).toEqual([
      "the modules admin, personal",
    ]);
    expect(dangersOf({ modules: ["eth", "kaia"] }, {}, false)).toEqual([]);
  });

  it("is checked for programs as well", async () => {
    await expect(createNode({ http: { host: "0.0.0.0", port: 0 } })).rejects.toMatchObject({
      code: "EXPOSED",
    });
  });
});

describe("a restarted listener", () => {
  const launched = {
    host: "192.0.2.7",
    port: 8551,
    modules: ["eth", "kaia"],
    origins: ["http://a", "http://b"],
  };

  it("is never wider than at launch", () => {
    const asked = {
      host: "127.0.0.1",
      modules: ["eth", "admin"],
      origins: ["http://b", "http://c"],
      virtualHosts: ["*"],
    };
    expect(narrowed(launched, asked)).toEqual({
      ...{ host: "127.0.0.1", port: 8551, modules: ["eth"] },
      ...{ origins: ["http://b"], virtualHosts: ["localhost"] },
    });
    expect(narrowed(launched, { origins: ["*"] }).origins).toEqual(launched.origins);
    expect(narrowed({ ...launched, origins: ["*"] }, { origins: ["http://c"] }).origins).toEqual([
      "http://c",
    ]);
    for (const host of ["0.0.0.0", "::", "", "192.0.2.8", "example.org"])
      expect(() => narrowed(launched, { host })).toThrow("it can only be narrowed");
    expect(narrowed({ ...launched, host: "::" }, { host: "192.0.2.8" }).host).toBe("192.0.2.8");
    expect(() => narrowed(launched, { port: 70_000 })).toThrow("listen tcp: address 70000: invalid port");
  });
});
