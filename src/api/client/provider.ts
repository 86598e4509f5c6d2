import type { Json } from "../../protocol/codec/json/schema.ts";
import type { SendRequest } from "./client.ts";

/** The provider interface that wallets and libraries expect. @see EIP-1193 */
export interface RemoteProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/**
 * An EIP-1193 provider over any connection, for libraries such as viem and ethers. Its errors carry `code` and `data`.
 *
 * @example
 * const provider = remoteProvider(httpRequest("http://127.0.0.1:8551"));
 * const client = createPublicClient({ transport: custom(provider) }); // viem
 */
export function remoteProvider(request: SendRequest): RemoteProvider {
  return { request: ({ method, params = [] }) => request(method, params as readonly Json[]) };
}
