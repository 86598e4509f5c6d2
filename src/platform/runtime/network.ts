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
  /** Bytes written but not yet taken by the system. */
  readonly unsent: number;
  /** Sets the receivers; called once, before anything arrives. `onEnd` is called once, with what broke the stream. */
  receive(onBytes: (bytes: Uint8Array) => void, onEnd: (error?: Error) => void): void;
  write(bytes: Uint8Array): void;
  /** Stops reading, which makes the other side wait. */
  pause(): void;
  resume(): void;
  /** Sends what was written, then closes; at once when `now`. Can be called twice. */
  close(now?: boolean): void;
}

/** A port on which others connect. */
export interface StreamListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Connections to other machines. */
export interface Network {
  /** @throws Error of the system; when nobody answers in `timeoutMs`, or before the signal */
  connect(address: StreamAddress, timeoutMs: number, signal: AbortSignal): Promise<ByteStream>;
  /** @param onStream - called for each connection @throws Error of the system, as when the port is taken */
  listen(address: StreamAddress, onStream: (stream: ByteStream) => void): Promise<StreamListener>;
}

/** A port that sends and receives single packets, each of which may be lost, duplicated or late. */
export interface DatagramSocket {
  readonly port: number;
  /** Sends a packet to an IP address; what cannot be sent is lost like any other. */
  send(bytes: Uint8Array, to: StreamAddress): void;
  close(): Promise<void>;
}

/** What arrived on a port: the bytes, and the address that the packet claims to be from, an IPv4 one in its own form. */
export type OnDatagram = (bytes: Uint8Array, from: StreamAddress) => void;

/** Packets to and from other machines. */
export interface Datagrams {
  /** Starts receiving packets on a port. @throws Error of the system, as when the port is taken */
  open(address: StreamAddress, onDatagram: OnDatagram): Promise<DatagramSocket>;
}
