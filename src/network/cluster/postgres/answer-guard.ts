import type { Duplex } from "node:stream";

/** What the answer to a statement may have at most. */
export interface AnswerLimits {
  /** On the wire, where bytes of a column are twice as long. */
  readonly bytes: number;
  readonly rows: number;
}

/** What a server may say before the first statement, and between two. */
const UNASKED: AnswerLimits = { bytes: 256 << 10, rows: 0 };
/** How often it is looked whether bytes have moved. */
const LOOK_MS = 250;

type Listener = (...values: never[]) => void;

/** Bounds what a server answers before the driver reads it. */
export interface AnswerGuard {
  /**
   * The stream, whose bytes are counted from now on. Beyond the bounds, and when the driver throws over what it reads, it is
   * destroyed; the driver sets memory aside for what comes, and would end the process over a message that is malformed.
   */
  around(stream: Duplex): Duplex;
  /** To be called with each row, as soon as it is read. */
  row(): void;
  /** Begins a statement. @returns ends it */
  begin(most: AnswerLimits, idleMs: number): () => void;
}

/** The guard of one connection, which sends one statement after the other. */
export function createAnswerGuard(): AnswerGuard {
  let left = { ...UNASKED };
  let stream: (Duplex & { readonly bytesWritten?: number }) | undefined;
  let received = 0;
  const end = (text: string): void => void stream?.destroy(new Error(text));
  const guarded = (listener: (chunk: Buffer) => void) => (chunk: Buffer) => {
    received += chunk.length;
    left.bytes -= chunk.length;
    try {
      if (left.bytes < 0) throw new Error("the database answers more than was asked for");
      listener(chunk);
    } catch (error) {
      stream?.destroy(error as Error);
    }
  };
  return {
    around(given) {
      stream = given;
      const on = given.on.bind(given) as (event: string, listener: Listener) => Duplex;
      given.on = ((event: string, listener: Listener) =>
        on(event, event === "data" ? guarded(listener as never) : listener)) as Duplex["on"];
      return given;
    },
    row() {
      if (--left.rows < 0) throw new Error("the database answers more rows than were asked for");
    },
    begin(most, idleMs) {
      left = { ...most };
      // What was written counts once the system has taken it.
      const moved = () => received + (stream?.bytesWritten ?? 0) - (stream?.writableLength ?? 0);
      let [last, stillMs] = [moved(), 0];
      const looking = setInterval(() => {
        const now = moved();
        stillMs = now === last ? stillMs + LOOK_MS : 0;
        last = now;
        if (stillMs >= idleMs) end(`no answer for ${idleMs} ms`);
      }, LOOK_MS);
      return () => {
        clearInterval(looking);
        left = { ...UNASKED };
      };
    },
  };
}
