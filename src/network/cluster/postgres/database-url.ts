import { ClusterError } from "../errors.ts";

/** TLS mode of a database connection. */
export type DatabaseTls =
  /** Unencrypted: for a socket, loopback or a private network. */
  | "off"
  /** Encrypted; the server is not verified. */
  | "require"
  /** Encrypted; the certificate must be valid for the host name. */
  | "verify";

/** The address of a database. */
export interface DatabaseAddress {
  /** Host name, IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly tls: DatabaseTls;
  /** File with CA certificates for verifying the server; absent = Node's. */
  readonly caFile: string | undefined;
}

const SSL_MODES: Readonly<Record<string, DatabaseTls>> = {
  disable: "off",
  require: "require",
  "verify-full": "verify",
};
const PARAMETERS = new Set(["host", "sslmode", "sslrootcert"]);

/**
 * Parses `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=FILE`. `?host=/folder` selects
 * a Unix socket, whatever the host. The default for other machines is `verify-full`.
 * @throws ClusterError `LOG_URL`, which does not repeat the address
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw refusal("an address like postgres://user@host:5432/database is expected");
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.has(name))
      throw refusal(`the parameter ${name} is not known; there are ${[...PARAMETERS].join(", ")}`);
  const host = url.searchParams.get("host") ?? decoded(url.hostname).replace(/^\[(.*)\]$/, "$1");
  const database = decoded(url.pathname.slice(1));
  const user = decoded(url.username);
  if (host === "") throw refusal("it names no host");
  if (database === "" || database.includes("/")) throw refusal("it names no database");
  if (user === "") throw refusal("it names no user");
  const mode = url.searchParams.get("sslmode");
  const tls = mode === null ? (isNear(host) ? "off" : "verify") : SSL_MODES[mode];
  if (tls === undefined) throw refusal(`sslmode is ${Object.keys(SSL_MODES).join(", ")}`);
  return {
    ...{ host, database, user, tls },
    port: url.port === "" ? 5432 : Number(url.port),
    password: url.password === "" ? undefined : decoded(url.password),
    caFile: url.searchParams.get("sslrootcert") ?? undefined,
  };
}

/** The address without its password, for people. */
export function shownAddress({ host, port, database, user }: DatabaseAddress): string {
  return `postgres://${user}@${host.startsWith("/") ? `[${host}]` : host}:${port}/${database}`;
}

/** An address as given, without its password; empty if it cannot be parsed. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return "***";
  const url = new URL(text);
  if (url.password !== "") url.password = "***";
  return url.href;
}

/** Whether a host is local: a socket or loopback. */
function isNear(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || host.startsWith("127.");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal("a % in it is not followed by two hex digits");
  }
}

function refusal(rule: string): ClusterError {
  return new ClusterError("LOG_URL", `invalid database URL: ${rule}`);
}
