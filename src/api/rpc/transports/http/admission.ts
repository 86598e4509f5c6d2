import { isIP } from "node:net";
import { type Framing, framingOf, type Head } from "./head.ts";

/** Who may call over HTTP, and how much. */
export interface HttpRules {
  /** Origins that browsers may call from; `*` = all; empty = no CORS headers at all. */
  readonly cors: readonly string[];
  /** Host names that requests may be addressed to, besides IP addresses; `*` = all. */
  readonly hosts: readonly string[];
  /** Largest body in bytes. */
  readonly maxBody: number;
}

/** What happens with a request, decided by its head alone. */
export interface Verdict {
  /** The body is a JSON-RPC request; otherwise `status` and `text` are the answer. */
  readonly process: boolean;
  readonly status: number;
  /** Header lines, each with its line end; without length, date and connection. */
  readonly headers: string;
  readonly text: string;
  /** The body will not be read. */
  readonly close: boolean;
}

const JSON_TYPES = new Set(["application/json", "application/json-rpc", "application/jsonrequest"]);
/** RFC 9110 media type with parameters. */
const MEDIA_TYPE =
  /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;\s*[\w!#$&^.+-]+\s*=\s*(?:"[^"]*"|[\w!#$&^.+-]+)\s*)*;?\s*$/;
const TEXT_HEADERS = "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n";
const JSON_HEADERS = "Content-Type: application/json\r\n";

/** The characters of a host and its port, RFC 3986. */
const HOST_TEXT = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** Decides about a request as both server types of the reference do: host, origin, health check, method, size, type. */
export function admit(head: Head, rules: HttpRules): Verdict {
  if (head.method === "OPTIONS" && head.target === "*") return empty("");
  if (!HOST_TEXT.test(head.fields.host ?? ""))
    return { ...text(400, "400 Bad Request: malformed Host header", ""), close: true };
  if (!hostAllowed(head.fields.host, rules.hosts)) return text(403, "invalid host specified", "");
  const preflight = head.method === "OPTIONS" && !isBlank(head.fields["access-control-request-method"]);
  if (rules.cors.length > 0 && preflight) return answerPreflight(head, rules.cors);
  const framing = framingOf(head);
  const cors = corsHeaders(head, rules.cors);
  if (framing === undefined) return { ...text(400, "bad request", cors), close: true };
  return admitMethod(head, framing, rules, cors);
}

function admitMethod(head: Head, framing: Framing, { maxBody }: HttpRules, cors: string): Verdict {
  const length = framing === "chunked" ? -1 : framing.length;
  const { method, target, fields } = head;
  if (method === "GET" && length === 0 && !/\?./.test(target)) return empty(cors);
  if (method === "PUT" || method === "DELETE") return text(405, "method not allowed", cors);
  if (length > maxBody)
    return { ...text(413, `content length too large (${length}>${maxBody})`, cors), close: true };
  if (method !== "OPTIONS" && !isJsonType(fields["content-type"]))
    return text(415, "invalid content type, only application/json is supported", cors);
  return { process: true, status: 200, headers: JSON_HEADERS + cors, text: "", close: false };
}

function empty(headers: string): Verdict {
  return { process: false, status: 200, headers, text: "", close: false };
}

function text(status: number, message: string, cors: string): Verdict {
  return { process: false, status, headers: TEXT_HEADERS + cors, text: `${message}\n`, close: false };
}

function isJsonType(field: string | undefined): boolean {
  const type = MEDIA_TYPE.exec(field ?? "")?.[1];
  return type !== undefined && JSON_TYPES.has(type.toLowerCase());
}

/** IP addresses, in brackets only with a port, and an absent host pass; the reference compares names by letter case. */
export function hostAllowed(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined || host === "" || hosts.includes("*")) return true;
  const bracketed = /^\[(.*)\]:\d*$/.exec(host)?.[1];
  const name = bracketed ?? (isIP(host) ? host : host.replace(/:\d*$/, ""));
  return isIP(name) !== 0 || hosts.some((allowed) => allowed.toLowerCase() === name);
}

/** Whether a browser page of this origin may call; patterns may hold one `*`. */
export function originAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.some((allowed) => {
    const [before, after] = allowed.toLowerCase().split("*") as [string, string?];
    const given = origin.toLowerCase();
    if (after === undefined) return given === before;
    return given.length >= before.length + after.length && given.startsWith(before) && given.endsWith(after);
  });
}

function allowOrigin(origin: string, origins: readonly string[]): string {
  return `Access-Control-Allow-Origin: ${origins.includes("*") ? "*" : origin}\r\n`;
}

function isBlank(field: string | undefined): boolean {
  return field === undefined || field === "";
}

/** Only these are for pages of other origins; a preflight asks for itself. */
const SHARED_METHODS: ReadonlySet<string> = new Set(["POST", "GET", "OPTIONS"]);

function corsHeaders({ method, fields }: Head, origins: readonly string[]): string {
  if (origins.length === 0) return "";
  const { origin = "" } = fields;
  const allowed = origin !== "" && SHARED_METHODS.has(method.toUpperCase()) && originAllowed(origin, origins);
  return `Vary: Origin\r\n${allowed ? allowOrigin(origin, origins) : ""}`;
}

function answerPreflight({ fields }: Head, origins: readonly string[]): Verdict {
  const vary = "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n";
  const { origin = "" } = fields;
  const method = (fields["access-control-request-method"] ?? "").toUpperCase();
  const wanted = fields["access-control-request-headers"];
  let headers = vary;
  if (origin !== "" && originAllowed(origin, origins) && (method === "POST" || method === "GET")) {
    headers += `${allowOrigin(origin, origins)}Access-Control-Allow-Methods: ${method}\r\n`;
    if (wanted !== undefined) headers += `Access-Control-Allow-Headers: ${canonical(wanted)}\r\n`;
    headers += "Access-Control-Max-Age: 600\r\n";
  }
  return empty(headers);
}

/** `content-type` as `Content-Type`. */
function canonical(names: string): string {
  return names.toLowerCase().replace(/(^|[-,\s])[a-z]/g, (start) => start.toUpperCase());
}
