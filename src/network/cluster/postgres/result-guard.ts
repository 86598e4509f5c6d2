import type { Duplex } from "node:stream";

/** Limits of a statement's result. */
export interface ResultLimits {
  /** Bytes on the wire, where a BYTEA column takes twice its length. */
  readonly bytes: number;
  readonly rows: number;
}

/** A message of the server, as the driver shows it before it acts on it. */
export interface ServerMessage {
  readonly name: string;
  /** Columns of a `rowDescription`. */
  readonly fieldCount?: number;
}

/** Messages other than rows per statement, and before the first: settings, notices, results of the statements of a migration. */
const MAX_OTHERS = 1_000;
/** Columns of a result; the statements here ask for a dozen. */
const MAX_COLUMNS = 64;
/** Limits before the first statement and between statements. */
const UNSOLICITED: ResultLimits = { bytes: 256 << 10, rows: 0 };
/** How often progress is checked. */
const POLL_MS = 250;

/** Steps of an authentication that show no password to whoever answers: SCRAM proves that the client knows it. */
const SECRET_KEPT = new Set([
  "authenticationOk",
  "authenticationSASL",
  "authenticationSASLContinue",
  "authenticationSASLFinal",
]);

/** Error of a server that wants what would show it the password. */
export const WANTS_PASSWORD =
  "it wants the password in clear text or as MD5, which is not sent without a verified certificate (?sslmode=verify-full) or " +
  "--allow-cleartext-passwords; SCRAM would need neither";

type Listener = (...values: never[]) => void;

/** Limits a server's results before the driver reads them. */
export interface ResultGuard {
  /**
   * Wraps the stream to count its bytes. It is destroyed when a limit is exceeded or the driver throws: the driver allocates memory for
   * announced sizes, and a malformed message would crash the process.
   */
  around(stream: Duplex): Duplex;
  /**
   * Must be called for each message before the driver acts on it: it answers some of them, and derives a key for every request of one, all
   * at once, in the threads that also write files.
   */
  message(message: ServerMessage): void;
  /** Starts a statement. @returns the function that ends it */
  begin(most: ResultLimits, idleMs: number): () => void;
}

/**
 * The guard of one connection, which sends one statement at a time.
 * @param mayShowPassword - whether the server may learn the password, or its MD5
 */
export function createResultGuard(mayShowPassword: boolean): ResultGuard {
  let left = { ...UNSOLICITED, others: MAX_OTHERS };
  const steps = new Set<string>();
  let stream: (Duplex & { readonly bytesWritten?: number }) | undefined;
  let received = 0;
  const end = (text: string): void => void stream?.destroy(new Error(text));
  const guarded = (listener: (chunk: Buffer) => void) => (chunk: Buffer) => {
    received += chunk.length;
    left.bytes -= chunk.length;
    try {
      if (left.bytes < 0) throw new Error("the database returned more than was requested");
      listener(chunk);
    } catch (error) {
      stream?.destroy(error as Error);
    }
  };
  return {
    around(given) {
      stream = given;
      const on = given.on.bind(given) as (event: string, listener: Listener) => Duplex;
      // Listeners of "data" take chunks; the overloads of `on` cannot be expressed by one function.
      given.on = ((event: string, listener: Listener) =>
        on(event, event === "data" ? guarded(listener as never) : listener)) as Duplex["on"];
      return given;
    },
    message({ name, fieldCount = 0 }) {
      if (name === "dataRow") {
        if (--left.rows < 0) throw new Error("the database returned more rows than were requested");
        return;
      }
      if (--left.others < 0) throw new Error("the database sends messages without end");
      if (fieldCount > MAX_COLUMNS) throw new Error("the database returned more columns than were requested");
      if (!name.startsWith("authentication")) return;
      if (!mayShowPassword && !SECRET_KEPT.has(name)) throw new Error(WANTS_PASSWORD);
      if (steps.has(name)) throw new Error("the database repeats a step of the authentication");
      steps.add(name);
    },
    begin(most, idleMs) {
      left = { ...most, others: MAX_OTHERS };
      // Written bytes count once the socket has flushed them.
      const moved = () => received + (stream?.bytesWritten ?? 0) - (stream?.writableLength ?? 0);
      let [last, stillMs] = [moved(), 0];
      const looking = setInterval(() => {
        const now = moved();
        stillMs = now === last ? stillMs + POLL_MS : 0;
        last = now;
        if (stillMs >= idleMs) end(`no response for ${idleMs} ms`);
      }, POLL_MS);
      return () => {
        clearInterval(looking);
        left = { ...UNSOLICITED, others: MAX_OTHERS };
      };
    },
  };
}
