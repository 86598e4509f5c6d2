import { describe, expect, it } from "vitest";
import { parseDatabaseUrl, shownAddress, withoutPassword } from "./database-url.ts";

describe("parseDatabaseUrl", () => {
  it("reads host, port, database, user and password", () => {
    expect(parseDatabaseUrl("postgres://kairn:p%40ss@127.0.0.1:6432/chain")).toEqual({
      host: "127.0.0.1",
      port: 6432,
      database: "chain",
      user: "kairn",
      password: "p@ss",
      tls: "off",
      caFile: undefined,
    });
    expect(parseDatabaseUrl("postgresql://kairn@[::1]/chain")).toMatchObject({ host: "::1", port: 5432 });
    expect(parseDatabaseUrl("postgres://kairn@localhost/chain?host=/run/postgresql").host).toBe(
      "/run/postgresql",
    );
  });

  it("verifies the certificates of other machines by default", () => {
    expect(parseDatabaseUrl("postgres://kairn@db.example/chain").tls).toBe("verify");
    expect(parseDatabaseUrl("postgres://kairn@db.example/chain?sslmode=require").tls).toBe("require");
    expect(parseDatabaseUrl("postgres://kairn@db.example/chain?sslmode=disable").tls).toBe("off");
    const url = "postgres://kairn@127.0.0.1/chain?sslmode=verify-full&sslrootcert=/etc/ca.pem";
    expect(parseDatabaseUrl(url)).toMatchObject({ tls: "verify", caFile: "/etc/ca.pem" });
  });

  for (const [url, reason] of [
    ["not an address", "an address like"],
    ["mysql://kairn@host/chain", "an address like"],
    ["postgres://kairn:hunter2@/chain", "an address like"],
    ["postgres://kairn:hunter2@host/", "no database"],
    ["postgres://host/chain", "no user"],
    ["postgres://kairn:hunter2@host/chain?sslmode=prefer", "sslmode is"],
    ["postgres://kairn:hunter2@host/chain?options=-c", "options is not known"],
    ["postgres://kairn:hunter2%zz@host/chain", "two hex digits"],
  ] as const)
    it(`rejects ${url} without repeating it`, () => {
      const read = () => parseDatabaseUrl(url);
      expect(read).toThrowError(reason);
      expect(read).not.toThrowError("hunter2");
    });
});

describe("shown addresses", () => {
  it("have no password", () => {
    expect(shownAddress(parseDatabaseUrl("postgres://kairn:hunter2@127.0.0.1/chain"))).toBe(
      "postgres://kairn@127.0.0.1:5432/chain",
    );
    expect(withoutPassword("postgres://kairn:hunter2@host/chain")).toBe("postgres://kairn:***@host/chain");
    expect(withoutPassword("postgres//kairn:hunter2@host/chain")).toBe("***");
  });
});
