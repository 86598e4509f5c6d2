import { describe, expect, it } from "vitest";
import { checkUnlockAtStart, isLoopback } from "./exposure.ts";

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

describe("unlocking at start", () => {
  const open = { port: 0, host: "0.0.0.0" };
  it("is refused while other machines reach the node, unless that is wanted", () => {
    expect(() => checkUnlockAtStart({ http: open })).toThrowError(
      /^--unlock: account unlock with HTTP access is forbidden: 0\.0\.0\.0/,
    );
    expect(() => checkUnlockAtStart({ http: { port: 0 }, ws: open })).toThrowError(/forbidden/);
    checkUnlockAtStart({ http: open, allowInsecureUnlock: true });
    checkUnlockAtStart({
      http: { port: 0, host: "localhost" },
      ws: { port: 0, host: "127.0.0.1" },
      ipc: true,
    });
  });
});
