// The listeners of a node, on which the transports are attacked.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRpc, type Rpc, type RpcOptions } from "../../src/api/rpc/create-rpc.ts";
import { Registry } from "../../src/api/rpc/engine/registry.ts";
import { web3Handlers } from "../../src/api/rpc/handlers/node/web3.ts";
import { web3 } from "../../src/api/rpc/spec/node/web3.ts";
import type { Listener } from "../../src/platform/http/listener.ts";

/** What the test may change while attacks run. */
export interface Conditions {
  /** Whether the slice of all clients is used up. */
  isDue: boolean;
  /** Whether requests seem to arrive at the same time. */
  isJoint: boolean;
  /** What has been set to run at intervals. */
  readonly clocks: (() => void)[];
  readonly defects: unknown[];
  /** Called during a call that takes time. */
  onSlow: () => void;
}

/** Listeners of one node. */
export interface Served {
  readonly rpc: Rpc;
  readonly http: Listener;
  readonly ws: Listener;
  readonly ipc: Listener;
  readonly stop: AbortController;
  /** Runs what a listener does at intervals. */
  tick(listener: "http" | "ws" | "ipc"): void;
}

/** Bytes of the long answer. */
export const LARGE_BYTES = 2 << 20;
/** Where all listeners are. */
export const LOCAL = { host: "127.0.0.1", port: 0, hosts: ["localhost"] };

const folder = mkdtempSync(join(tmpdir(), "kairn-attacks-"));
let paths = 0;
/** The path of a socket that is not there yet. */
export const freePath = () => join(folder, `${++paths}.ipc`);

/** To be called after all attacks. */
export function removeSockets(): void {
  rmSync(folder, { recursive: true });
}

/** Waits, a millisecond at least each time. */
export const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** The RPC of a node with three methods, whose answers are short, late, or late and long. */
export function rpcOf(conditions: Conditions, stop: AbortController, options: RpcOptions = {}): Rpc {
  const handlers = web3Handlers("test");
  const sha3 = async ({ data }: { readonly data: Uint8Array }) => {
    await turns(1);
    conditions.onSlow();
    await turns(1);
    return new Uint8Array(data.length === 0 ? 1 : LARGE_BYTES);
  };
  const registry = new Registry().mount("web3", web3, { ...handlers, sha3 } as never);
  return createRpc(registry, stop.signal, (_where, error) => void conditions.defects.push(error), options);
}

/** Serves on every transport. */
export async function serve(conditions: Conditions): Promise<Served> {
  const stop = new AbortController();
  const rpc = rpcOf(conditions, stop);
  const clocksOf = () => conditions.clocks.splice(0);
  clocksOf();
  const http = await rpc.listenHttp({ ...LOCAL, unsafe: true, cors: [] });
  const clocks = { http: clocksOf(), ws: [] as (() => void)[], ipc: [] as (() => void)[] };
  const ws = await rpc.listenWebSocket({ ...LOCAL, unsafe: true, origins: [] });
  clocks.ws = clocksOf();
  const ipc = await rpc.listenIpc(freePath());
  clocks.ipc = clocksOf();
  const tick = (listener: keyof typeof clocks): void => {
    for (const clock of clocks[listener]) clock();
  };
  return { rpc, http, ws, ipc, stop, tick };
}
