const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

let dateSecond = 0;
let dateLine = "";

/** `Date` header, refreshed once a second. */
function date(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

/** The parts of a response head. `headers` and `connection` are complete lines. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: string;
  readonly connection: string;
  /** Length of the body in bytes. */
  readonly length: number;
}

/** The last response head up to its length: most are the same as the one before. */
const last = { status: 0, headers: "", connection: "", dateLine: "", text: "" };

/** The status line and the header of an HTTP/1.1 response, with the empty line. */
export function responseHead({ status, headers, connection, length }: ResponseParts): string {
  const dateNow = date();
  const isSame = status === last.status && headers === last.headers && connection === last.connection;
  if (!isSame || dateNow !== last.dateLine) {
    const text = `HTTP/1.1 ${status} ${REASONS[status] ?? "Unknown"}\r\n${headers}${dateNow}${connection}`;
    Object.assign(last, { status, headers, connection, dateLine: dateNow, text });
  }
  return status === 204 ? `${last.text}\r\n` : `${last.text}Content-Length: ${length}\r\n\r\n`;
}

/** `Connection` header of a response: only where it differs from the default of the request's version. */
export function connectionLine(minor: 0 | 1, keepAlive: boolean): string {
  if (!keepAlive) return "Connection: close\r\n";
  return minor === 0 ? "Connection: keep-alive\r\n" : "";
}
