import { createHmac, timingSafeEqual } from "node:crypto";

/** Seconds by which the clocks of caller and node may differ. */
const MAX_DRIFT = 60;
const SCHEME = "Bearer ";

/**
 * Requires callers to present a JSON Web Token, HS256 with a secret shared with the node, as Ethereum clients do.
 * @see https://github.com/ethereum/execution-apis/blob/main/src/engine/authentication.md
 */
export class TokenCheck {
  readonly #secret: Uint8Array;
  readonly #now: () => number;

  /** @param secret 32 bytes @param now epoch milliseconds */
  constructor(secret: Uint8Array, now: () => number) {
    this.#secret = secret;
    this.#now = now;
  }

  /** Whether an `Authorization` field carries a token issued within the last minute that has not expired. */
  allows(field: string | undefined): boolean {
    if (field?.slice(0, SCHEME.length).toLowerCase() !== SCHEME.toLowerCase()) return false;
    const [header = "", claims = "", signature = "", ...more] = field.slice(SCHEME.length).trim().split(".");
    if (more.length > 0 || !this.#isSigned(`${header}.${claims}`, signature)) return false;
    return memberOf(header, "alg") === "HS256" && this.#isFresh(claims);
  }

  #isSigned(text: string, signature: string): boolean {
    const expected = createHmac("sha256", this.#secret).update(text).digest();
    const given = Buffer.from(signature, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #isFresh(claims: string): boolean {
    const seconds = this.#now() / 1000;
    const made = memberOf(claims, "iat");
    const end = memberOf(claims, "exp") ?? Number.POSITIVE_INFINITY;
    return typeof made === "number" && Math.abs(seconds - made) <= MAX_DRIFT && Number(end) > seconds;
  }
}

/** A member of a JSON object in base64url; undefined if it is not one. */
function memberOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Object(value)[name];
  } catch {
    return undefined;
  }
}
