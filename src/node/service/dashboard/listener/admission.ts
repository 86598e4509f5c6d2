import type { Head } from "../../../../platform/http/connection/head.ts";
import { mediaTypeOf } from "../../../../platform/http/routes/media-type.ts";
import type { Handler, Verdict } from "../../../../platform/http/service.ts";
import type { OwnOrigins } from "./own-origins.ts";
import type { PageFile } from "./page-files.ts";

/** Path of calls and of the event stream. */
export const API_PATH = "/api";
/** Path at which the token of a link is exchanged. */
export const SESSION_PATH = "/api/session";

/** Permits scripts, styles and connections of the page's own origin, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const SHARED_HEADERS = [
  `Content-Security-Policy: ${POLICY}`,
  "X-Content-Type-Options: nosniff",
  "Referrer-Policy: no-referrer",
  "Cross-Origin-Opener-Policy: same-origin",
  "Cross-Origin-Resource-Policy: same-origin",
  "Cache-Control: no-store",
  "",
].join("\r\n");

/** Headers of every answer, whole lines. @param type - media type of the body */
export function dashboardHeaders(type: string): string {
  return `Content-Type: ${type}\r\n${SHARED_HEADERS}`;
}

/** The handlers of the listener, and its access rules. */
export interface AdmissionRules extends OwnOrigins {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Answers calls of the API. */
  readonly call: Handler;
  /** Exchanges the token of a link. */
  readonly openSession: Handler;
}

/** Judges a request by its head; refusals come before its body is read. No answer ever shares with another origin. */
export function admitToDashboard(head: Head, rules: AdmissionRules): Verdict {
  if (!isAddressedHere(head, rules)) return refusal(403, "invalid host specified");
  const path = head.target.split("?", 1)[0] as string;
  if (path === API_PATH || path === SESSION_PATH) return admitCall(head, rules, path);
  const file = rules.files.get(path);
  if (head.method !== "GET" && head.method !== "HEAD") return refusal(405, "method not allowed");
  if (file !== undefined) return pageVerdict(file);
  const isUnbuilt = path === "/" && rules.files.size === 0;
  return refusal(404, isUnbuilt ? "the page is not built: run npm run build" : "not found");
}

/** Whether a request names this listener, with its port. */
export function isAddressedHere({ fields }: Head, { hosts }: OwnOrigins): boolean {
  return hosts.has(fields.host?.toLowerCase() ?? "");
}

/** Whether a request comes from a page of this listener. */
export function isFromOwnPage({ fields }: Head, { origins }: OwnOrigins): boolean {
  return origins.has(fields.origin?.toLowerCase() ?? "");
}

function admitCall(head: Head, rules: AdmissionRules, path: string): Verdict {
  if (head.method !== "POST") return refusal(405, "method not allowed");
  if (!isFromOwnPage(head, rules)) return refusal(403, "origin not allowed");
  if (mediaTypeOf(head.fields["content-type"]) !== "application/json")
    return refusal(415, "invalid content type, only application/json is supported");
  const handle = path === API_PATH ? rules.call : rules.openSession;
  const headers = dashboardHeaders("text/plain; charset=utf-8");
  // The reply to a body whose declared length is too large; the handlers' replies have a status of their own.
  return { handle, status: 413, headers, text: "body too large\n", close: false, once: true };
}

function pageVerdict({ type, bytes }: PageFile): Verdict {
  const handle: Handler = () => ({ pieces: [bytes], length: bytes.length });
  return { handle, status: 200, headers: dashboardHeaders(type), text: "", close: false };
}

function refusal(status: number, message: string): Verdict {
  return {
    ...{ status, headers: dashboardHeaders("text/plain; charset=utf-8"), text: `${message}\n` },
    ...{ close: true, once: true },
  };
}
