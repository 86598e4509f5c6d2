import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PostgresConnection } from "./connection.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { Driver, DriverClient, DriverQuery } from "./driver.ts";

/** A driver that returns these results in order; an error is thrown. */
function scripted(answers: readonly (readonly unknown[] | Error)[], timeoutMs?: number) {
  const seen = { connections: 0, queries: [] as string[] };
  const left = [...answers];
  const lost: (() => void)[] = [];
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
    on(_: string, listener: (error: Error) => void) {
      lost.push(() => listener(new Error("lost")));
    }
  }
  const driver: Driver = { Client };
  const address = parseDatabaseUrl("postgres://kairn:hunter2@127.0.0.1/chain");
  return {
    seen,
    lost,
    connection: new PostgresConnection({ address, driver, ...(timeoutMs !== undefined && { timeoutMs }) }),
  };
}

/** A driver that responds only when the test lets it. */
function held(timeoutMs?: number) {
  const seen: string[] = [];
  let answer = (): void => {};
  class Client implements DriverClient {
    async connect() {}
    async query({ text }: DriverQuery) {
      seen.push(text);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { rows: [], rowCount: 0 };
    }
    async end() {}
    on() {}
  }
  const address = parseDatabaseUrl("postgres://kairn@127.0.0.1/chain");
  return {
    seen,
    answer: () => answer(),
    connection: new PostgresConnection({
      address,
      driver: { Client },
      ...(timeoutMs !== undefined && { timeoutMs }),
    }),
  };
}

const failure = (code: string, message = "no") => Object.assign(new Error(message), { code });

describe("PostgresConnection", () => {
  it("retries a statement after a serialization failure", async () => {
    const { seen, connection } = scripted([failure("40001"), failure("40P01"), [{ one: 1 }]]);
    expect(await connection.query("SELECT 1")).toEqual([{ one: 1 }]);
    expect(seen).toEqual({ connections: 1, queries: ["SELECT 1", "SELECT 1", "SELECT 1"] });
  });

  it("retries a transaction after a serialization failure", async () => {
    const { seen, connection } = scripted([[], [], failure("40001"), [], [], [{ one: 1 }], []]);
    expect(await connection.transaction((run) => run("SELECT 1"))).toEqual([{ one: 1 }]);
    expect(seen.queries.join(" ")).toBe("BEGIN SELECT 1 COMMIT ROLLBACK BEGIN SELECT 1 COMMIT");
  });

  it("sends one statement at a time, and none within another caller's transaction", async () => {
    const { seen, answer, connection } = held();
    const first = connection.query("SELECT 1");
    const both = connection.transaction((run) => run("INSERT 1"));
    const last = connection.query("SELECT 2");
    for (const text of ["SELECT 1", "BEGIN", "INSERT 1", "COMMIT", "SELECT 2"]) {
      await pause(1);
      expect(seen.at(-1)).toBe(text);
      answer();
    }
    await Promise.all([first, both, last]);
    expect(seen).toHaveLength(5);
  });

  it("sends the queued statements after one that failed", async () => {
    const { seen, connection } = scripted([failure("22012"), [{ one: 1 }]]);
    const [failed, next] = [connection.query("SELECT 1 / 0"), connection.query("SELECT 1")];
    await expect(failed).rejects.toMatchObject({ code: "LOG_FAILED" });
    expect(await next).toEqual([{ one: 1 }]);
    expect(seen.queries).toEqual(["SELECT 1 / 0", "SELECT 1"]);
  });

  it("does not continue a transaction on another connection", async () => {
    const { seen, lost, connection } = scripted([[], [], failure("08006")]);
    const half = connection.transaction(async (run) => {
      await run("INSERT 1");
      lost[0]?.();
      await run("INSERT 2");
    });
    await expect(half).rejects.toMatchObject({ code: "LOG_UNREACHABLE" });
    expect(seen).toEqual({ connections: 1, queries: ["BEGIN", "INSERT 1", "INSERT 2", "ROLLBACK"] });
  });

  it("ends a transaction that waits for a statement outside it, which runs afterwards", async () => {
    const { seen, connection } = scripted([[], [], [], [{ one: 1 }]], 20);
    let outside: Promise<unknown> | undefined;
    let late: Promise<unknown> | undefined;
    const stuck = connection.transaction(async (run) => {
      await run("INSERT 1");
      outside = connection.query("SELECT 1");
      await outside;
      late = run("INSERT 2");
      await late;
    });
    await expect(stuck).rejects.toMatchObject({ code: "LOG_FAILED" });
    expect(await outside).toEqual([{ one: 1 }]);
    await expect(late).rejects.toMatchObject({ code: "LOG_FAILED" });
    expect(seen.queries).toEqual(["BEGIN", "INSERT 1", "ROLLBACK", "SELECT 1"]);
  });

  it("does not count the time of a transaction's statements as idle", async () => {
    const { answer, connection } = held(5);
    const both = connection.transaction((run) => run("INSERT 1"));
    let isOver = false;
    void both.finally(() => {
      isOver = true;
    });
    for (; !isOver; await pause(20)) answer();
    expect(await both).toEqual([]);
  });

  it("retries after a broken pipe, or after too many conflicts", async () => {
    const { connection } = scripted([failure("EPIPE"), ...Array.from({ length: 8 }, () => failure("40001"))]);
    await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_UNREACHABLE" });
    await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_BUSY" });
  });

  it("reconnects after the connection was lost", async () => {
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
    it(`reports ${code} for ${state}, without the password`, async () => {
      const { connection } = scripted([failure(state)]);
      const error = await connection.query("SELECT 1").catch((thrown) => thrown);
      expect(error).toMatchObject({ code, details: { state } });
      expect(error.message).toContain("postgres://kairn@127.0.0.1:5432/chain");
      expect(error.message).not.toContain("hunter2");
    });

  it("reports invalid certificates and unreadable files as wrong settings", async () => {
    const { connection } = scripted([
      failure("DEPTH_ZERO_SELF_SIGNED_CERT"),
      failure("ERR_TLS_CERT_ALTNAME_INVALID"),
      failure("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
      new Error("The server does not support SSL connections"),
      new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string"),
    ]);
    for (let i = 0; i < 5; i++)
      await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_DENIED" });
    const address = parseDatabaseUrl("postgres://kairn@127.0.0.1/chain");
    const password = () => {
      throw failure("ENOENT", "no such file");
    };
    const other = new PostgresConnection({ address, password });
    await expect(other.query("SELECT 1")).rejects.toMatchObject({
      code: "LOG_DENIED",
      message: "postgres://kairn@127.0.0.1:5432/chain: no such file",
    });
  });
});
