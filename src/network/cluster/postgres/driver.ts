import { createRequire } from "node:module";
import type { Duplex } from "node:stream";
import { type ColumnTypes, columnTypes } from "./column-types.ts";
import {
  createResultGuard,
  type ResultGuard,
  type ResultLimits,
  type ServerMessage,
} from "./result-guard.ts";

/** The part of the `pg` package that is used. */
export interface DriverClient {
  connect(): Promise<void>;
  query(query: DriverQuery): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): void;
}

/** A statement with its parameters; without any it may be several statements. */
export interface DriverQuery {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  /** Limits of the result; exceeding them ends the connection. */
  readonly most: ResultLimits;
  /** Idle timeout in milliseconds. */
  readonly idleMs: number;
  /** Timeout of the whole statement in milliseconds. */
  readonly query_timeout: number;
}

/** Settings of a client. */
export interface DriverSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string | undefined;
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string | undefined };
  readonly application_name: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  /** Whether the server may learn the password, or its MD5: it is the right one, or that does not matter. */
  readonly mayShowPassword: boolean;
}

/** The loaded driver. */
export interface Driver {
  readonly Client: new (settings: DriverSettings) => DriverClient;
}

/** The package's connection, as far as the guard needs it. */
interface Connection {
  on(event: "message", listener: (message: ServerMessage) => void): void;
  attachListeners(stream: Duplex): void;
}

interface Package {
  readonly Client: new (
    settings: DriverSettings & { readonly connection: Connection; readonly types: ColumnTypes },
  ) => DriverClient;
  readonly Connection: new (settings: Pick<DriverSettings, "ssl" | "keepAlive">) => Connection;
}

const require = createRequire(import.meta.url);

/** Loads the driver, which only nodes with a change log need, and limits results before it reads them. */
export function loadDriver(): Driver {
  const { Client, Connection } = require("pg") as Package;

  class GuardedConnection extends Connection {
    readonly #guard: ResultGuard;

    constructor({ ssl, keepAlive }: DriverSettings, guard: ResultGuard) {
      super({ ssl, keepAlive });
      this.#guard = guard;
      this.on("message", (message) => guard.message(message));
    }

    /** Called with the stream: the socket, or the TLS stream over it. */
    override attachListeners(stream: Duplex): void {
      super.attachListeners(this.#guard.around(stream));
    }
  }

  class GuardedClient extends Client {
    readonly #guard: ResultGuard;

    constructor(settings: DriverSettings) {
      const guard = createResultGuard(settings.mayShowPassword);
      super({ ...settings, connection: new GuardedConnection(settings, guard), types: columnTypes });
      this.#guard = guard;
    }

    override async query({ most, idleMs, ...query }: DriverQuery) {
      const done = this.#guard.begin(most, idleMs);
      try {
        return await super.query(query as DriverQuery);
      } finally {
        done();
      }
    }
  }

  return { Client: GuardedClient };
}
