// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
type Answer = any;

interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: Answer;
}

/** Calls a method over HTTP. @throws Error with the node's message */
export async function rpcCall(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const { result, error } = await post(url, method, params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The error of a method. @throws Error if it returns a result */
export async function rpcError(url: string, method: string, ...params: unknown[]): Promise<RpcFailure> {
  const { result, error } = await post(url, method, params);
  if (error) return error;
  throw new Error(`${method} returned ${JSON.stringify(result)}`);
}

async function post(
  url: string,
  method: string,
  params: unknown[],
): Promise<{ result: Answer; error?: RpcFailure }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as { result: Answer; error?: RpcFailure };
}

/** Polls until the response is as expected. @throws Error after a minute */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after a minute`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
