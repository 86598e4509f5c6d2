// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Answer = any;

/** Calls a method over HTTP. @throws Error with the node's message */
export async function rpcCall(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Answer; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Asks until an answer is wanted. @throws Error when that takes longer than a minute */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after a minute`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
