import type { TimeSlice } from "../../runtime/turns/time-slice.ts";
import type { HttpCaller } from "../client.ts";
import type { Head } from "../connection/head.ts";
import { type HttpService, type Reply, textVerdict, type Verdict } from "../service.ts";
import { admit, type CrossOrigin, type Front, type Route } from "./admission.ts";

/** A path and what answers it. */
export interface PathRoute {
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

const METHODS = { GET: { only: new Set(["GET", "HEAD"]) }, POST: { only: new Set(["POST"]) } } as const;
const JSON_ONLY: ReadonlySet<string> = new Set(["application/json"]);

/**
 * Serves paths under one set of rules. Requests that arrive together are handled one after the
 * other once their time is used up, between other work: a thousand connections may complete theirs in the same turn.
 */
export function serveRoutes(routes: readonly PathRoute[], rules: RouteRules): HttpService {
  const front: Front = {
    hosts: { names: rules.hosts },
    origins: { patterns: rules.origins ?? [], loopback: true },
    crossOrigin: PAGES_OF_ALLOWED_ORIGINS,
    refusals: { close: true },
    route: (head, shared) => routeOf(head, shared, routes, rules),
  };
  return { maxBody: rules.maxBody, admit: (head) => admit(head, front) };
}

/** Origins that are not allowed have been refused before. */
const PAGES_OF_ALLOWED_ORIGINS: CrossOrigin = {
  headers: ({ fields: { origin } }) =>
    origin === undefined ? "" : `Access-Control-Allow-Origin: ${origin}\r\nVary: Origin\r\n`,
  preflight: ({ method }, shared) =>
    method === "OPTIONS"
      ? { status: 204, headers: shared + PREFLIGHT_HEADERS, text: "", close: false }
      : undefined,
};

const PREFLIGHT_HEADERS =
  "Access-Control-Allow-Methods: GET, POST\r\nAccess-Control-Allow-Headers: Authorization, Content-Type\r\n";

function routeOf(head: Head, shared: string, routes: readonly PathRoute[], rules: RouteRules): Route {
  const url = urlOf(head.target);
  const sited = routes.filter(({ path }) => path === url?.pathname);
  const found = sited.find(({ method }) => METHODS[method].only.has(head.method)) ?? sited[0];
  if (url === undefined || found === undefined) return { admitted: notFound(rules) };
  const { maxBody } = rules;
  return {
    methods: METHODS[found.method],
    ...(found.method === "POST" && { mediaTypes: JSON_ONLY }),
    body: { max: maxBody, tooLarge: () => `body larger than ${maxBody} bytes` },
    admitted: handledBy(found, url.searchParams, shared, rules),
  };
}

function handledBy(
  { handle }: PathRoute,
  query: URLSearchParams,
  shared: string,
  { slice }: RouteRules,
): Verdict {
  const share = (reply: Reply): Reply => ({ ...reply, headers: reply.headers + shared });
  return {
    ...{ status: 200, headers: "", text: "", close: false },
    handle(body, client, head) {
      const answer = () => handle({ head, query, body: body.toString(), client });
      const reply = slice.isDue() ? slice.yield("clients", client.connection).then(answer) : answer();
      return reply instanceof Promise ? reply.then(share) : share(reply);
    },
  };
}

function notFound({ notFound: reply }: RouteRules): Verdict {
  if (reply === undefined) return { ...textVerdict(404, "not found"), close: true };
  return { status: reply.status, headers: reply.headers, text: reply.body, close: true };
}

/** A target as a URL; undefined if it is none. */
function urlOf(target: string): URL | undefined {
  return URL.canParse(target, "http://localhost") ? new URL(target, "http://localhost") : undefined;
}
