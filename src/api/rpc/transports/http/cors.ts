import type { Head } from "../../../../platform/http/connection/head.ts";
import type { CrossOrigin } from "../../../../platform/http/routes/admission.ts";
import { originMatches } from "../../../../platform/http/routes/origins.ts";

/** Only these responses are for pages of other origins; a preflight is answered separately. */
const SHARED_METHODS: ReadonlySet<string> = new Set(["POST", "GET", "OPTIONS"]);

/**
 * Cross-origin sharing as by the reference node: pages of other origins are not refused, but their browsers withhold the response.
 * @param origins patterns; `*` = all
 */
export function sharedWith(origins: readonly string[]): CrossOrigin {
  return {
    headers: (head) => sharingHeaders(head, origins),
    preflight(head) {
      const isPreflight =
        head.method === "OPTIONS" && (head.fields["access-control-request-method"] ?? "") !== "";
      return isPreflight
        ? { status: 200, headers: preflightHeaders(head, origins), text: "", close: false }
        : undefined;
    },
  };
}

function sharingHeaders({ method, fields }: Head, origins: readonly string[]): string {
  const { origin = "" } = fields;
  const allowed = origin !== "" && SHARED_METHODS.has(method.toUpperCase()) && originMatches(origin, origins);
  return `Vary: Origin\r\n${allowed ? allowOrigin(origin, origins) : ""}`;
}

function preflightHeaders({ fields }: Head, origins: readonly string[]): string {
  const { origin = "" } = fields;
  const method = (fields["access-control-request-method"] ?? "").toUpperCase();
  const wanted = fields["access-control-request-headers"];
  let headers = "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n";
  if (origin !== "" && originMatches(origin, origins) && (method === "POST" || method === "GET")) {
    headers += `${allowOrigin(origin, origins)}Access-Control-Allow-Methods: ${method}\r\n`;
    if (wanted !== undefined) headers += `Access-Control-Allow-Headers: ${canonical(wanted)}\r\n`;
    headers += "Access-Control-Max-Age: 600\r\n";
  }
  return headers;
}

function allowOrigin(origin: string, origins: readonly string[]): string {
  return `Access-Control-Allow-Origin: ${origins.includes("*") ? "*" : origin}\r\n`;
}

/** `content-type` as `Content-Type`. */
function canonical(names: string): string {
  return names.toLowerCase().replace(/(^|[-,\s])[a-z]/g, (start) => start.toUpperCase());
}
