import { framingOf, type Head } from "../../../../platform/http/connection/head.ts";
import type { Front, Route } from "../../../../platform/http/routes/admission.ts";
import { answerProbe, isProbeQuery, type ReadinessCheck } from "../../../../platform/http/routes/probes.ts";
import { type Handler, textVerdict, type Verdict } from "../../../../platform/http/service.ts";
import { sharedWith } from "./cors.ts";

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

const JSON_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/json-rpc",
  "application/jsonrequest",
]);
const EMPTY: Verdict = { status: 200, headers: "", text: "", close: false };
const GREETING: Route = { admitted: EMPTY };
const UNDELIMITED: Route = { admitted: { ...textVerdict(400, "bad request"), close: true } };

/**
 * The rules of JSON-RPC, those of the reference's servers. They keep the connection after most refusals.
 * @param handle answers the body of an admitted request
 */
export function rpcFront({ cors, hosts, maxBody, readiness }: HttpRules, handle: Handler): Front {
  const call: Route = {
    methods: { except: new Set(["PUT", "DELETE"]) },
    body: { max: maxBody, tooLarge: (length) => `content length too large (${length}>${maxBody})` },
    mediaTypes: JSON_TYPES,
    admitted: { ...EMPTY, headers: "Content-Type: application/json\r\n", handle },
  };
  const { mediaTypes: _, ...callOfAnyType } = call;
  return {
    serverOptions: EMPTY,
    hosts: { names: hosts },
    ...(cors.length > 0 && { crossOrigin: sharedWith(cors) }),
    refusals: { close: false },
    route(head) {
      if (framingOf(head) === undefined) return UNDELIMITED;
      if (isGreeting(head)) return (readiness && probed(head.target, readiness)) ?? GREETING;
      return head.method === "OPTIONS" ? callOfAnyType : call;
    },
  };
}

/** Whether a request asks for nothing: load balancers send such ones. */
function isGreeting(head: Head): boolean {
  const framing = framingOf(head);
  if (head.method !== "GET" || typeof framing !== "object" || framing.length > 0) return false;
  return !/\?./.test(head.target) || isProbeQuery(head.target);
}

/** The response to a probe must not be cached; no token is required, since it reveals nothing. */
function probed(path: string, readiness: ReadinessCheck): Route | undefined {
  const reply = answerProbe(path, readiness);
  if (reply === undefined) return undefined;
  const { status, headers, body } = reply;
  return { admitted: { status, headers, text: body, close: false, once: true } };
}
