import { isClean, isToken, skipBlanks } from "./scan.ts";

/** Header fields by lower-case name; repeated fields are joined by `, `. */
export interface HeaderFields {
  readonly [name: string]: string | undefined;
  readonly host?: string;
  readonly origin?: string;
  readonly authorization?: string;
  readonly connection?: string;
  readonly expect?: string;
  readonly upgrade?: string;
}

/** The request line and the header fields of one HTTP/1 request. */
export interface Head {
  readonly method: string;
  /** As written, with its query; of a whole URL, what follows the host. */
  readonly target: string;
  /** Minor version of HTTP/1. */
  readonly minor: 0 | 1;
  readonly fields: HeaderFields;
}

/** How the body of a request ends. */
export type Framing = { readonly length: number } | "chunked";

/** Longest head in bytes, from the request line to the empty line. */
export const MAX_HEAD = 32 * 1024;
/** Longest line of a head in bytes. */
export const MAX_LINE = 8 * 1024;

/**
 * Parses the lines before the empty line, each byte once. Folded lines, blanks before the colon and control characters
 * are refused.
 * @returns the status to refuse with, 400 or 431, if the head is invalid
 * @see RFC 9112
 */
export function parseHead(text: string): Head | 400 | 431 {
  if (text.length > MAX_HEAD) return 431;
  const lines = text.split("\r\n");
  for (const line of lines) {
    if (line.length > MAX_LINE) return 431;
    if (!isClean(line)) return 400;
  }
  const request = requestLine(lines[0] as string);
  const fields = fieldsOf(lines);
  if (request === undefined || fields === undefined) return 400;
  if (request.minor === 1 && fields.host === undefined) return 400;
  const { method, target, minor } = request;
  return isAbsolute(target) ? withItsAuthority(request, fields) : { method, target, minor, fields };
}

function isAbsolute(target: string): boolean {
  return target.charCodeAt(0) !== 0x2f && /^https?:\/\//i.test(target);
}

/** The authority of a whole URL is the host; a `Host` field has to be the same, so that neither is checked in the other's place. @see RFC 9112, 3.2.2 */
function withItsAuthority(request: Omit<Head, "fields">, fields: HeaderFields): Head | 400 {
  const start = request.target.indexOf("//") + 2;
  const length = request.target.slice(start).search(/[/?#]/);
  const end = length < 0 ? request.target.length : start + length;
  const host = request.target.slice(start, end);
  if (host === "" || (fields.host ?? host).toLowerCase() !== host.toLowerCase()) return 400;
  const rest = request.target.slice(end);
  const target = rest.startsWith("/") ? rest : `/${rest}`;
  return { ...request, target, fields: Object.assign(Object.create(null), fields, { host }) };
}

function requestLine(line: string): Omit<Head, "fields"> | undefined {
  const [method = "", target = "", version = "", ...more] = line.split(" ");
  const isWhole = more.length === 0 && isToken(method) && target !== "" && !line.includes("\t");
  if (!isWhole || (version !== "HTTP/1.1" && version !== "HTTP/1.0")) return undefined;
  return { method, target, minor: version === "HTTP/1.1" ? 1 : 0 };
}

/** @param lines the request line and the fields */
function fieldsOf(lines: readonly string[]): HeaderFields | undefined {
  const fields: { -readonly [K in keyof HeaderFields]: HeaderFields[K] } = Object.create(null);
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(":");
    if (colon < 0 || !isToken(line.slice(0, colon))) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    const value = withoutBlanks(line, colon + 1);
    const before = fields[name];
    fields[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return fields;
}

/** What follows in a line, without the blanks around it. */
function withoutBlanks(line: string, from: number): string {
  const start = skipBlanks(line, from);
  let end = line.length;
  while (end > start && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(start, end);
}

/**
 * How the body is delimited. A request with both a length and an encoding, with two lengths, or with an encoding that its version
 * does not have, is refused, to prevent request smuggling.
 * @see RFC 9112, 6.1
 */
export function framingOf({ minor, fields }: Head): Framing | undefined {
  const encoding = fields["transfer-encoding"];
  const length = fields["content-length"];
  if (encoding !== undefined)
    return minor === 1 && length === undefined && encoding.toLowerCase() === "chunked"
      ? "chunked"
      : undefined;
  if (length === undefined) return { length: 0 };
  return /^\d{1,15}$/.test(length) ? { length: Number(length) } : undefined;
}

/** Whether the connection is kept alive. */
export function keepsAlive({ minor, fields }: Head): boolean {
  const options = fields.connection?.toLowerCase() ?? "";
  return minor === 1 ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
}
