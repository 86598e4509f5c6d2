import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  decodeContent,
  decodeEnvelope,
} from "../../../../src/network/consensus/istanbul/messages/message-codec.ts";
import { openPacket } from "../../../../src/network/p2p/discovery/packets.ts";
import { FrameReader, FrameWriter } from "../../../../src/network/p2p/rlpx/frames.ts";
import { openAuth } from "../../../../src/network/p2p/rlpx/handshake.ts";
import { decodeHello, encodeHello } from "../../../../src/network/p2p/wire/hello.ts";
import { decodeMessage, encodeMessage } from "../../../../src/network/p2p/wire/message.ts";
import { CHAIN_MESSAGES, messageName } from "../../../../src/network/protocol/chain-messages.ts";
import { type Codec, decodeValue } from "../../../../src/network/protocol/codec.ts";
import { Keccak256, keccak256 } from "../../../../src/protocol/crypto/keccak.ts";
import { NodeError } from "../../../../src/protocol/primitives/errors.ts";
import { hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { Random } from "../../fuzz-rpc/random.ts";
import { hold } from "../row.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON
const published = (file: string): any => {
  const bytes = readFileSync(new URL(`../../../fixtures/vectors/network/${file}`, import.meta.url));
  return JSON.parse(String(file.endsWith(".gz") ? gunzipSync(bytes) : bytes));
};

/** Of the hash that begins a packet. */
const HASH_BYTES = 32;
/** Longer samples cost time and show nothing new. */
const LONG_DIGITS = 8_000;

/** Valid samples of a message from peers, and their decoder. */
interface Kind {
  readonly samples: readonly Uint8Array[];
  readonly times: number;
  read(bytes: Uint8Array, sample: number): unknown;
}

function kinds(): Readonly<Record<string, Kind>> {
  const messages = published("messages.json").cases.filter(
    ({ payload }: { payload?: unknown }) => typeof payload === "string" && payload.length < LONG_DIGITS,
  );
  const [handshake] = published("rlpx-handshake.json").cases;
  const bodies = messages.map(({ code, payload }: { code: number | string; payload: `0x${string}` }) =>
    encodeMessage({ code: Number(code) + 16, payload: hexToBytes(payload) }, true),
  );
  const packets = published("discovery.json")
    .cases.map(({ packet }: { packet: `0x${string}` }) => hexToBytes(packet))
    .filter(isSound);
  const votes = published("istanbul-messages.json.gz")
    .cases.filter(({ payload }: { payload: string }) => payload.length < LONG_DIGITS)
    .map(({ payload }: { payload: `0x${string}` }) => hexToBytes(payload));
  const capabilities = [{ name: "istanbul", version: 67 }];
  const hello = { version: 5, name: "x", capabilities, listenPorts: [], isMultichannel: false };
  const key = new Uint8Array(32).fill(7);
  const secrets = () => ({ aes: key, mac: key, egress: new Keccak256(), ingress: new Keccak256() });
  return {
    handshakes: {
      ...{ samples: [hexToBytes(handshake.auth)], times: 1_000 },
      read: (bytes) => openAuth(hexToBytes(handshake.recipient.staticKey), bytes),
    },
    hellos: {
      ...{ samples: [encodeHello({ ...hello, id: new Uint8Array(64).fill(9) })], times: 50_000 },
      read: decodeHello,
    },
    frames: {
      ...{ samples: [new FrameWriter(secrets()).write(new Uint8Array(200))], times: 9_000 },
      read(bytes) {
        const reader = new FrameReader(secrets());
        reader.push(bytes);
        return reader.next();
      },
    },
    messages: { samples: bodies, times: 40_000, read: readMessage },
    packets: { samples: packets, times: 20_000, read: readPacket },
    votes: {
      ...{ samples: votes, times: 20_000 },
      read: (bytes) => decodeContent(decodeEnvelope(bytes)),
    },
  };
}

function isSound(packet: Uint8Array): boolean {
  try {
    openPacket(packet);
    return true;
  } catch {
    return false;
  }
}

/** Corrects the hash, as an attacker can. */
function readPacket(bytes: Uint8Array): unknown {
  if (bytes.length > HASH_BYTES) bytes.set(keccak256(bytes.subarray(HASH_BYTES)));
  return openPacket(bytes).sender();
}

function readMessage(body: Uint8Array): unknown {
  const { code, payload } = decodeMessage(body, true);
  const name = messageName(code - 16, 67);
  return name && decodeValue(CHAIN_MESSAGES[name].codec as Codec<unknown>, payload);
}

/**
 * Damages all kinds of messages from peers, and decodes them.
 * @param times - number per kind; absent = a number that takes seconds
 * @param onKind - called after each kind
 * @returns how many were decoded, and how many of them accepted
 */
export function damageAll(
  times?: number,
  onKind: (name: string, taken: number) => void = () => {},
): { readonly read: number; readonly taken: number } {
  const random = new Random(20_261_123);
  let taken = 0;
  let read = 0;
  for (const [name, kind] of Object.entries(kinds())) {
    kind.samples.forEach((sample, i) => void kind.read(sample, i)); // valid ones are accepted
    const takenBefore = taken;
    for (let i = 0; i < (times ?? kind.times); i++, read++) {
      const sample = i % kind.samples.length;
      const bytes = damaged(kind.samples[sample] as Uint8Array, random);
      try {
        kind.read(bytes, sample);
        taken++;
      } catch (error) {
        hold(error instanceof NodeError, `${name}: ${(error as Error).stack}`);
      }
    }
    onKind(name, taken - takenBefore);
  }
  return { read, taken };
}

/** Bytes changed, cut off or inserted; one to four times. */
function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  let result = bytes.slice();
  for (let i = random.below(4); i >= 0; i--) {
    const at = random.below(result.length + 1);
    const kind = random.below(4);
    if (kind === 0) result = result.slice(0, at);
    else if (kind === 1)
      result = Buffer.concat([result.subarray(0, at), Uint8Array.of(0xff), result.subarray(at)]);
    else result[at] = random.below(256);
  }
  return result;
}
