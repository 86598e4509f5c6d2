import type { Front, Route } from "../../../../platform/http/routes/admission.ts";
import type { Handler, Verdict } from "../../../../platform/http/service.ts";
import type { OwnOrigins } from "./own-origins.ts";
import type { PageFile } from "./page-files.ts";

/** Path of calls and of the event stream. */
export const API_PATH = "/api";
/** Path at which the token of a link is exchanged. */
export const SESSION_PATH = "/api/session";

/** Bytes of the request for a session, which has a token of 64 characters. */
const MAX_TOKEN_BODY = 1024;

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

const PLAIN = dashboardHeaders("text/plain; charset=utf-8");
const READ = { only: new Set(["GET", "HEAD"]) };
const POST = { only: new Set(["POST"]) };
const JSON_ONLY: ReadonlySet<string> = new Set(["application/json"]);

/** The handlers of the listener, and its access rules. */
export interface DashboardRules extends OwnOrigins {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Answers calls of the API. */
  readonly call: Handler;
  /** Exchanges the token of a link. */
  readonly openSession: Handler;
  /** Largest body of a call in bytes. */
  readonly maxBody: number;
}

/** The rules of the dashboard's listener: its own page alone may call it, and no answer is shared with another origin. */
export function dashboardFront(rules: DashboardRules): Front {
  const { hosts, origins, maxBody } = rules;
  const calls = (handle: Handler, max: number): Route => ({
    methods: POST,
    origins: { exactly: origins },
    mediaTypes: JSON_ONLY,
    body: { max, tooLarge: () => "body too large" },
    admitted: { handle, status: 200, headers: PLAIN, text: "", close: false },
  });
  const routes = new Map<string, Route>([
    ...[...rules.files].map(
      ([path, file]) => [path, { methods: READ, admitted: pageVerdict(file) }] as const,
    ),
    [API_PATH, calls(rules.call, maxBody)],
    [SESSION_PATH, calls(rules.openSession, MAX_TOKEN_BODY)],
  ]);
  const nothing = notFound("not found");
  const unbuilt = rules.files.size === 0 ? notFound("the page is not built: run npm run build") : nothing;
  return {
    hosts: { exactly: hosts },
    refusals: { close: true, headers: PLAIN },
    route(head) {
      const path = head.target.split("?", 1)[0] as string;
      return routes.get(path) ?? (path === "/" ? unbuilt : nothing);
    },
  };
}

function pageVerdict({ type, bytes }: PageFile): Verdict {
  const handle: Handler = () => ({ pieces: [bytes], length: bytes.length });
  return { handle, status: 200, headers: dashboardHeaders(type), text: "", close: false };
}

function notFound(message: string): Route {
  return { methods: READ, admitted: { status: 404, headers: PLAIN, text: `${message}\n`, close: true } };
}
