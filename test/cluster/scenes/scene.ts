import type { Postgres } from "../servers/postgres.ts";

/** Something that a cluster does together over a server of PostgreSQL; what it returns is told. */
export type Scene = (postgres: Postgres) => Promise<string | undefined>;
