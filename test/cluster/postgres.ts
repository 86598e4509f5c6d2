import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../e2e/free-port.ts";

/** A user without rights, for the server refuses to run as root. */
const NOBODY = 65_534;
/** How long the server may take to answer, on a machine that does other things too. */
const START_MS = 60_000;

/** Where the programs of PostgreSQL are: `KAIRN_POSTGRES`, the path, or the folders of Debian and Homebrew. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const folders = [
    process.env["KAIRN_POSTGRES"] ?? "",
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...(existsSync(debian)
      ? readdirSync(debian)
          .toSorted()
          .reverse()
          .map((name) => join(debian, name, "bin"))
      : []),
    "/opt/homebrew/opt/postgresql@16/bin",
  ];
  return folders.find(
    (folder) => folder !== "" && ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
  );
}

/** How to get one, for people. */
export const HOW_TO_INSTALL =
  "PostgreSQL is not on the path: `apt-get install postgresql` (Debian), `brew install postgresql@16` (macOS), or name its folder of programs in KAIRN_POSTGRES";

/** A server of its own, with its data in a folder for temporary files, on loopback. */
export class Postgres {
  readonly port: number;
  readonly #programs: string;
  readonly #folder: string;
  #server: ChildProcess | undefined;

  private constructor(programs: string, folder: string, port: number) {
    this.#programs = programs;
    this.#folder = folder;
    this.port = port;
  }

  /** Makes a database cluster and starts the server. @param programs - the folder of `findPostgres` */
  static async start(programs: string, settings: readonly string[] = []): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), "kairn-postgres-"));
    const password = join(folder, "password");
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(password, "secret\n");
    if (process.getuid?.() === 0)
      for (const path of [folder, data, password]) chownSync(path, NOBODY, NOBODY);
    const args = [
      "-D",
      data,
      "-U",
      "kairn",
      "--pwfile",
      password,
      "-A",
      "scram-sha-256",
      "-E",
      "UTF8",
      "--locale",
      "C",
    ];
    execFileSync(join(programs, "initdb"), args, { cwd: folder, stdio: "pipe", ...unprivileged() });
    const postgres = new Postgres(programs, folder, await freePort());
    writeFileSync(join(data, "postgresql.auto.conf"), [...SETTINGS, ...settings].join("\n"));
    await postgres.launch();
    return postgres;
  }

  /** Address of a database. */
  url(database = "postgres", user = "kairn:secret", port = this.port): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}`;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Starts the server on its data. */
  async launch(): Promise<void> {
    const args = [
      "-D",
      join(this.#folder, "data"),
      "-p",
      String(this.port),
      "-h",
      "127.0.0.1",
      "-k",
      this.#folder,
    ];
    const server = spawn(join(this.#programs, "postgres"), args, {
      cwd: this.#folder,
      stdio: "ignore",
      ...unprivileged(),
    });
    this.#server = server;
    const { PostgresConnection } = await import("../../src/network/cluster/postgres/connection.ts");
    const { parseDatabaseUrl } = await import("../../src/network/cluster/postgres/database-url.ts");
    const connection = new PostgresConnection({ address: parseDatabaseUrl(this.url()) });
    try {
      for (const until = Date.now() + START_MS; ; await pause(100)) {
        try {
          await connection.query("SELECT 1");
          return;
        } catch (error) {
          if (Date.now() > until || server.exitCode !== null) throw error;
        }
      }
    } finally {
      await connection.close();
    }
  }

  /** Makes an empty database. */
  async createDatabase(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Runs statements as the owner of everything. */
  async query<Row>(text: string, database = "postgres"): Promise<readonly Row[]> {
    const { PostgresConnection } = await import("../../src/network/cluster/postgres/connection.ts");
    const { parseDatabaseUrl } = await import("../../src/network/cluster/postgres/database-url.ts");
    const connection = new PostgresConnection({
      address: parseDatabaseUrl(this.url(database)),
      timeoutMs: 60_000,
    });
    try {
      return await connection.query<Row>(text);
    } finally {
      await connection.close();
    }
  }

  /** Ends it: SIGINT = in order, SIGQUIT or SIGKILL = as a crash would. */
  async end(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Small, and as durable as in service. */
const SETTINGS = ["shared_buffers = '32MB'", "max_connections = 50", "fsync = on", "synchronous_commit = on"];

function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}
