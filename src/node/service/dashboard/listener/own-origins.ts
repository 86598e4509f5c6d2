/** Host names of loopback. */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Permitted targets and origins of requests; values are compared as a whole, so that nothing else passes. */
export interface OwnOrigins {
  /** Values of `Host`, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Values of `Origin`, in lower case. */
  readonly origins: ReadonlySet<string>;
}

/**
 * The hosts and origins of a listener: the names of loopback and the given ones, each with the listener's port. A given name with
 * a port of its own is taken as it is, for a proxy in front.
 */
export function ownOrigins(port: number, names: readonly string[]): OwnOrigins {
  const given = names.map((name) => name.toLowerCase());
  const hasPort = (name: string): boolean => name.lastIndexOf(":") > name.lastIndexOf("]");
  const withPort = (name: string): string => (hasPort(name) ? name : `${name}:${port}`);
  const hosts = [...LOOPBACK_NAMES, ...given].map(withPort);
  return {
    hosts: new Set(hosts),
    origins: new Set(hosts.flatMap((host) => [`http://${host}`, `https://${host}`])),
  };
}
