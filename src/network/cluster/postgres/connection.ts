import { setTimeout as pause } from "node:timers/promises";
import { withoutSecrets } from "../../../platform/intake/secrets.ts";
import { ClusterError, type ClusterErrorCode } from "../errors.ts";
import { type DatabaseAddress, shownAddress } from "./database-url.ts";
import { type Driver, type DriverClient, loadDriver } from "./driver.ts";
import { type ResultLimits, WANTS_PASSWORD } from "./result-guard.ts";
import { WatchedAction } from "./watched-action.ts";

/** Runs statements within a transaction. @see PostgresConnection.query */
export type Statements = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

/** Options of a database connection. */
export interface ConnectionOptions {
  readonly address: DatabaseAddress;
  /** Reread for each connection, so that it can be changed; absent = the password in the URL. */
  readonly password?: (() => string | undefined) | undefined;
  /** CA certificates for verifying the server, PEM. */
  readonly ca?: (() => string | undefined) | undefined;
  /** Whether the password may be sent in clear text, or as MD5, without a verified certificate. Default false. */
  readonly allowCleartextPasswords?: boolean | undefined;
  /** Name shown in the database's list of connections. */
  readonly name?: string;
  /**
   * Idle timeout: time without a byte in either direction, longer for large statements, after which the connection is dropped. Connecting
   * takes at most 5 s, so that a node can stop. Default 5 s.
   */
  readonly timeoutMs?: number;
  /** Absent = the `pg` package. */
  readonly driver?: Driver;
}

const TIMEOUT_MS = 5_000;
/** Minimum speed in bytes per millisecond, of the network and of the database's work. */
const MIN_SPEED = { network: 128, work: 8 << 10 };
/** Longest text of a failure that is passed on, in UTF-16 code units. */
const MAX_REASON = 500;
/** Default limits of a result. */
const DEFAULT_LIMITS: ResultLimits = { bytes: 1 << 20, rows: 4_096 };
/** Attempts after serialisation conflicts. */
const MAX_ATTEMPTS = 8;
/** Delay before the first retry; it grows linearly. */
const RETRY_MS = 5;

/** Error codes by SQLSTATE or SQLSTATE class. */
const CODES_BY_STATE: Readonly<Record<string, ClusterErrorCode>> = {
  "28": "LOG_DENIED",
  "3D": "LOG_RIGHTS",
  "42501": "LOG_RIGHTS",
  "08": "LOG_UNREACHABLE",
  "40": "LOG_BUSY",
  "53": "LOG_BUSY",
  "55": "LOG_BUSY",
  "57": "LOG_BUSY",
  "58": "LOG_BUSY",
  "25006": "LOG_BUSY",
};

/** The driver's message when the database requires a password and there is none. */
const NO_PASSWORD = /client password must be a/;

/** SQLSTATE classes that concern only the statement: conflicts and unavailable locks. */
const STATEMENT_ONLY: ReadonlySet<string> = new Set(["40", "55"]);

/**
 * A connection to a database, opened on first use and reopened after a loss. Statements are sent one at a time, and none within another
 * caller's transaction. A statement that failed with a lost connection may have taken effect.
 */
export class PostgresConnection {
  readonly #options: ConnectionOptions;
  #client: Promise<DriverClient> | undefined;
  /** Settles with the latest statement or transaction. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** What the database may have been sent, and repeat. */
  #password: string | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Its address, without a password. */
  get name(): string {
    return shownAddress(this.#options.address);
  }

  /**
   * Runs a statement, and retries it after a conflict (SQLSTATE 40001, 40P01).
   * @param values - its parameters; without any, `text` may be several statements
   * @param most - limits of the result; by default 1 MiB in 4,096 rows. Exceeding them drops the connection.
   * @throws ClusterError; `details.state` is the SQLSTATE, if any
   */
  async query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    most?: ResultLimits,
  ): Promise<readonly Row[]> {
    return (await this.run(text, values, most)).rows as readonly Row[];
  }

