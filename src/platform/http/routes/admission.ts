import { framingOf, type Head } from "../connection/head.ts";
import { TEXT_HEADERS, textVerdict, type Verdict } from "../service.ts";
import { type HostRule, hostFault } from "./hosts.ts";
import { mediaTypeOf } from "./media-type.ts";
import { isOriginAllowed, type OriginRule } from "./origins.ts";

/** What one route takes. A rule that is absent lets every request pass. */
export interface Route {
  readonly methods?: { readonly only: ReadonlySet<string> } | { readonly except: ReadonlySet<string> };
  readonly origins?: OriginRule;
  /** Types of the body, in lower case. */
  readonly mediaTypes?: ReadonlySet<string>;
  /** Largest body in bytes, and the text of the refusal of a longer one. */
  readonly body?: { readonly max: number; tooLarge(length: number): string };
  /** What an admitted request gets, to whose header that of `CrossOrigin` is added. */
  readonly admitted: Verdict;
}

/** How a listener answers browsers on pages of other origins. */
export interface CrossOrigin {
  /** Header lines of every response. */
  headers(head: Head): string;
  /** The response to a preflight; undefined for other requests. @param shared - header lines of every response */
  preflight(head: Head, shared: string): Verdict | undefined;
}

/** The rules of one listener, in the order in which they are asked. */
export interface Front {
  /** The response to `OPTIONS *`, which concerns no resource; absent = like any other request. */
  readonly serverOptions?: Verdict;
  readonly hosts: HostRule;
  /** For all routes. */
  readonly origins?: OriginRule;
  readonly crossOrigin?: CrossOrigin;
  /** Finds the route of a request; one that does not exist is a route too, whose answer says so. @param shared - header lines of every response */
  route(head: Head, shared: string): Route;
  /** Form of refusals; a body that is too large always ends the connection. */
  readonly refusals: {
    /** Whether the connection ends, so that the body need not be read. */
    readonly close: boolean;
    /** Header lines; default that of plain text. */
    readonly headers?: string;
  };
}

/**
 * Judges a request by its head. Every listener's requests come through here; a refusal comes before the body is read. The verdict is
 * kept for all requests of a connection with the same head, so that these rules cost nothing per request.
 */
export function admit(head: Head, front: Front): Verdict {
  const { host, origin } = head.fields;
  if (front.serverOptions && head.method === "OPTIONS" && head.target === "*") return front.serverOptions;
  const fault = hostFault(host, front.hosts);
  if (fault === "malformed")
    return { ...textVerdict(400, "400 Bad Request: malformed Host header"), close: true };
  if (fault === "foreign") return refusal(front, 403, "invalid host specified");
  if (front.origins && !isOriginAllowed(origin, front.origins))
    return refusal(front, 403, "origin not allowed");
  const shared = front.crossOrigin?.headers(head) ?? "";
  const preflight = front.crossOrigin?.preflight(head, shared);
  if (preflight !== undefined) return preflight;
  const route = front.route(head, shared);
  return routeRefusal(head, route, front, shared) ?? admitted(route, shared);
}

function admitted({ admitted: verdict, body }: Route, shared: string): Verdict {
  return { ...verdict, headers: verdict.headers + shared, ...(body && { maxBody: body.max }) };
}

/** @returns undefined if the route takes the request */
function routeRefusal(head: Head, route: Route, front: Front, shared: string): Verdict | undefined {
  const { methods, origins, mediaTypes, body } = route;
  const { fields, method } = head;
  if (methods && !("only" in methods ? methods.only.has(method) : !methods.except.has(method)))
    return refusal(front, 405, "method not allowed", shared);
  if (origins && !isOriginAllowed(fields.origin, origins))
    return refusal(front, 403, "origin not allowed", shared);
  const framing = framingOf(head);
  const length = framing === undefined || framing === "chunked" ? 0 : framing.length;
  if (body && length > body.max)
    return { ...refusal(front, 413, body.tooLarge(length), shared), close: true };
  if (mediaTypes && !mediaTypes.has(mediaTypeOf(fields["content-type"]) ?? ""))
    return refusal(front, 415, "invalid content type, only application/json is supported", shared);
  return undefined;
}

function refusal({ refusals }: Front, status: number, message: string, shared = ""): Verdict {
  const { close, headers = TEXT_HEADERS } = refusals;
  return { status, headers: headers + shared, text: `${message}\n`, close };
}
