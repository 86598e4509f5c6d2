import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresConnection } from "../../../src/network/cluster/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/network/cluster/postgres/database-url.ts";
import { freePort } from "../../e2e/free-port.ts";
import { type Certificate, makeCertificate } from "./certificates.ts";
import { findPrograms, TestServer } from "./server.ts";

const PROGRAMS = ["initdb", "postgres"];

/** Where the programs of PostgreSQL are: `KAIRN_POSTGRES`, the path, or the folders of Debian and Homebrew. */
export function findPostgres(): string | undefined {
  const named = process.env["KAIRN_POSTGRES"];
  if (named && PROGRAMS.every((name) => existsSync(join(named, name)))) return named;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted().reverse() : [];
  const folders = versions.map((version) => join(debian, version, "bin"));
  return findPrograms(PROGRAMS, [...folders, "/opt/homebrew/opt/postgresql@16/bin"]);
}

/** How to install one. */
export const HOW_TO_INSTALL =
  "PostgreSQL is not on the path: `apt-get install postgresql` (Debian), `brew install postgresql@16` (macOS), or " +
  "set KAIRN_POSTGRES to its folder of programs";

/** Small, and as durable as in production. */
const SETTINGS = ["shared_buffers = '32MB'", "max_connections = 50", "fsync = on", "synchronous_commit = on"];

/** Additional settings of a test's server. */
export interface PostgresSettings {
  /** Lines of its configuration. */
  readonly lines?: readonly string[];
  /** Whether it has a self-signed certificate. */
  readonly hasTls?: boolean;
  /** Folder for its data, such as one on a small disk; created by the caller, and used by nothing else. */
  readonly data?: string;
}

/** A separate PostgreSQL server on loopback. */
export class Postgres {
  readonly port: number;
  readonly certificate: Certificate | undefined;
  readonly #server: TestServer;

  private constructor(port: number, server: TestServer, certificate: Certificate | undefined) {
    this.port = port;
    this.#server = server;
    this.certificate = certificate;
  }

  /** Makes a database cluster and starts the server. @param programs - the folder of `findPostgres` */
  static async start(
    programs: string,
    { lines = [], hasTls, data }: PostgresSettings = {},
  ): Promise<Postgres> {
    const port = await freePort();
    const isReady = () => answers(port);
    const server: TestServer = new TestServer("postgres", () => ({
      program: join(programs, "postgres"),
      args: ["-D", at, "-p", String(port), "-h", "127.0.0.1", "-k", server.folder],
      isReady,
    }));
    const at = data ?? join(server.folder, "data");
    const password = join(server.folder, "password");
    if (data === undefined) mkdirSync(at, { mode: 0o700 });
    writeFileSync(password, "secret\n");
    for (const path of [at, password]) server.give(path);
    const user = ["-U", "kairn", "--pwfile", password, "-A", "scram-sha-256"];
    const args = ["-D", at, ...user, "-E", "UTF8", "--locale", "C"];
    execFileSync(join(programs, "initdb"), args, { cwd: server.folder, stdio: "pipe", ...server.user });
    const certificate = hasTls ? makeCertificate(server.folder) : undefined;
    const tls = certificate
      ? ["ssl = on", `ssl_cert_file = '${certificate.certificate}'`, `ssl_key_file = '${certificate.key}'`]
      : [];
    if (certificate) for (const path of Object.values(certificate)) server.give(path);
    writeFileSync(join(at, "postgresql.auto.conf"), [...SETTINGS, ...tls, ...lines].join("\n"));
    const postgres = new Postgres(port, server, certificate);
    await postgres.launch();
    return postgres;
  }

  /** Address of a database. */
  url(database = "postgres", user = "kairn:secret", port = this.port): string {
    return urlOf(port, database, user);
  }

  get pid(): number | undefined {
    return this.#server.pid;
  }

  /** Whether its process is running; it may have exited because of a full disk. */
  get isRunning(): boolean {
    return this.#server.isRunning;
  }

  /** Starts the server on its existing data. */
  launch(): Promise<void> {
    return this.#server.launch();
  }

  /** Makes an empty database. */
  async createDatabase(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Runs statements, by default as the owner of everything. */
  async query<Row>(text: string, database = "postgres", user?: string): Promise<readonly Row[]> {
    const address = parseDatabaseUrl(this.url(database, user));
    const connection = new PostgresConnection({ address, timeoutMs: 60_000 });
    try {
      return await connection.query<Row>(text, undefined, { bytes: 256 << 20, rows: 1_000_000 });
    } finally {
      await connection.close();
    }
  }

  /** Stops it: SIGINT = cleanly, SIGQUIT or SIGKILL = like a crash. */
  end(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    return this.#server.end(signal);
  }

  /** Stops it and removes its data. */
  remove(): Promise<void> {
    return this.#server.remove("SIGINT");
  }
}

function urlOf(port: number, database = "postgres", user = "kairn:secret"): string {
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}

async function answers(port: number): Promise<boolean> {
  const connection = new PostgresConnection({ address: parseDatabaseUrl(urlOf(port)) });
  try {
    await connection.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
