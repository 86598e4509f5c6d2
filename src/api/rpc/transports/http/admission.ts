import { type Framing, framingOf, type Head } from "../../../../platform/http/connection/head.ts";
import { hostAllowed, isHostText } from "../../../../platform/http/routes/hosts.ts";
import { mediaTypeOf } from "../../../../platform/http/routes/media-type.ts";
import { originAllowed } from "../../../../platform/http/routes/origins.ts";
import { answerProbe, isProbeQuery, type ReadinessCheck } from "../../../../platform/http/routes/probes.ts";
import { type Handler, textVerdict, type Verdict } from "../../../../platform/http/service.ts";

/** Access rules and limits of HTTP. */
export interface HttpRules {
  /** Origins that browsers may call from; `*` = all; empty = no CORS headers at all. */
  readonly cors: readonly string[];
  /** Host names that requests may be addressed to, besides IP addresses; `*` = all. */
  readonly hosts: readonly string[];
  /** Maximum body in bytes. */
  readonly maxBody: number;
  /** Answers `/ready`; absent = no probes. */
  readonly readiness?: ReadinessCheck | undefined;
}

const JSON_TYPES = new Set(["application/json", "application/json-rpc", "application/jsonrequest"]);
const JSON_HEADERS = "Content-Type: application/json\r\n";

/**
 * Admits or refuses a request as the reference's servers do: host, origin, health check, method, size, type.
 * @param handle answers the body of an admitted request
 */
export function admit(head: Head, rules: HttpRules, handle: Handler): Verdict {
  if (head.method === "OPTIONS" && head.target === "*") return empty("");
  if (!isHostText(head.fields.host))
    return { ...textVerdict(400, "400 Bad Request: malformed Host header"), close: true };
  if (!hostAllowed(head.fields.host, rules.hosts)) return textVerdict(403, "invalid host specified");
  const preflight = head.method === "OPTIONS" && !isBlank(head.fields["access-control-request-method"]);
  if (rules.cors.length > 0 && preflight) return answerPreflight(head, rules.cors);
  const framing = framingOf(head);
  const cors = corsHeaders(head, rules.cors);
  if (framing === undefined) return { ...textVerdict(400, "bad request", cors), close: true };
  return admitMethod(head, framing, rules, cors) ?? { ...empty(JSON_HEADERS + cors), handle };
}

/** @returns undefined if the body is to be processed */
function admitMethod(
  head: Head,
  framing: Framing,
  { maxBody, readiness }: HttpRules,
  cors: string,
): Verdict | undefined {
  const length = framing === "chunked" ? -1 : framing.length;
  const { method, target, fields } = head;
  if (method === "GET" && length === 0 && (!/\?./.test(target) || isProbeQuery(target)))
    return (readiness && probed(target, readiness, cors)) ?? empty(cors);
  if (method === "PUT" || method === "DELETE") return textVerdict(405, "method not allowed", cors);
  if (length > maxBody)
    return { ...textVerdict(413, `content length too large (${length}>${maxBody})`, cors), close: true };
  if (method !== "OPTIONS" && !JSON_TYPES.has(mediaTypeOf(fields["content-type"]) ?? ""))
    return textVerdict(415, "invalid content type, only application/json is supported", cors);
  return undefined;
}

/** The response to a probe must not be cached; no token is required, since it reveals nothing. */
function probed(path: string, readiness: ReadinessCheck, cors: string): Verdict | undefined {
  const reply = answerProbe(path, readiness);
  if (reply === undefined) return undefined;
  const { status, headers, body } = reply;
  return { status, headers: headers + cors, text: body, close: false, once: true };
}

function empty(headers: string): Verdict {
  return { status: 200, headers, text: "", close: false };
}

function allowOrigin(origin: string, origins: readonly string[]): string {
  return `Access-Control-Allow-Origin: ${origins.includes("*") ? "*" : origin}\r\n`;
}

function isBlank(field: string | undefined): boolean {
  return field === undefined || field === "";
}

/** Only these responses are for pages of other origins; a preflight is answered separately. */
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
