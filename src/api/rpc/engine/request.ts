import { isInexact } from "../../../protocol/codec/json/parse.ts";
import type { SecretText } from "../../../protocol/codec/json/secret.ts";
import { type RequestEnvelope, readEnvelope } from "./jsonrpc.ts";
import { takeSecrets } from "./secrets/request-secrets.ts";
import type { SecretPlaces } from "./secrets/secret-places.ts";
import { hasMoreValues, MAX_EXACT_VALUES, MAX_VALUES } from "./value-count.ts";

/** A parsed request and its secrets, which are wiped once it has been answered. */
export interface ParsedRequest {
  readonly envelope: RequestEnvelope;
  readonly secrets: readonly SecretText[];
}

const NO_SECRETS: readonly SecretText[] = [];

/**
 * Reads a request.
 * @param request - bytes from a connection, owned by the reader from here on: secrets in it are overwritten
 * @param places - positions of the secrets in the parameters of the caller's methods
 */
export function readRequest(request: Buffer | string, places: SecretPlaces): ParsedRequest {
  if (typeof request === "string") return { envelope: readEnvelope(request), secrets: NO_SECRETS };
  if (isOversized(request)) {
    request.fill(0);
    return { envelope: { kind: "oversized" }, secrets: NO_SECRETS };
  }
  const taken = takeSecrets(request, places);
  const envelope = readEnvelope(request.toString());
  if (taken.length === 0) return { envelope, secrets: NO_SECRETS };
  const messages = messagesOf(envelope);
  for (const { message, index, secret } of taken) {
    const params: unknown = messages[message]?.params;
    if (Array.isArray(params) && index < params.length) params[index] = secret;
  }
  return { envelope, secrets: taken.map(({ secret }) => secret) };
}

function isOversized(request: Buffer): boolean {
  if (!hasMoreValues(request, MAX_EXACT_VALUES)) return false;
  return hasMoreValues(request, MAX_VALUES) || isInexact(request.toString("latin1"));
}

function messagesOf(envelope: RequestEnvelope) {
  if (envelope.kind === "batch") return envelope.messages;
  return envelope.kind === "single" ? [envelope.message] : [];
}
