import { setTimeout as pause } from "node:timers/promises";
import { ClusterError, type ClusterErrorCode } from "../errors.ts";
import type { AnswerLimits } from "./answer-guard.ts";
import { type DatabaseAddress, shownAddress } from "./database-url.ts";
import { type Driver, type DriverClient, loadDriver } from "./driver.ts";

/** Runs statements within a transaction. @see PostgresConnection.query */
export type Statements = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

/** How a database is reached. */
export interface ConnectionOptions {
  readonly address: DatabaseAddress;
  /** Reread for each connection, so that the password can be changed; absent = the one in the URL. */
  readonly password?: (() => string | undefined) | undefined;
  /** CA certificates that the host's certificate is verified with, PEM. */
  readonly ca?: (() => string | undefined) | undefined;
  /** Name shown in the database's list of connections. */
  readonly name?: string;
  /**
   * Time without a byte in either direction after which the connection is dropped, longer for large statements; connecting takes 5 s
   * at most, so that a node can stop. Default 5 s.
   */
  readonly timeoutMs?: number;
  /** Absent = the `pg` package. */
  readonly driver?: Driver;
}

const TIMEOUT_MS = 5_000;
/** Minimum speed of a statement and its answer on the network, in bytes per millisecond, and of the database's work. */
const SLOWEST = { network: 128, work: 8 << 10 };
/** Default limits of an answer. */
const ANSWER: AnswerLimits = { bytes: 1 << 20, rows: 4_096 };
/** How often a statement is repeated after a serialisation conflict. */
const TRIES = 8;
/** Milliseconds before the first repetition; each further one waits that much longer. */
const RETRY_MS = 5;

/** What an SQLSTATE, or its first two letters, means here. */
const MEANINGS: Readonly<Record<string, ClusterErrorCode>> = {
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

/** The driver's message when the database wants a password and there is none or an empty one. */
const NO_PASSWORD = /client password must be a/;

/** SQLSTATE classes that say nothing about the connection: conflicts, and locks that were not available. */
const SOUND: ReadonlySet<string> = new Set(["40", "55"]);

/**
 * One connection to a database, opened on first use and reopened after a loss. Statements are sent one at a time, and
 * none within another caller's transaction. A statement that failed with a lost connection may have taken effect.
 */
export class PostgresConnection {
  readonly #options: ConnectionOptions;
  #client: Promise<DriverClient> | undefined;
  /** Settles with the statement or transaction requested last. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Its address, without a password. */
  get name(): string {
    return shownAddress(this.#options.address);
  }

  /**
   * Runs a statement, and repeats it if the database reports a conflict with others (SQLSTATE 40001, 40P01).
   * @param values - its parameters; without any, `text` may be several statements
   * @param most - limits of the answer; by default 1 MiB in 4,096 rows. A larger one drops the connection.
   * @throws ClusterError by what went wrong; `details.state` is the SQLSTATE, if any
   */
  async query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    most?: AnswerLimits,
  ): Promise<readonly Row[]> {
    return (await this.run(text, values, most)).rows as readonly Row[];
  }

  /** As `query`, with the number of rows that were changed. */
  async run(
    text: string,
    values?: readonly unknown[],
    most: AnswerLimits = ANSWER,
  ): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#inTurn(() => this.#once({ text, values, most }));
      } catch (error) {
        if (!isCollision(error) || attempt === TRIES) throw error;
      }
      await pause(RETRY_MS * attempt);
    }
  }

  /**
   * Runs `action` within a transaction, and restarts it from the beginning if the database asks for it.
   * @param action - may run several times; it must use the function it is given, as other statements wait until it has ended
   */
  async transaction<T>(action: (run: Statements) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#inTurn(() => this.#attempt(action));
      } catch (error) {
        if (!isCollision(error) || attempt === TRIES) throw error;
      }
      await pause(RETRY_MS * attempt);
    }
  }

  /** An answer's bounds and time limit apply from when its statement is sent: the driver's own queue would mix up several. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }

  /** All on one connection: on a new one the rest would run without the beginning. */
  async #attempt<T>(action: (run: Statements) => Promise<T>): Promise<T> {
    const client = await this.#connected().catch((error) => {
      throw this.#failure(error);
    });
    const run = (text: string, values?: readonly unknown[]) =>
      this.#once({ text, values, most: ANSWER }, client);
    try {
      await run("BEGIN");
      const result = await action(
        async (text, values) => (await run(text, values)).rows as Record<string, unknown>[],
      );
      await run("COMMIT");
      return result;
    } catch (error) {
      await run("ROLLBACK").catch(() => this.#drop());
      throw error;
    }
  }

  /** Closes it, abandoning what is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #once(
    statement: Statement,
    pinned?: DriverClient,
  ): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
    const given = bytesIn(statement.values);
    const idleMs = (this.#options.timeoutMs ?? TIMEOUT_MS) + given / SLOWEST.work;
    const timeoutMs = idleMs + (given + statement.most.bytes) / SLOWEST.network;
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
    const { host, port, database, user, tls } = address;
    const { Client } = driver ?? loadDriver();
    const client = new Client({
      ...{ host, port, database, user, keepAlive: true },
      password: this.#read(password) ?? address.password,
      ssl: tls === "off" ? false : { rejectUnauthorized: tls === "verify", ca: this.#read(ca) },
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
    // A machine that is gone does not close its connections.
    await Promise.race([ended, pause(1_000, undefined, { ref: false })]);
  }

  #failure(error: unknown): ClusterError {
    if (error instanceof ClusterError) return error;
    const state = stateOf(error);
    const code = isUntrusted(error) ? "LOG_DENIED" : meaningOf(state);
    const isSound = state !== undefined && SOUND.has(state.slice(0, 2));
    if (!isSound && (code === "LOG_UNREACHABLE" || code === "LOG_BUSY")) void this.#drop();
    const { message } = error as Error;
    if (NO_PASSWORD.test(message))
      return new ClusterError("LOG_DENIED", `${this.name}: it wants a password, and none is given`);
    return new ClusterError(code, `${this.name}: ${message || "no connection"}`, { ...(state && { state }) });
  }
}

/** A statement with its parameters, and the limits of its answer. */
interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  readonly most: AnswerLimits;
}

function bytesIn(values: readonly unknown[] = []): number {
  return values.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.length : 64), 0);
}

/** Whether the database asks to repeat the statement or the whole transaction. */
function isCollision(error: unknown): boolean {
  const state = stateOf(error);
  return state === "40001" || state === "40P01";
}

/** Five letters of the SQL standard; undefined for errors that the database did not send. */
function stateOf(error: unknown): string | undefined {
  if (error instanceof ClusterError) return error.details["state"] as string | undefined;
  const { code } = error as { readonly code?: unknown };
  // Errors of the system, such as EPIPE, may have five letters too; no class of SQLSTATE begins with E.
  return typeof code === "string" && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

/** Whether a server has no certificate or an invalid one: a setting on either side is wrong. */
function isUntrusted(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return /CERT|ISSUER|VERIFY_LEAF/.test(String(code)) || /not support SSL/.test(String(message));
}

/** Errors without a state are those of the connection: refused, cut, timed out. */
function meaningOf(state: string | undefined): ClusterErrorCode {
  if (state === undefined) return "LOG_UNREACHABLE";
  return MEANINGS[state] ?? MEANINGS[state.slice(0, 2)] ?? "LOG_FAILED";
}
