import { describe, expect, it } from "vitest";
import { SharedBytes } from "../../../platform/runtime/shared-bytes.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { TestStream } from "../testing/stream-pair.ts";
import { CHAIN_PROTOCOL } from "../wire/capabilities.ts";
import { DisconnectReason } from "../wire/disconnect.ts";
import { ConnectionType, openSession, type SessionRequest } from "./open-session.ts";

const ALICE = new Uint8Array(32).fill(0x11);
const BOB = new Uint8Array(32).fill(0x22);

/** Opens both ends of a session between Alice, who dials, and Bob. */
function openBoth(alice: Partial<SessionRequest> = {}, bob: Partial<SessionRequest> = {}) {
  const [left, right] = TestStream.pair();
  const common = { runtime: systemRuntime, admit: () => undefined };
  const own = { connectionType: ConnectionType.en, name: "test", capabilities: CHAIN_PROTOCOL };
  const opened = [
    openSession({
      ...common,
      stream: left,
      own: { ...own, key: ALICE },
      dialled: publicKeyOf(BOB),
      ...alice,
    }),
    openSession({ ...common, stream: right, own: { ...own, key: BOB }, ...bob }),
  ] as const;
  return { opened: Promise.allSettled(opened), left, right };
}

/** Both sessions. @throws when one could not be opened */
async function connected(...requests: Parameters<typeof openBoth>) {
  const { opened, ...streams } = openBoth(...requests);
  const [a, b] = await opened;
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return { alice: a.value, bob: b.value, ...streams };
}

function reasonOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === "rejected" ? (outcome.reason.details.reason ?? outcome.reason.message) : "opened";
}

