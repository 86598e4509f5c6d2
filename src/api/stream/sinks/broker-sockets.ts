import { BlockList, connect, isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { createCheckedLookup } from "../../../platform/intake/targets.ts";
import { StreamError } from "../errors.ts";
import { guardFrames } from "./frame-guard.ts";

/** Where to connect; `ssl` as given to Kafka's client. */
export interface BrokerTarget {
  readonly host: string;
  readonly port: number;
  readonly ssl?: ConnectionOptions | boolean;
  readonly onConnect: () => void;
}

const KEEP_ALIVE_MS = 60_000;
/** Ranges where no broker can be: this network, link-local (where clouds serve their machines' secrets), multicast. */
const NOWHERE: readonly (readonly [net: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 128, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fd00:ec2::", 32, "ipv6"],
  ["ff00::", 8, "ipv6"],
];
const LOOPBACK = [
  ["127.0.0.0", 8, "ipv4"],
  ["::1", 128, "ipv6"],
] as const;

/**
 * The connections to a cluster. Brokers name each other, so a connection's target is up to the broker that answered
 * before: except for the configured brokers, none may be on this machine (unless one of those is) or at link-local and similar addresses.
 */
export class BrokerSockets {
  readonly #named: ReadonlySet<string>;
  readonly #barred = new BlockList();
  readonly #open = new Set<Socket>();
  #isClosed = false;

  /** @param named - `host:port` of the configured brokers */
  constructor(named: readonly string[]) {
    this.#named = new Set(named);
    const isNear = named.some((broker) => /^(localhost|127\.[0-9.]+|\[::1\]):/.test(broker));
    for (const [net, prefix, family] of isNear ? NOWHERE : [...NOWHERE, ...LOOPBACK])
      this.#barred.addSubnet(net, prefix, family);
  }

  /** @throws StreamError `BROKER` for a barred address, and after `close` */
  connect({ host, port, ssl, onConnect }: BrokerTarget): Socket {
    if (this.#isClosed) throw new StreamError("BROKER", "the connection is closed");
    const isNamed = this.#named.has(`${host}:${port}`) || this.#named.has(`[${host}]:${port}`);
    if (!isNamed && isIP(host) !== 0) this.#check(host, host);
    const place = { host, port, ...(!isNamed && { lookup: this.#lookup }) };
    const options = typeof ssl === "object" ? ssl : {};
    const socket = ssl
      ? connectTls({ ...place, ...(isIP(host) === 0 && { servername: host }), ...options }, onConnect)
      : connect(place, onConnect);
    this.#open.add(socket);
    socket.on("error", () => {}); // reported by the client, if it listens
    socket.once("close", () => this.#open.delete(socket));
    return guardFrames(socket.setKeepAlive(true, KEEP_ALIVE_MS));
  }

  /** Cuts all connections, with whatever is in progress on them, and allows no new ones. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#open) socket.destroy(new StreamError("BROKER", "the connection is closed"));
  }

  readonly #lookup = createCheckedLookup((address, host) => this.#check(address, host)) as LookupFunction;

  /** @throws StreamError `BROKER` */
  #check(address: string, host: string): void {
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (!this.#barred.check(address, family)) return;
    const text = `a broker names ${host} as another one: no connection is made to ${address}, unless an option names it`;
    throw new StreamError("BROKER", text);
  }
}
