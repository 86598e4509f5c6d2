import type { TimeSlice } from "../../runtime/turns/time-slice.ts";
import type { HttpCaller } from "../client.ts";
import type { Head } from "../connection/head.ts";
import { type HttpService, type Reply, TEXT_HEADERS, textVerdict, type Verdict } from "../service.ts";
import { hostAllowed, isHostText } from "./hosts.ts";
import { mediaTypeOf } from "./media-type.ts";
import { isLoopbackOrigin, originAllowed } from "./origins.ts";

/** A route. */
export interface Route {
  /** `POST` takes JSON only, which browsers do not send to another origin without a preflight. */
  readonly method: "GET" | "POST";
  readonly path: string;
  /** An error it throws ends the connection. */
  readonly handle: (request: RoutedRequest) => Reply | Promise<Reply>;
}

/** A routed request. */
export interface RoutedRequest {
  readonly head: Head;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly client: HttpCaller;
}

/** Access rules. */
export interface RouteRules {
  /** Host names that requests may be addressed to, besides IP addresses; `*` = all. */
  readonly hosts: readonly string[];
  /** Allowed origins besides those of this machine; `*` = all. */
  readonly origins?: readonly string[];
  /** Largest body in bytes. */
  readonly maxBody: number;
  /** The time that all clients share per turn of the event loop. */
  readonly slice: Pick<TimeSlice, "isDue" | "yield">;
  /** Response for unknown paths; absent = plain text. */
  readonly notFound?: Reply;
}

/**
 * Serves routes under one set of rules. Refusals come before the body is read. Requests that arrive together are handled one after the
 * other once their time is used up, between other work: a thousand connections may complete theirs in the same turn.
 */
export function serveRoutes(routes: readonly Route[], rules: RouteRules): HttpService {
  return { maxBody: rules.maxBody, admit: (head) => admit(head, routes, rules) };
}

function admit(head: Head, routes: readonly Route[], rules: RouteRules): Verdict {
  const { host, origin } = head.fields;
  if (!isHostText(host)) return refusal(400, "400 Bad Request: malformed Host header");
  if (!hostAllowed(host, rules.hosts)) return refusal(403, "invalid host specified");
  if (origin !== undefined && !isLoopbackOrigin(origin) && !originAllowed(origin, rules.origins ?? []))
    return refusal(403, "origin not allowed");
  const shared = sharingHeaders(origin);
  if (head.method === "OPTIONS")
    return { status: 204, headers: shared + PREFLIGHT_HEADERS, text: "", close: false };
  const url = urlOf(head.target);
  const sited = routes.filter(({ path }) => path === url?.pathname);
  if (url === undefined || sited.length === 0) return notFound(rules, shared);
  const route = sited.find(({ method }) => method === (head.method === "HEAD" ? "GET" : head.method));
  if (route === undefined) return refusal(405, "method not allowed", shared);
  if (route.method === "POST" && mediaTypeOf(head.fields["content-type"]) !== "application/json")
    return refusal(415, "invalid content type, only application/json is supported", shared);
  return admitted(route, url.searchParams, shared, rules);
}

function admitted(
  { handle }: Route,
  query: URLSearchParams,
  shared: string,
  { maxBody, slice }: RouteRules,
): Verdict {
  const share = (reply: Reply): Reply => ({ ...reply, headers: reply.headers + shared });
  return {
    // The reply to a body whose declared length is too large.
    ...{
      status: 413,
      headers: TEXT_HEADERS + shared,
      text: `body larger than ${maxBody} bytes\n`,
      close: false,
    },
    handle(body, client, head) {
      const answer = () => handle({ head, query, body: body.toString(), client });
      const reply = slice.isDue() ? slice.yield("clients", client.connection).then(answer) : answer();
      return reply instanceof Promise ? reply.then(share) : share(reply);
    },
  };
}

function refusal(status: number, message: string, headers = ""): Verdict {
  return { ...textVerdict(status, message, headers), close: true };
}

function notFound({ notFound: reply }: RouteRules, shared: string): Verdict {
  if (reply === undefined) return refusal(404, "not found", shared);
  return { status: reply.status, headers: reply.headers + shared, text: reply.body, close: true };
}

const PREFLIGHT_HEADERS =
  "Access-Control-Allow-Methods: GET, POST\r\nAccess-Control-Allow-Headers: Authorization, Content-Type\r\n";

function sharingHeaders(origin: string | undefined): string {
  return origin === undefined ? "" : `Access-Control-Allow-Origin: ${origin}\r\nVary: Origin\r\n`;
}

/** A target as a URL; undefined if it is none. */
function urlOf(target: string): URL | undefined {
  return URL.canParse(target, "http://localhost") ? new URL(target, "http://localhost") : undefined;
}
