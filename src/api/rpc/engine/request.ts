import { isInexact } from "../../../protocol/codec/json/parse.ts";
import type { SecretText } from "../../../protocol/codec/json/secret.ts";
import { type RequestEnvelope, readEnvelope } from "./jsonrpc.ts";
import { type TakenSecret, takeSecrets } from "./secrets/request-secrets.ts";
import type { SecretPlaces } from "./secrets/secret-places.ts";
import { hasMoreValues, MAX_EXACT_VALUES, MAX_VALUES } from "./value-count.ts";

/** A parsed request and its secrets, which are wiped once it has been answered. */
export interface ParsedRequest {
  readonly envelope: RequestEnvelope;
  readonly secrets: readonly SecretText[];
}

const NO_SECRETS: readonly SecretText[] = [];
const NONE_TAKEN: readonly TakenSecret[] = [];

/** The text of a request, or undefined for one of too many values, and the secrets taken from it. */
interface RequestText {
  readonly text: string | undefined;
  readonly taken: readonly TakenSecret[];
}

/**
 * Reads a request.
 * @param request - bytes from a connection, owned by the reader from here on: secrets in it are overwritten
 * @param places - positions of the secrets in the parameters of the caller's methods
 */
export function readRequest(request: Buffer | string, places: SecretPlaces): ParsedRequest {
  return parseRequest(textOfRequest(request, places));
}

/** The first half of `readRequest`, which takes as long as the second. */
export function textOfRequest(request: Buffer | string, places: SecretPlaces): RequestText {
  if (typeof request === "string") return { text: request, taken: NONE_TAKEN };
  if (isOversized(request)) {
    request.fill(0);
    return { text: undefined, taken: NONE_TAKEN };
  }
  const taken = takeSecrets(request, places);
  return { text: request.toString(), taken };
}

/** The second half of `readRequest`. */
export function parseRequest({ text, taken }: RequestText): ParsedRequest {
  if (text === undefined) return { envelope: { kind: "oversized" }, secrets: NO_SECRETS };
  const envelope = readEnvelope(text);
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
