import type { Handlers } from "../method.ts";
import { openrpcDocument } from "../openrpc.ts";
import type { Registry } from "../registry.ts";
import type { rpc } from "../spec/rpc.ts";

/** `rpc_*`. */
export function rpcHandlers(registry: Registry, version: string): Handlers<typeof rpc> {
  return {
    rpc_modules: (_args, { modules }) => Object.fromEntries(modules.map((name) => [name, "1.0" as const])),
    rpc_discover: () => openrpcDocument(registry.declarations(), version),
  };
}
