import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type OwnIdentity, openSession } from "../../../../src/network/p2p/session/open-session.ts";
import type { PeerSession } from "../../../../src/network/p2p/session/session.ts";
import { CHAIN_PROTOCOL } from "../../../../src/network/p2p/wire/capabilities.ts";
import {
  CHAIN_MESSAGES,
  type MessageName,
  type MessageValue,
  messageName,
} from "../../../../src/network/protocol/chain-messages.ts";
import { type Codec, decodeValue } from "../../../../src/network/protocol/codec.ts";
import { systemNetwork } from "../../../../src/platform/runtime/system/network.ts";
import { systemRuntime } from "../../../../src/platform/runtime/system.ts";
import { hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { initPrivateChain, startPrivateNode } from "../../../e2e/private-chain.ts";
import { temporaryFolder } from "../../../e2e/started-node.ts";
import { hold } from "../row.ts";

/** Codes of the base protocol come first. */
const OFFSET = 16;
const NETWORK = 4242n;
/** Maximum time to stop, whatever the peers do. */
const STOP_MS = 10_000;

/** A peer's status. */
export interface Chain {
  readonly networkId: bigint;
  readonly chainId: bigint;
  readonly genesis: Uint8Array;
}

/** A node, and its address for peers. */
export interface Target {
  readonly pid: number;
  readonly port: number;
  readonly id: Uint8Array;
  readonly chain: Chain;
  ask<T>(method: string, ...params: unknown[]): Promise<T>;
}

/** Starts a validator for an attack, and stops it afterwards. */
export async function withTarget<T>(attack: (target: Target) => Promise<T>, ...flags: string[]): Promise<T> {
  const folder = temporaryFolder();
  await initPrivateChain(folder);
  const node = await startPrivateNode(folder, "--port", "0", "--rpcapi", "eth,net,admin", ...flags);
  try {
    const ask = async <R>(method: string, ...params: unknown[]): Promise<R> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const response = await fetch(node.url, { method: "POST", headers, body });
      const answer = (await response.json()) as { result: R; error?: { message: string } };
      if (answer.error !== undefined) throw new Error(answer.error.message);
      return answer.result;
    };
    const info = await ask<{ id: string; ports: { listener: number } }>("admin_nodeInfo");
    const { hash } = await ask<{ hash: `0x${string}` }>("eth_getBlockByNumber", "0x0", false);
    return await attack({
      ...{ pid: node.child.pid as number, port: info.ports.listener, ask },
      id: hexToBytes(`0x${info.id}`),
      chain: { networkId: NETWORK, chainId: NETWORK, genesis: hexToBytes(hash) },
    });
  } finally {
    node.child.kill("SIGTERM");
    const late = setTimeout(() => node.child.kill("SIGKILL"), STOP_MS);
    const code = await node.exited;
    clearTimeout(late);
    hold(code === 0, `with peers connected the node ended with ${code}`);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A peer controlled by the attacker. */
export interface Attacker {
  readonly session: PeerSession;
  /** Codes of received messages. */
  readonly got: Map<MessageName, number>;
  send<N extends MessageName>(name: N, value: MessageValue<N>): void;
}

/** How a peer behaves. */
export interface Behaviour {
  /** The chain it claims to be on; absent = the target's. */
  readonly chain?: Chain;
  /** The head that it claims. */
  readonly head?: bigint;
  /** Called with each message. */
  onMessage?(name: MessageName, value: unknown, attacker: Attacker): void;
}

/** Connects to a target, and sends its status. */
export async function meet(target: Target, seed: number, behaviour: Behaviour = {}): Promise<Attacker> {
  const own: OwnIdentity = {
    ...{ key: new Uint8Array(32).fill(seed), connectionType: 1 },
    ...{ name: "\u001b[2Jhostile", capabilities: CHAIN_PROTOCOL },
  };
  const stream = await systemNetwork.connect(
    { host: "127.0.0.1", port: target.port },
    5_000,
    new AbortController().signal,
  );
  const opening = { stream, own, dialled: target.id, admit: () => undefined, runtime: systemRuntime };
  const session = await openSession(opening);
  const got = new Map<MessageName, number>();
  const attacker: Attacker = {
    ...{ session, got },
    send(name, value) {
      const { code, codec } = CHAIN_MESSAGES[name];
      session.send(OFFSET + code, (codec as unknown as Codec<typeof value>).write(value));
    },
  };
  const { chain = target.chain } = behaviour;
  // First, since starting may deliver the target's status at once: no response to it may precede our own status.
  attacker.send("status", {
    ...{ protocolVersion: 67n, ...chain },
    ...{ head: chain.genesis, totalBlockScore: (behaviour.head ?? 0n) + 1n },
  });
  const first = new Promise<void>((resolve) => {
    session.start((code, payload) => {
      const name = messageName(code - OFFSET, 67);
      if (name === undefined) return;
      got.set(name, (got.get(name) ?? 0) + 1);
      if (name === "status") resolve();
      behaviour.onMessage?.(
        name,
        decodeValue(CHAIN_MESSAGES[name].codec as Codec<unknown>, payload),
        attacker,
      );
    });
  });
  await Promise.race([first, session.ended]);
  return attacker;
}

/** A connection without a protocol. @param from - an address of this machine */
export async function knock({ port }: Target, from = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => {}).resume();
  await new Promise<void>((resolve) => void socket.once("connect", resolve).once("close", () => resolve()));
  return socket;
}