  /** Like `query`, with the number of changed rows. */
  async run(
    text: string,
    values?: readonly unknown[],
    most: ResultLimits = DEFAULT_LIMITS,
  ): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#serially(() => this.#once({ text, values, most }));
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
      }
      await pause(RETRY_MS * attempt);
    }
  }

  /**
   * Runs `action` within a transaction, and retries all of it after a conflict.
   * @param action - may run several times; it must use the function it is given, as other statements wait until it has ended
   * @throws ClusterError `LOG_FAILED` when it sends no statement for as long as a connection may be idle, as when it waits for one of
   * those others
   */
  async transaction<T>(action: (run: Statements) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#serially(() => this.#attempt(action));
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
      }
      await pause(RETRY_MS * attempt);
    }
  }

  /** Serialises statements, since limits and timeouts start when a statement is sent; the driver's own queue would mix several. */
  #serially<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Pins one connection: after a reconnect the rest would run outside the transaction. */
  async #attempt<T>(action: (run: Statements) => Promise<T>): Promise<T> {
    const client = await this.#connected().catch((error) => {
      throw this.#failure(error);
    });
    const run = (text: string, values?: readonly unknown[]) =>
      this.#once({ text, values, most: DEFAULT_LIMITS }, client);
    const watched = new WatchedAction(this.#options.timeoutMs ?? TIMEOUT_MS, this.name);
    const statements: Statements = async (text, values) =>
      (await watched.statement(() => run(text, values))).rows as Record<string, unknown>[];
    try {
      await run("BEGIN");
      const result = await watched.run(() => action(statements));
      await run("COMMIT");
      return result;
    } catch (error) {
      await run("ROLLBACK").catch(() => this.#drop());
      throw error;
    }
  }

  /** Closes the connection, aborting what is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #once(
    statement: Statement,
    pinned?: DriverClient,
  ): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
    const given = bytesIn(statement.values);
    const idleMs = (this.#options.timeoutMs ?? TIMEOUT_MS) + given / MIN_SPEED.work;
    const timeoutMs = idleMs + (given + statement.most.bytes) / MIN_SPEED.network;
    try {
      const client = pinned ?? (await this.#connected());
      const { rows, rowCount } = await client.query({ ...statement, idleMs, query_timeout: timeoutMs });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async #connected(): Promise<DriverClient> {
    if (this.#isClosed) throw new ClusterError("LOG_UNREACHABLE", "the connection is closed");
    if (this.#client !== undefined) return this.#client;
    const client = this.#connect(() => this.#forget(client));
    this.#client = client;
    client.catch(() => this.#forget(client));
    return client;
  }

  #forget(client: Promise<DriverClient>): void {
    if (this.#client === client) this.#client = undefined;
  }

  async #connect(onLost: () => void): Promise<DriverClient> {
    const { address, password, ca, name = "kairn", timeoutMs = TIMEOUT_MS, driver } = this.#options;
    const { allowCleartextPasswords = false } = this.#options;
    const { host, port, database, user, tls } = address;
    const { Client } = driver ?? loadDriver();
    this.#password = this.#read(password) ?? address.password;
    const client = new Client({
      ...{ host, port, database, user, keepAlive: true },
      password: this.#password,
      ssl: tls === "off" ? false : { rejectUnauthorized: tls === "verify", ca: this.#read(ca) },
      mayShowPassword: tls === "verify" || allowCleartextPasswords,
      application_name: name,
      connectionTimeoutMillis: Math.min(timeoutMs, TIMEOUT_MS),
    });
    // Errors between statements surface with the next one.
    client.on("error", onLost);
    try {
      await client.connect();
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    return client;
  }

  /** @throws ClusterError `LOG_DENIED` for a file that cannot be read */
  #read(file: (() => string | undefined) | undefined): string | undefined {
    try {
      return file?.();
    } catch (error) {
      throw new ClusterError("LOG_DENIED", `${this.name}: ${(error as Error).message}`);
    }
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    const ended = client?.then((open) => open.end()).catch(() => {});
    // A dead server never closes its side.
    await Promise.race([ended, pause(1_000, undefined, { ref: false })]);
  }

  #failure(error: unknown): ClusterError {
    if (error instanceof ClusterError) return error;
    const state = stateOf(error);
    const code = isUntrusted(error) ? "LOG_DENIED" : codeOf(state);
    const isSound = state !== undefined && STATEMENT_ONLY.has(state.slice(0, 2));
    if (!isSound && (code === "LOG_UNREACHABLE" || code === "LOG_BUSY")) void this.#drop();
    const message = withoutSecrets((error as Error).message, [this.#password]).slice(0, MAX_REASON);
    if (NO_PASSWORD.test(message))
      return new ClusterError("LOG_DENIED", `${this.name}: it wants a password, and none is given`);
    return new ClusterError(code, `${this.name}: ${message || "no connection"}`, { ...(state && { state }) });
  }
}

/** A statement with its parameters, and the limits of its result. */
interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  readonly most: ResultLimits;
}

function bytesIn(values: readonly unknown[] = []): number {
  return values.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.length : 64), 0);
}

/** Whether an error is a conflict after which to retry. */
function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state === "40001" || state === "40P01";
}

/** The SQLSTATE; undefined for errors that the database did not send. */
function stateOf(error: unknown): string | undefined {
  if (error instanceof ClusterError) return error.details["state"] as string | undefined;
  const { code } = error as { readonly code?: unknown };
  // System errors such as EPIPE may have five letters too; no SQLSTATE class begins with E.
  return typeof code === "string" && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

/** Whether TLS failed for lack of a valid certificate, or a password would have been shown: a wrong setting on either side. */
function isUntrusted(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    /CERT|ISSUER|VERIFY_LEAF/.test(String(code)) ||
    /not support SSL/.test(String(message)) ||
    message === WANTS_PASSWORD
  );
}

/** Errors without a state are connection errors: refused, reset, timed out. */
function codeOf(state: string | undefined): ClusterErrorCode {
  if (state === undefined) return "LOG_UNREACHABLE";
  return CODES_BY_STATE[state] ?? CODES_BY_STATE[state.slice(0, 2)] ?? "LOG_FAILED";
}
