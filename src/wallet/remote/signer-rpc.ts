import { parseJsonWithin } from "../../platform/intake/nesting.ts";
import { withoutSecrets } from "../../platform/intake/secrets.ts";
import { WalletError } from "../errors.ts";
import type { SignerConnection } from "./signer-connection.ts";

/** Calls methods of a signer. */
export interface SignerRpc {
  readonly location: string;
  /** @throws WalletError `SIGNER_UNREACHABLE`, `SIGNER_REFUSED` (`details.rpcCode`), `SIGNER_ANSWER` */
  call(method: string, params: readonly unknown[], timeoutMs: number): Promise<unknown>;
}

const METHOD_NOT_FOUND = -32601;
/** Characters shown of a signer's error message. */
const MAX_REASON = 200;

/** JSON-RPC 2.0 over a connection. */
export function createSignerRpc(connection: SignerConnection): SignerRpc {
  let lastId = 0;
  return {
    location: connection.location,
    async call(method, params, timeoutMs) {
      const id = ++lastId;
      const request = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const answer = parseResponse(await connection.exchange(request, timeoutMs));
      if (answer.error) throw refusal(answer.error, connection.secrets);
      if (answer.id !== id || answer.result === undefined)
        throw badResponse(`to ${method} is not a JSON-RPC result`);
      return answer.result;
    },
  };
}

/** Whether the signer does not know the method called. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof WalletError && error.details["rpcCode"] === METHOD_NOT_FOUND;
}

/** An invalid response of the signer. @param what - completes "the external signer's response …" */
export function badResponse(what: string): WalletError {
  return new WalletError("SIGNER_ANSWER", `the external signer's response ${what}`);
}

interface RpcResponse {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

function parseResponse(text: string): RpcResponse {
  let value: unknown;
  try {
    value = parseJsonWithin(text);
  } catch (error) {
    throw badResponse(error instanceof SyntaxError ? "is not JSON" : `is ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null) throw badResponse("is not JSON-RPC");
  return value;
}

function refusal(
  { code, message }: NonNullable<RpcResponse["error"]>,
  secrets: readonly string[],
): WalletError {
  const reason =
    typeof message === "string" ? withoutSecrets(message, secrets).slice(0, MAX_REASON) : "no reason given";
  const rpcCode = typeof code === "number" ? code : 0;
  return new WalletError("SIGNER_REFUSED", `external signer: ${reason}`, { rpcCode });
}
