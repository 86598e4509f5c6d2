import type { ClientSocket } from "../sockets/client-socket.ts";
import type { HttpCaller } from "./client.ts";
import type { Head } from "./connection/head.ts";
import type { Pieces } from "./pieces.ts";

/** A response with its own status and header. */
export interface Reply<Body extends string | Pieces = string> {
  readonly status: number;
  /** Header lines, each terminated; without length, date and connection. */
  readonly headers: string;
  readonly body: Body;
}

/** A reply that may be long. */
export type LongReply = Reply<string | Pieces>;

/** A body, sent with the verdict's status and header, or a complete reply; a promise only if it is not ready yet. */
export type HttpResult = string | Pieces | LongReply | Promise<string | Pieces | LongReply>;

/** Handles the body of a request, which it owns. If it throws or rejects, the connection is closed. */
export type Handler = (body: Buffer, client: HttpCaller, head: Head) => HttpResult;

/** What to do with a request, decided by its head alone. */
export interface Verdict {
  /** Handles the body; if absent, `status` and `text` are the response. */
  readonly handle?: Handler;
  readonly status: number;
  /** Header lines, each terminated; without length, date and connection. */
  readonly headers: string;
  readonly text: string;
  /** The body will not be read. */
  readonly close: boolean;
  /** Valid for this request only: not cached for the next request with the same head. */
  readonly once?: boolean;
  /** Largest body in bytes, where less than the service takes. */
  readonly maxBody?: number;
}

/** What a listener serves. */
export interface HttpService {
  /** Largest body in bytes. */
  readonly maxBody: number;
  admit(head: Head, client: HttpCaller): Verdict;
  /** Whether a request with an `Upgrade` field is for a WebSocket that is served here. */
  upgrades?(head: Head): boolean;
  /** Takes over the socket. @param rest input after the head */
  upgrade?(head: Head, socket: ClientSocket, rest: Buffer): void;
}

/** A verdict of plain text. @param headers further lines */
export function textVerdict(status: number, message: string, headers = ""): Verdict {
  return { status, headers: TEXT_HEADERS + headers, text: `${message}\n`, close: false };
}

/** Header of plain-text responses. */
export const TEXT_HEADERS = "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n";
