import type { Postgres } from "../servers/postgres.ts";

/** A scenario of a cluster over a PostgreSQL server; its result is printed. */
export type Scene = (postgres: Postgres) => Promise<string | undefined>;
