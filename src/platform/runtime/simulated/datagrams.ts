import type { DatagramSocket, Datagrams, OnDatagram, StreamAddress } from "../network.ts";
import type { Timers } from "../runtime.ts";

/** How packets travel in a simulation. */
export interface DatagramLinks {
  readonly timers: Timers;
  /** Latency of a packet in milliseconds; undefined = it is lost. */
  delay(from: StreamAddress, to: StreamAddress): number | undefined;
}

/** Packets between ports of one process. Each machine gets its own `Datagrams`, so that its address is known. */
export class SimulatedDatagrams {
  readonly #links: DatagramLinks;
  readonly #ports = new Map<string, OnDatagram>();

  constructor(links: DatagramLinks) {
    this.#links = links;
  }

  /** Packets of the machine at an IP address, whatever address its sockets are opened on. */
  machine(host: string): Datagrams {
    return {
      open: async ({ port }, onDatagram) => {
        const own = { host, port };
        const key = keyOf(own);
        if (this.#ports.has(key)) throw Object.assign(new Error(`${key} is in use`), { code: "EADDRINUSE" });
        this.#ports.set(key, onDatagram);
        return this.#socket(own);
      },
    };
  }

  /** Sends a packet with a forged sender address. */
  send(bytes: Uint8Array, from: StreamAddress, to: StreamAddress): void {
    const delay = this.#links.delay(from, to);
    if (delay === undefined) return;
    const copy = bytes.slice();
    this.#links.timers.schedule(delay, () => this.#ports.get(keyOf(to))?.(copy, from));
  }

  #socket(own: StreamAddress): DatagramSocket {
    return {
      port: own.port,
      send: (bytes, to) => this.send(bytes, own, to),
      close: async () => void this.#ports.delete(keyOf(own)),
    };
  }
}

function keyOf({ host, port }: StreamAddress): string {
  return `${host} ${port}`;
}
