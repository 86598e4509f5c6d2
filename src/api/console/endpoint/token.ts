import { createHmac } from "node:crypto";

/**
 * A JSON Web Token, HS256, as required by a node with `--rpc.jwtsecret`. It is valid for a minute.
 * @param secret - 32 bytes @param now - epoch milliseconds
 */
export function bearerToken(secret: Uint8Array, now = Date.now()): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iat: Math.floor(now / 1000) })}`;
  return `Bearer ${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
