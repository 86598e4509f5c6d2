import { networkOf } from "../../../platform/runtime/client-network.ts";
import type { ByteStream } from "../../../platform/runtime/network.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { SharedBytes } from "../../../platform/runtime/shared-bytes.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { concat, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";
import { FrameReader, FrameWriter } from "../rlpx/frames.ts";
import {
  deriveSecrets,
  generateMaterial,
  makeAck,
  makeAuth,
  openAck,
  openAuth,
  type SessionSecrets,
  SIZE_BYTES,
} from "../rlpx/handshake.ts";
import { type OwnCapability, sharedCapabilities } from "../wire/capabilities.ts";
import { DisconnectReason, decodeDisconnect, encodeDisconnect } from "../wire/disconnect.ts";
import { decodeHello, encodeHello, type Hello, MAX_HELLO_BYTES, SNAPPY_VERSION } from "../wire/hello.ts";
import { decodeMessage, encodeMessage, type WireMessage } from "../wire/message.ts";
import { peerSlice } from "./peer-slice.ts";
import { PeerSession } from "./session.ts";
import { StreamReader } from "./stream-reader.ts";
import type { Traffic } from "./traffic.ts";

/** Connection types, sent as the first byte of a connection; they differ from `NodeType`. */
export const ConnectionType = { cn: 0, en: 1, pn: 2, bn: 3 } as const;

/** Timeout of everything up to the hello. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/**
 * The reference loses data that arrives together with the first byte; so a dialer pauses after it, and fails early if the listener does
 * not respond.
 */
const PAUSE_BEFORE_AUTH_MS = 20;
const ACK_TIMEOUT_MS = 2_000;

const BaseCode = { hello: 0, disconnect: 1 } as const;

/** The identity of this node. */
export interface OwnIdentity {
  /** Private key of the node, 32 bytes. */
  readonly key: Uint8Array;
  /** Sent as the first byte of a connection. */
  readonly connectionType: number;
  /** Program and version. */
  readonly name: string;
  readonly capabilities: readonly OwnCapability[];
}

/** Parameters of `openSession`. */
export interface SessionRequest {
  readonly stream: ByteStream;
  readonly own: OwnIdentity;
  /** Id of the dialled node; absent for inbound connections. */
  readonly dialled?: Uint8Array;
  /** Why to refuse a node, if so. Called once its id is known, and again after its hello. */
  admit(id: Uint8Array, connectionType: number): DisconnectReason | undefined;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "randomness">;
  /** Counts traffic after the handshake; absent = not counted. */
  readonly traffic?: Traffic | undefined;
  /** Incomplete, waiting and handled messages of all peers; absent = no limit for all together. */
  readonly received?: SharedBytes | undefined;
}

/**
 * Opens a session: exchanges connection types, performs the RLPx handshake, exchanges hellos.
 * @throws PeerError if the other side is a different node, breaks the protocol or times out, or if either side refuses the other
 */
export async function openSession(opening: SessionRequest): Promise<PeerSession> {
  const { stream, runtime } = opening;
  const reader = new StreamReader(stream);
  const cancelTimeout = runtime.timers.schedule(HANDSHAKE_TIMEOUT_MS, () =>
    reader.fail(new PeerError("HANDSHAKE", "handshake timed out")),
  );
  try {
    return await open(opening, reader);
  } catch (error) {
    stream.close();
    throw error;
  } finally {
    cancelTimeout();
  }
}

async function open(opening: SessionRequest, reader: StreamReader): Promise<PeerSession> {
  const { stream, own, runtime, traffic, received } = opening;
  stream.write(Uint8Array.of(own.connectionType));
  const [connectionType] = (await reader.read(1)) as Uint8Array & [number];
  const { secrets, remoteId } = opening.dialled
    ? await initiate(opening, opening.dialled, reader)
    : await respond(opening, reader);
  const frames = new Frames(secrets, stream, reader);
  const refuse = (reason: DisconnectReason | undefined): void => {
    if (reason === undefined) return;
    frames.write({ code: BaseCode.disconnect, payload: encodeDisconnect(reason) });
    throw new PeerError("HANDSHAKE", `refused with reason ${reason}`, { reason });
  };
  refuse(equalBytes(remoteId, publicKeyOf(own.key)) ? DisconnectReason.connectedToSelf : undefined);
  refuse(opening.admit(remoteId, connectionType));
  frames.write({ code: BaseCode.hello, payload: encodeHello(helloOf(own)) });
  const hello = readHello(await frames.read());
  const shared = sharedCapabilities(own.capabilities, hello.capabilities);
  if (!equalBytes(hello.id, remoteId)) refuse(DisconnectReason.unexpectedIdentity);
  if (shared.length === 0) refuse(DisconnectReason.uselessPeer);
  refuse(opening.admit(remoteId, connectionType));
  return new PeerSession({
    ...{ stream, hello, shared, connectionType, runtime, traffic, received },
    isInbound: opening.dialled === undefined,
    snappy: hello.version >= SNAPPY_VERSION,
    ...{ source: reader, writer: frames.writer, reader: frames.reader },
  });
}

function helloOf({ key, name, capabilities }: OwnIdentity): Hello {
  return {
    ...{ version: SNAPPY_VERSION, name, capabilities },
    ...{ listenPorts: [], id: publicKeyOf(key), isMultichannel: false },
  };
}

async function initiate(
  { stream, own, runtime }: SessionRequest,
  remoteId: Uint8Array,
  reader: StreamReader,
) {
  await new Promise<void>((resolve) => void runtime.timers.schedule(PAUSE_BEFORE_AUTH_MS, resolve));
  const material = generateMaterial(runtime.randomness);
  const auth = makeAuth(own.key, remoteId, material);
  stream.write(auth);
  const cancelTimeout = runtime.timers.schedule(ACK_TIMEOUT_MS, () =>
    reader.fail(new PeerError("HANDSHAKE", "no response to the handshake", { isSilent: true })),
  );
  const ack = await readPacket(reader).finally(cancelTimeout);
  const { nonce, remoteEphemeralId } = openAck(own.key, ack);
  const secrets = deriveSecrets({
    ...{ role: "initiator", ephemeralKey: material.ephemeralKey, remoteEphemeralId, auth, ack },
    ...{ initiatorNonce: material.nonce, recipientNonce: nonce },
  });
  return { secrets, remoteId };
}

async function respond({ stream, own, runtime }: SessionRequest, reader: StreamReader) {
  const auth = await readPacket(reader);
  // Strangers decide how many of these come at once, and each costs four operations on the curve.
  if (peerSlice.isDue()) await peerSlice.yield("newReads", networkOf(stream.remote.host));
  const { nonce, remoteId, remoteEphemeralId } = openAuth(own.key, auth);
  const material = generateMaterial(runtime.randomness);
  const ack = makeAck(remoteId, material);
  stream.write(ack);
  const secrets = deriveSecrets({
    ...{ role: "recipient", ephemeralKey: material.ephemeralKey, remoteEphemeralId, auth, ack },
    ...{ initiatorNonce: nonce, recipientNonce: material.nonce },
  });
  return { secrets, remoteId };
}

async function readPacket(reader: StreamReader): Promise<Uint8Array> {
  const size = (await reader.read(SIZE_BYTES)) as Uint8Array & [number, number];
  return concat(size, await reader.read((size[0] << 8) | size[1]));
}

/** @throws PeerError if it is not a hello */
function readHello({ code, payload }: WireMessage): Hello {
  if (code === BaseCode.disconnect) {
    const reason = decodeDisconnect(payload);
    throw new PeerError("HANDSHAKE", `the other side refused with reason ${reason}`, { reason });
  }
  if (code !== BaseCode.hello) throw new PeerError("HANDSHAKE", `expected handshake, got ${code}`);
  return decodeHello(payload);
}

/** Messages before the hello exchange is complete, which are not compressed. */
class Frames {
  readonly writer: FrameWriter;
  readonly reader: FrameReader;
  readonly #stream: ByteStream;
  readonly #source: StreamReader;

  constructor(secrets: SessionSecrets, stream: ByteStream, source: StreamReader) {
    this.writer = new FrameWriter(secrets);
    this.reader = new FrameReader(secrets, MAX_HELLO_BYTES + 1);
    this.#stream = stream;
    this.#source = source;
  }

  write(message: WireMessage): void {
    this.#stream.write(this.writer.write(encodeMessage(message, false)));
  }

  async read(): Promise<WireMessage> {
    for (;;) {
      const body = this.reader.next();
      if (body !== undefined) return decodeMessage(body, false);
      this.reader.push(await this.#source.read(this.reader.missing));
    }
  }
}
