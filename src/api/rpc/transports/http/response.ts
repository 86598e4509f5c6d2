const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

let dateSecond = 0;
let dateLine = "";

/** `Date` header, made anew once a second. */
function date(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

/** The parts of an answer. `headers` are whole lines; `body` is missing from the text when `head` is set (HEAD requests). */
export interface ResponseParts {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
  readonly connection: string;
  readonly headOnly?: boolean;
}

/** One HTTP/1.1 answer as text, in UTF-8. */
export function responseText({ status, headers, body, connection, headOnly }: ResponseParts): string {
  const start = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${headers}${date()}${connection}`;
  return `${start}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${headOnly === true ? "" : body}`;
}

/** `Connection` header of an answer: only where it differs from the default of the request's version. */
export function connectionLine(minor: 0 | 1, keepAlive: boolean): string {
  if (!keepAlive) return "Connection: close\r\n";
  return minor === 0 ? "Connection: keep-alive\r\n" : "";
}
