import { readdirSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "../../../platform/runtime/asset.ts";
import { readBounded, SMALL_FILE_BYTES } from "../../../platform/runtime/read-bounded.ts";
import { ClusterError } from "../errors.ts";
import type { PostgresConnection } from "./connection.ts";

/** A schema migration. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const FILE = /^(\d{4})-([a-z0-9-]+)\.sql$/;
/** SQLSTATE of a missing table. */
const UNDEFINED_TABLE = "42P01";
/** SQLSTATEs of rows and tables created concurrently by another process. */
const CREATED_CONCURRENTLY = new Set(["23505", "42P07"]);
/** SQLSTATE of a missing privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";
/** Attempts when several processes migrate concurrently. */
const MAX_ATTEMPTS = 5;

const VERSIONS = `CREATE TABLE IF NOT EXISTS schema_version (
  version INT PRIMARY KEY,
  name TEXT NOT NULL,
  applied TIMESTAMPTZ NOT NULL DEFAULT now()
)`;

/** The migrations shipped with this program, in order: the numbered files in `ops/sql`. */
export function knownMigrations(folder: string = assetPath("sql")): readonly Migration[] {
  const names = readdirSync(folder).sort();
  return names.flatMap((file) => {
    const [, version, name] = FILE.exec(file) ?? [];
    if (version === undefined || name === undefined) return [];
    const sql = readBounded(join(folder, file), { maxBytes: SMALL_FILE_BYTES }).toString("utf8");
    return { version: Number(version), name, sql };
  });
}

/**
 * The schema version of a database; 0 if it has no tables.
 * @throws ClusterError `LOG_SCHEMA` if it is newer than this program
 */
export async function schemaVersion(
  connection: PostgresConnection,
  known: readonly Migration[] = knownMigrations(),
): Promise<number> {
  const version = await versionOf((text) => connection.query(text));
  checkKnown(connection.name, version, known);
  return version;
}

/**
 * Migrates a database, each step in a transaction; safe for concurrent processes.
 * @throws ClusterError `LOG_SCHEMA` for a newer version, which stays as it is; `LOG_RIGHTS`
 */
export async function migrate(
  connection: PostgresConnection,
  known: readonly Migration[] = knownMigrations(),
): Promise<void> {
  const newest = known.at(-1)?.version ?? 0;
  if ((await schemaVersion(connection, known)) === newest) return;
  await toleratingConcurrent(() => connection.query(VERSIONS));
  for (const migration of known) await apply(connection, migration);
}

/**
 * Rejects a database with an older schema: only the writer of a log migrates it.
 * @throws ClusterError `LOG_SCHEMA`
 */
export async function checkSchema(
  connection: PostgresConnection,
  known: readonly Migration[] = knownMigrations(),
): Promise<void> {
  const version = await schemaVersion(connection, known);
  const newest = known.at(-1)?.version ?? 0;
  if (version >= newest) return;
  const text =
    version === 0
      ? "has no change log yet: start the writer first"
      : `has version ${version} of the tables and this program needs ${newest}: start the writer of the new version first`;
  throw new ClusterError("LOG_SCHEMA", `${connection.name} ${text}`, { version, newest });
}

async function apply(connection: PostgresConnection, { version, name, sql }: Migration): Promise<void> {
  await toleratingConcurrent(() =>
    connection.transaction(async (run) => {
      // A second process waits here for the first, and then learns that the row exists.
      const done = await run("SELECT version FROM schema_version WHERE version = $1", [version]);
      if (done.length > 0) return;
      await run("INSERT INTO schema_version (version, name) VALUES ($1, $2)", [version, name]);
      await run(sql);
    }),
  );
}

async function toleratingConcurrent(action: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await action();
      return;
    } catch (error) {
      const state = error instanceof ClusterError ? error.details["state"] : undefined;
      if (state === INSUFFICIENT_PRIVILEGE)
        throw new ClusterError(
          "LOG_RIGHTS",
          `the tables of the change log cannot be made: ${(error as Error).message}`,
          { state },
        );
      if (!CREATED_CONCURRENTLY.has(String(state)) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function versionOf(
  query: (text: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<number> {
  try {
    const [row] = await query("SELECT MAX(version) AS version FROM schema_version");
    return Number(row?.["version"] ?? 0);
  } catch (error) {
    if (error instanceof ClusterError && error.details["state"] === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

function checkKnown(where: string, version: number, known: readonly Migration[]): void {
  const newest = known.at(-1)?.version ?? 0;
  if (version <= newest) return;
  const text = `${where} has version ${version} of the tables and this program knows ${newest}: update kairn here; nothing was changed`;
  throw new ClusterError("LOG_SCHEMA", text, { version, newest });
}
