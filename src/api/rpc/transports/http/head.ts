/** Header fields by lower-case name; repeated fields are joined by `, `. */
export interface HeaderFields {
  readonly [name: string]: string | undefined;
  readonly host?: string;
  readonly origin?: string;
  readonly connection?: string;
  readonly expect?: string;
  readonly upgrade?: string;
}

/** The request line and the header fields of one HTTP/1 request. */
export interface Head {
  readonly method: string;
  /** As written, with its query. */
  readonly target: string;
  /** Minor version of HTTP/1. */
  readonly minor: 0 | 1;
  readonly fields: HeaderFields;
}

/** How the body of a request ends. */
export type Framing = { readonly length: number } | "chunked";

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\s]+) HTTP\/1\.([01])$/;
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these may not stand in a field value (RFC 9110, 5.5)
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Reads the lines before the empty line. Folded lines, blanks before the colon and control characters are refused.
 * @returns undefined when the text is no HTTP/1 head
 * @see RFC 9112
 */
export function parseHead(text: string): Head | undefined {
  const lines = text.split("\r\n");
  const request = REQUEST_LINE.exec(lines[0] as string);
  if (request === null) return undefined;
  const fields: { -readonly [K in keyof HeaderFields]: HeaderFields[K] } = Object.create(null);
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const field = FIELD.exec(line);
    if (field === null || CONTROL.test(line)) return undefined;
    const name = (field[1] as string).toLowerCase();
    const value = field[2] as string;
    const before = fields[name];
    fields[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const minor = request[3] === "1" ? 1 : 0;
  if (minor === 1 && fields.host === undefined) return undefined;
  return { method: request[1] as string, target: request[2] as string, minor, fields };
}

/**
 * How the body is delimited. A request with both a length and an encoding, or with two lengths, is refused: two parties
 * could read it differently.
 */
export function framingOf({ fields }: Head): Framing | undefined {
  const encoding = fields["transfer-encoding"];
  const length = fields["content-length"];
  if (encoding !== undefined)
    return length === undefined && encoding.toLowerCase() === "chunked" ? "chunked" : undefined;
  if (length === undefined) return { length: 0 };
  return /^\d{1,15}$/.test(length) ? { length: Number(length) } : undefined;
}

/** Whether the connection goes on after the answer. */
export function keepsAlive({ minor, fields }: Head): boolean {
  const options = fields.connection?.toLowerCase() ?? "";
  return minor === 1 ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
}
