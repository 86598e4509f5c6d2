import { createRequire } from "node:module";

/** What of the `pg` package is used. */
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
  readonly query_timeout: number;
  readonly keepAlive: boolean;
}

/** The driver as it is loaded. */
export interface Driver {
  readonly Client: new (settings: DriverSettings) => DriverClient;
}

const require = createRequire(import.meta.url);

/** Loads the driver, which only nodes with a change log need. */
export function loadDriver(): Driver {
  return require("pg");
}