describe("a session", () => {
  it("opens between two nodes that know each other's identity", async () => {
    const { alice, bob } = await connected();
    expect(bytesToHex(alice.hello.id)).toBe(bytesToHex(publicKeyOf(BOB)));
    expect(bytesToHex(bob.hello.id)).toBe(bytesToHex(publicKeyOf(ALICE)));
    expect([alice.isInbound, bob.isInbound]).toEqual([false, true]);
    expect(alice.shared).toEqual([{ name: "istanbul", version: 67, codes: 26, offset: 16 }]);
  });

  it("sends the connection type by itself, and the rest only after a pause", async () => {
    const { left } = await connected();
    expect(left.written[0]).toEqual(Uint8Array.of(ConnectionType.en));
  });

  it("counts the bytes transferred after the handshake", async () => {
    const moved = { sent: 0, received: 0 };
    const traffic = {
      sent(bytes: number) {
        moved.sent += bytes;
      },
      received(bytes: number) {
        moved.received += bytes;
      },
    };
    const { alice, bob, left, right } = await connected({ traffic });
    const size = ({ written }: TestStream) => written.reduce((sum, { length }) => sum + length, 0);
    const before = [size(left), size(right)] as const;
    const got: number[] = [];
    alice.start(() => {});
    bob.start((code) => void got.push(code));
    alice.send(16, new Uint8Array(1000));
    bob.send(16, new Uint8Array(10));
    await expect.poll(() => moved.received).toBe(size(right) - before[1]);
    expect(moved.sent).toBe(size(left) - before[0]);
    expect(moved.sent).toBeGreaterThan(0);
  });

  it("counts an incomplete message among the bytes received from all peers, and ends when they are too many", async () => {
    const received = new SharedBytes(1_000_000);
    const { alice, bob } = await connected({}, { received });
    alice.start(() => {});
    bob.start(() => {});
    alice.send(16, systemRuntime.randomness.bytes(400_000));
    await expect.poll(() => received.total).toBe(0);
    const write = alice.stream.write.bind(alice.stream);
    alice.stream.write = (bytes) => write(bytes.subarray(0, -1));
    alice.send(16, systemRuntime.randomness.bytes(900_000));
    await expect.poll(() => received.total).toBeGreaterThan(850_000);
    received.set({ cutOff: () => {} }, 500_000);
    expect([await bob.ended, received.total]).toEqual([DisconnectReason.networkError, 500_000]);
  });

  it("counts nothing of a session that has ended", async () => {
    const received = new SharedBytes(1_000_000);
    const { alice, bob } = await connected({}, { received });
    alice.start(() => {});
    bob.start(() => {});
    const write = alice.stream.write.bind(alice.stream);
    alice.stream.write = (bytes) => write(bytes.subarray(0, -1));
    alice.send(16, systemRuntime.randomness.bytes(400_000));
    await expect.poll(() => received.total).toBeGreaterThan(350_000);
    bob.disconnect(DisconnectReason.uselessPeer);
    await bob.ended;
    expect(received.total).toBe(0);
  });

  it("counts the message being handled as long as it is unpacked, and what it is decoded into", async () => {
    const received = new SharedBytes(10_000_000);
    const { alice, bob } = await connected({}, { received });
    let handled = () => {};
    bob.start(() => new Promise<void>((resolve) => (handled = resolve)));
    alice.start(() => {});
    alice.send(16, new Uint8Array(4_000_000));
    await expect.poll(() => received.total).toBeGreaterThan(4_000_000);
    expect(received.total).toBeLessThan(4_500_000); // packed, it is far shorter
    bob.holds(3_000_000);
    expect(received.total).toBeGreaterThan(7_000_000);
    handled();
    await expect.poll(() => received.total).toBe(0);
  });

  it("carries messages both ways, in order", async () => {
    const { alice, bob } = await connected();
    const got: [number, number][] = [];
    const all = new Promise<void>((resolve) => {
      bob.start((code, payload) => {
        got.push([code, payload.length]);
        if (got.length === 3) resolve();
      });
    });
    alice.start(() => {});
    alice.send(20, new Uint8Array(5));
    alice.send(21, new Uint8Array(200_000));
    alice.send(16, new Uint8Array(0));
    await all;
    expect(got).toEqual([
      [20, 5],
      [21, 200_000],
      [16, 0],
    ]);
  });

  it("responds to a ping itself", async () => {
    const { alice, bob, right } = await connected();
    alice.start(() => {});
    bob.start(() => {
      throw new Error("a ping is not for the protocol");
    });
    const before = right.written.length;
    alice.send(2, Uint8Array.of(0xc0));
    await expect.poll(() => right.written.length).toBe(before + 1);
  });

  it("ends with the reason given by the other side", async () => {
    const { alice, bob } = await connected();
    alice.start(() => {});
    bob.start(() => {});
    alice.disconnect(DisconnectReason.clientQuitting);
    expect(await bob.ended).toBe(DisconnectReason.clientQuitting);
    expect(await alice.ended).toBe(DisconnectReason.clientQuitting);
  });

  it("ends without affecting others when its handler throws", async () => {
    const { alice, bob } = await connected();
    alice.start(() => {});
    bob.start(() => {
      throw new Error("broken");
    });
    alice.send(16, Uint8Array.of(0xc0));
    expect(await bob.ended).toBe(DisconnectReason.subprotocolError);
    expect(await alice.ended).toBe(DisconnectReason.subprotocolError);
  });

  it("ends when a frame was tampered with", async () => {
    const { alice, bob, left } = await connected();
    bob.start(() => {});
    alice.start(() => {});
    const write = left.write.bind(left);
    left.write = (bytes) => write(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)));
    alice.send(16, new Uint8Array(100));
    expect(await bob.ended).toBe(DisconnectReason.breachOfProtocol);
  });

  it("is refused to disallowed nodes, before and without a hello", async () => {
    const { opened } = openBoth({}, { admit: () => DisconnectReason.tooManyPeers });
    const [alice, bob] = await opened;
    expect([reasonOf(alice), reasonOf(bob)]).toEqual([4, 4]);
  });

  it("is refused to the node itself", async () => {
    const { opened } = openBoth(
      {},
      { own: { key: ALICE, connectionType: 1, name: "", capabilities: CHAIN_PROTOCOL } },
    );
    const [alice] = await opened;
    expect(reasonOf(alice)).not.toBe("opened"); // Bob is not the dialled node
    const self = openBoth(
      { dialled: publicKeyOf(ALICE) },
      { own: { key: ALICE, connectionType: 1, name: "", capabilities: CHAIN_PROTOCOL } },
    );
    expect((await self.opened).map(reasonOf)).toContain(DisconnectReason.connectedToSelf);
  });

  it("is refused without a protocol in common", async () => {
    const capabilities = [{ name: "eth", version: 68, codes: 17 }];
    const { opened } = openBoth({}, { own: { key: BOB, connectionType: 1, name: "", capabilities } });
    expect((await opened).map(reasonOf)).toEqual([3, 3]);
  });

  it("reads a frame that arrives byte by byte", async () => {
    const { alice, bob, left } = await connected();
    const got = new Promise<number>((resolve) => bob.start((_code, payload) => resolve(payload.length)));
    alice.start(() => {});
    const write = left.write.bind(left);
    left.write = (bytes) => {
      for (const byte of bytes) write(Uint8Array.of(byte));
    };
    alice.send(
      16,
      Uint8Array.from({ length: 5_000 }, (_, i) => (i * i) >> 3),
    );
    expect(await got).toBe(5_000);
  });

  it("stops responding to a peer that does not read until it does", async () => {
    const { alice, bob, right } = await connected();
    alice.start(() => {});
    let answered = 0;
    bob.start(() => void answered++);
    Object.assign(right, { unsent: 5 << 20 });
    for (let i = 0; i < 10; i++) alice.send(16, new Uint8Array(0));
    await expect.poll(() => answered).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(1);
    Object.assign(right, { unsent: 0 });
    await expect.poll(() => answered).toBe(10);
  });

  it("applies backpressure to a peer that sends tens of thousands of empty messages", async () => {
    const { alice, bob, right } = await connected();
    alice.start(() => {});
    let isPaused = false;
    right.pause = () => {
      isPaused = true;
    };
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    bob.start(() => blocked);
    for (let i = 0; i < 70_000; i++) alice.send(16, new Uint8Array(0));
    await expect.poll(() => isPaused).toBe(true);
    release();
    alice.disconnect(DisconnectReason.requested);
  });

  it("ends on garbage instead of a handshake, without waiting for more", async () => {
    const [left, right] = TestStream.pair();
    const own = { key: BOB, connectionType: 1, name: "", capabilities: CHAIN_PROTOCOL };
    const opening = openSession({ stream: right, own, admit: () => undefined, runtime: systemRuntime });
    left.write(Uint8Array.of(1, 0, 200, ...new Uint8Array(200)));
    await expect(opening).rejects.toThrow("ecies: invalid message");
    await expect.poll(() => right.isClosed).toBe(true);
  });

  it("buffers no more than necessary before the handshake is complete", async () => {
    const [left, right] = TestStream.pair();
    const own = { key: BOB, connectionType: 1, name: "", capabilities: CHAIN_PROTOCOL };
    const opening = openSession({ stream: right, own, admit: () => undefined, runtime: systemRuntime });
    left.write(new Uint8Array(300_000).fill(0xff));
    await expect(opening).rejects.toThrow("too many bytes");
  });
});
