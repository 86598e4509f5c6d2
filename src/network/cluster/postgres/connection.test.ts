import { describe, expect, it } from "vitest";
import { PostgresConnection } from "./connection.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { Driver, DriverClient, DriverQuery } from "./driver.ts";

/** A driver whose answers come one after the other; an error is thrown. */
function scripted(answers: readonly (readonly unknown[] | Error)[]) {
  const seen = { connections: 0, queries: [] as string[] };
  const left = [...answers];
  class Client implements DriverClient {
    async connect() {
      seen.connections++;
    }
    async query({ text }: DriverQuery) {
      seen.queries.push(text);
      const answer = left.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return { rows: answer, rowCount: answer.length };
    }
    async end() {}
    on() {}
  }
  const driver: Driver = { Client };
  const address = parseDatabaseUrl("postgres://kairn:hunter2@127.0.0.1/chain");
  return { seen, connection: new PostgresConnection({ address, driver }) };
}

const failure = (code: string, message = "no") => Object.assign(new Error(message), { code });

describe("PostgresConnection", () => {
  it("repeats a statement that the database could not order", async () => {
    const { seen, connection } = scripted([failure("40001"), failure("40P01"), [{ one: 1 }]]);
    expect(await connection.query("SELECT 1")).toEqual([{ one: 1 }]);
    expect(seen).toEqual({ connections: 1, queries: ["SELECT 1", "SELECT 1", "SELECT 1"] });
  });

  it("begins a transaction again that could not be ordered", async () => {
    const { seen, connection } = scripted([[], [], failure("40001"), [], [], [{ one: 1 }], []]);
    expect(await connection.transaction((run) => run("SELECT 1"))).toEqual([{ one: 1 }]);
    expect(seen.queries.join(" ")).toBe("BEGIN SELECT 1 COMMIT ROLLBACK BEGIN SELECT 1 COMMIT");
  });

  it("connects anew after the connection was lost", async () => {
    const { seen, connection } = scripted([failure("ECONNRESET"), [{ one: 1 }]]);
    await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_UNREACHABLE" });
    expect(await connection.query("SELECT 1")).toEqual([{ one: 1 }]);
    expect(seen.connections).toBe(2);
  });

  for (const [state, code] of [
    ["28P01", "LOG_DENIED"],
    ["3D000", "LOG_RIGHTS"],
    ["42501", "LOG_RIGHTS"],
    ["53100", "LOG_BUSY"],
    ["57P01", "LOG_BUSY"],
    ["08006", "LOG_UNREACHABLE"],
    ["22012", "LOG_FAILED"],
  ] as const)
    it(`says ${code} for ${state}, and not the password`, async () => {
      const { connection } = scripted([failure(state)]);
      const error = await connection.query("SELECT 1").catch((thrown) => thrown);
      expect(error).toMatchObject({ code, details: { state } });
      expect(error.message).toContain("postgres://kairn@127.0.0.1:5432/chain");
      expect(error.message).not.toContain("hunter2");
    });
});
