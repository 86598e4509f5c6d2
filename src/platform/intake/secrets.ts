/** Characters of the shortest secret that is looked for: a shorter one may be part of any word. */
const LEAST = 6;
/** Characters from which on a part of a path or a query counts as a key. */
const KEY_LENGTH = 16;
const SHOWN = "…";

/**
 * What only a server and this node should know of an address and the headers sent there: its password, `Authorization` as HTTP Basic makes
 * it of both, keys in path and query, values of headers.
 */
export function secretsOf(url: URL, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const parts = [...url.pathname.split("/"), ...url.searchParams.values()];
  const values = Object.values(headers);
  return [
    ...(password === ""
      ? []
      : [password, url.password, Buffer.from(`${user}:${password}`).toString("base64")]),
    ...parts.filter(({ length }) => length >= KEY_LENGTH),
    ...values.flatMap((value) => [value, ...value.split(" ").filter(({ length }) => length >= KEY_LENGTH)]),
  ];
}

/**
 * What another program says, without the secrets that it was sent: it may repeat them, as errors of some servers do, and others read the log
 * and the responses of this node.
 * @param secrets - those of fewer than six characters are left
 */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text;
  for (const secret of secrets)
    if (secret !== undefined && secret.length >= LEAST) shown = shown.replaceAll(secret, SHOWN);
  return shown;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a bare %
  }
}
