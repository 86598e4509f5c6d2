import { openrpcDocument } from "../../render/openrpc.ts";
import type { Handlers, Served } from "../../spec/method.ts";
import type { rpc } from "../../spec/node/rpc.ts";

/** `rpc_*`. */
export function rpcHandlers(version: string): Handlers<typeof rpc> {
  const documents = new WeakMap<Served, ReturnType<typeof openrpcDocument>>();
  return {
    modules: (_args, { access }) => Object.fromEntries(access.modules.map((name) => [name, "1.0" as const])),
    discover(_args, { access }) {
      const document = documents.get(access) ?? openrpcDocument(access, version);
      documents.set(access, document);
      return document;
    },
  };
}
