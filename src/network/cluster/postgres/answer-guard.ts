import type { Duplex } from "node:stream";

/** Limits of the answer to a statement. */
export interface AnswerLimits {
  /** Bytes on the wire, where a bytes column takes twice its length. */
  readonly bytes: number;
  readonly rows: number;
}

/** What a server may send before the first statement, and between statements. */
const UNASKED: AnswerLimits = { bytes: 256 << 10, rows: 0 };
/** How often progress is checked. */
const LOOK_MS = 250;

type Listener = (...values: never[]) => void;

/** Bounds a server's answers before the driver reads them. */
export interface AnswerGuard {
  /**
   * The stream, with its bytes counted from now on. It is destroyed when the bounds are exceeded or the driver throws on its content:
   * the driver allocates memory for what is announced, and a malformed message would end the process.
   */
  around(stream: Duplex): Duplex;
  /** Must be called with each row as soon as it is read. */
  row(): void;
  /** Begins a statement. @returns the function that ends it */
  begin(most: AnswerLimits, idleMs: number): () => void;
}

/** The guard of one connection, which sends one statement at a time. */
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
      // Written bytes count once the system has accepted them.
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
