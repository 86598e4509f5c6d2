import { type StartedNode, startNode } from "../../../e2e/started-node.ts";
import { type DeclaredMethod, methodsOf, type OpenRpcDocument } from "../../fuzz-rpc/arguments.ts";
import { post, tellIpc } from "../../fuzz-rpc/channels.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly hint?: string };
  };
}

function request(method: string, params: unknown = []): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

export async function overHttp(node: StartedNode, method: string, params: unknown = []): Promise<Answer> {
  const { text } = await post(Number(new URL(node.endpoints.http).port), request(method, params));
  return JSON.parse(text) as Answer;
}

export async function overIpc(node: StartedNode, method: string, params: unknown = []): Promise<Answer> {
  const [text = "{}"] = await tellIpc(node.endpoints.ipc, request(method, params));
  return JSON.parse(text) as Answer;
}

export async function declared(ask: typeof overHttp, node: StartedNode): Promise<readonly DeclaredMethod[]> {
  return methodsOf((await ask(node, "rpc_discover")).result as OpenRpcDocument);
}

export async function withNode<T>(
  flags: readonly string[],
  work: (node: StartedNode) => Promise<T>,
): Promise<T> {
  const node = await startNode(...flags);
  try {
    return await work(node);
  } finally {
    await node.stop();
  }
}
