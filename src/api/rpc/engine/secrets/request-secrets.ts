import { SecretText } from "../../../../protocol/codec/json/secret.ts";
import { JsonCursor, NotJson, type Span } from "./json-cursor.ts";
import type { SecretPlaces } from "./secret-places.ts";
import { unescaped } from "./unescape.ts";

/** A secret and its place in the request: index of the message and of the parameter. */
export interface TakenSecret {
  readonly message: number;
  readonly index: number;
  readonly secret: SecretText;
}

interface Place {
  readonly message: number;
  readonly index: number;
  readonly span: Span;
}

const READ_BUFFER_BYTES = 64 * 1024;
const READ_BUFFERS = 4;

/** Up to this many bytes, marks are searched for by their last byte. */
const SHORT = 256;
const UNDERSCORE = 0x5f;
/** Without the checks of `Buffer`, which take longer than the search in a short request. */
const { indexOf } = Uint8Array.prototype;
const QUOTE = 0x22;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Extracts the secrets from the UTF-8 of a request, leaving empty strings. A request that is not JSON is left as it is,
 * as are methods whose name contains escapes, and secrets in the wrong place: those become strings.
 */
export function takeSecrets(request: Buffer, places: SecretPlaces): TakenSecret[] {
  if (!mayHaveSecrets(request, places)) return []; // most requests have no secrets
  const taken: TakenSecret[] = [];
  for (const { message, index, span } of findSecrets(request, places)) {
    const bytes = unescaped(request.subarray(span.start + 1, span.end - 1));
    if (bytes === undefined) continue;
    request.fill(0x20, span.start, span.end);
    request[span.start] = QUOTE;
    request[span.start + 1] = QUOTE;
    taken.push({ message, index, secret: new SecretText(bytes) });
  }
  if (taken.length > 0) overwriteReadBuffers();
  return taken;
}

function mayHaveSecrets(request: Buffer, { marks }: SecretPlaces): boolean {
  if (request.length > SHORT) return marks.some((mark) => request.indexOf(mark) >= 0);
  let at = indexOf.call(request, UNDERSCORE);
  while (at >= 0) {
    for (let i = 0; i < marks.length; i++) if (endsWith(request, at + 1, marks[i] as Uint8Array)) return true;
    at = indexOf.call(request, UNDERSCORE, at + 1);
  }
  return false;
}

/** Whether the bytes before an index are those of a mark. */
function endsWith(request: Buffer, end: number, mark: Uint8Array): boolean {
  const start = end - mark.length;
  if (start < 0) return false;
  let at = end - 1;
  while (at >= start && request[at] === mark[at - start]) at--;
  return at < start;
}

/**
 * Node.js reads a TLS or IPC socket, or the pipe of an I/O process, into a buffer of this size, copies the data into a smaller one, and
 * frees the first without clearing it; `shareReads` clears that of plain HTTP. The next allocation of that size gets the same memory:
 * measured with glibc, where a few more are needed once the freed block was merged with its neighbour.
 */
function overwriteReadBuffers(): void {
  for (let i = 0; i < READ_BUFFERS; i++) Buffer.alloc(READ_BUFFER_BYTES);
}

function findSecrets(request: Buffer, places: SecretPlaces): Place[] {
  const cursor = new JsonCursor(request);
  const found: Place[] = [];
  try {
    let message = 0;
    const read = () => found.push(...secretsOfMessage(cursor, request, places, message++));
    if (cursor.peek() === BRACKET) cursor.parts(BRACKET, read);
    else read();
    return found;
  } catch (error) {
    if (error instanceof NotJson) return [];
    throw error;
  }
}

function secretsOfMessage(
  cursor: JsonCursor,
  request: Buffer,
  places: SecretPlaces,
  message: number,
): Place[] {
  if (cursor.peek() !== BRACE) {
    cursor.value();
    return [];
  }
  const members = new Map<string, Span>();
  cursor.parts(BRACE, () => members.set(textOf(request, cursor.name()), cursor.value()));
  const method = memberOf(members, "method", (span) => request[span.start] === QUOTE);
  const params = memberOf(members, "params", () => true);
  if (method === undefined || params === undefined || request[params.start] !== BRACKET) return [];
  const wanted = places.of(textOf(request, method));
  if (wanted.length === 0) return [];
  return stringsAt(new JsonCursor(request), request, params, wanted).map((place) => ({ ...place, message }));
}

/** The last member with a name, ignoring case, as in `readEnvelope`. */
function memberOf(
  members: ReadonlyMap<string, Span>,
  wanted: string,
  fits: (span: Span) => boolean,
): Span | undefined {
  let last: Span | undefined;
  for (const [name, span] of members) if (name.toLowerCase() === wanted && fits(span)) last = span;
  return last;
}

function stringsAt(
  cursor: JsonCursor,
  request: Buffer,
  params: Span,
  wanted: readonly number[],
): { readonly index: number; readonly span: Span }[] {
  const found: { index: number; span: Span }[] = [];
  let index = 0;
  cursor.returnTo(params);
  cursor.parts(BRACKET, () => {
    const span = cursor.value();
    if (wanted.includes(index) && request[span.start] === QUOTE) found.push({ index, span });
    index++;
  });
  return found;
}

/** The raw contents of a string. */
function textOf(request: Buffer, { start, end }: Span): string {
  return request.toString("latin1", start + 1, end - 1);
}
