/** The remote end of a byte stream. */
export interface StreamAddress {
  /** IP address. */
  readonly host: string;
  readonly port: number;
}

/** A connection that carries bytes both ways, in order. */
export interface ByteStream {
  readonly local: StreamAddress;
  readonly remote: StreamAddress;
  /** Bytes written but not yet handed to the operating system. */
  readonly unsent: number;
  /** Sets the receivers; called once, before anything arrives. `onEnd` is called once, with the error that broke the stream, if any. */
  receive(onBytes: (bytes: Uint8Array) => void, onEnd: (error?: Error) => void): void;
  write(bytes: Uint8Array): void;
  /** Stops reading: backpressure on the other side. */
  pause(): void;
  resume(): void;
  /** Flushes and closes; with `now`, closes without flushing. May be called twice. */
  close(now?: boolean): void;
}

/** A listening port. */
export interface StreamListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Connections to other machines. */
export interface Network {
  /** @throws Error of the system; an error after `timeoutMs`, or when the signal aborts */
  connect(address: StreamAddress, timeoutMs: number, signal: AbortSignal): Promise<ByteStream>;
  /** @param onStream - called for each connection @throws Error of the system, as when the port is taken */
  listen(address: StreamAddress, onStream: (stream: ByteStream) => void): Promise<StreamListener>;
}

/** A UDP socket: packets may be lost, duplicated or reordered. */
export interface DatagramSocket {
  readonly port: number;
  /** Sends a packet to an IP address; one that cannot be sent counts as lost. */
  send(bytes: Uint8Array, to: StreamAddress): void;
  close(): Promise<void>;
}

/** Receives a packet and the source address it claims; IPv4 addresses are in dotted form, never IPv4-mapped. */
export type OnDatagram = (bytes: Uint8Array, from: StreamAddress) => void;

/** UDP. */
export interface Datagrams {
  /** Starts receiving packets on a port. @throws Error of the system, as when the port is taken */
  open(address: StreamAddress, onDatagram: OnDatagram): Promise<DatagramSocket>;
}
