import { chmod, unlink } from "node:fs/promises";
import { createConnection, createServer, type Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { Scanner } from "../../../protocol/codec/json/scanner.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { ErrorCode } from "../errors.ts";
import { errorText } from "../jsonrpc.ts";
import type { Access } from "../registry.ts";
import type { RpcServer } from "../server.ts";
import { createPushSession } from "../session.ts";
import type { Listener } from "./http/server.ts";

/** Largest text that is waited for, in UTF-16 units. */
const MAX_TEXT = 64 * 1024 * 1024;
const MAX_BACKLOG = 64 * 1024 * 1024;
/** Bytes that the system takes for the path of a unix socket; Node cuts a longer one off without a word. */
const MAX_PATH = process.platform === "linux" ? 107 : 103;

/** No socket can have this path. */
export class IpcPathError extends NodeError<"IPC_PATH"> {
  override name = "IpcPathError";
}

/**
 * Listens on a unix socket (mode 0600) or, on Windows, a named pipe: a stream of JSON texts without framing; each answer
 * ends with a line feed.
 * @param path of the socket; one that nobody listens on is replaced
 * @throws IpcPathError for a path that is too long
 */
export async function listenIpc(server: RpcServer, access: Access, path: string): Promise<Listener> {
  checkLength(path);
  await removeStale(path);
  const sockets = new Set<Socket>();
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(server, access, socket);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(path, resolve);
  });
  if (!isPipe(path)) await chmod(path, 0o600);
  return {
    address: path,
    port: 0,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function checkLength(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (isPipe(path) || bytes <= MAX_PATH) return;
  const text = `${path} has ${bytes} bytes, the path of a socket at most ${MAX_PATH}`;
  throw new IpcPathError("IPC_PATH", text, { path });
}

function isPipe(path: string): boolean {
  return path.startsWith("\\\\");
}

/** Removes a socket file that a crashed node left behind. */
async function removeStale(path: string): Promise<void> {
  if (isPipe(path)) return;
  const alive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (!alive) await unlink(path).catch(() => undefined);
}

function serve(server: RpcServer, access: Access, socket: Socket): void {
  const ended = new AbortController();
  let running = 0;
  let halfClosed = false;
  const push = (text: string) => {
    if (socket.destroyed) return;
    if (socket.writableLength > MAX_BACKLOG) socket.destroy();
    else socket.write(`${text}\n`);
  };
  const session = createPushSession(access, ended.signal, push);
  const endIfDone = () => {
    if (halfClosed && running === 0) socket.end();
  };
  const answered = (answer: string) => {
    if (answer !== "") push(answer);
    session.subscriptions.release();
  };
  const texts = new TextStream(
    (text) => {
      const answer = server.answer(text, session);
      if (typeof answer === "string") {
        answered(answer);
        return;
      }
      running++;
      void answer.then(answered).then(() => {
        running--;
        endIfDone();
      });
    },
    (reason) => {
      push(errorText(undefined, { code: ErrorCode.parse, message: reason }));
      socket.end();
    },
  );
  socket.on("data", (chunk: Buffer) => texts.take(chunk));
  socket.on("end", () => {
    halfClosed = true;
    endIfDone();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    ended.abort();
    session.subscriptions.close();
  });
}

/** Cuts a stream of bytes into JSON texts. */
class TextStream {
  readonly #onText: (text: string) => void;
  readonly #onError: (reason: string) => void;
  readonly #decoder = new StringDecoder("utf8");
  #pieces: string[] = [];
  #size = 0;
  #scanner = new Scanner();
  #broken = false;

  constructor(onText: (text: string) => void, onError: (reason: string) => void) {
    this.#onText = onText;
    this.#onError = onError;
  }

  take(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    for (let at = 0; at < text.length && !this.#broken; ) {
      const scan = this.#scanner.scan(text, at);
      if (scan.status === "invalid") this.#fail(scan.reason);
      else this.#keep(text.slice(at, scan.status === "complete" ? scan.end : text.length));
      if (scan.status !== "complete") break;
      this.#complete();
      at = scan.end;
    }
  }

  #keep(piece: string): void {
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > MAX_TEXT) this.#fail("request too large");
  }

  #complete(): void {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#size = 0;
    this.#scanner = new Scanner();
    this.#onText(text);
  }

  #fail(reason: string): void {
    this.#broken = true;
    this.#onError(reason);
  }
}
