/** Describes what is wrong with a JSON-RPC response; undefined if it is well formed. An empty text means no response. */
export function faultOf(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (!Array.isArray(value)) return messageFault(value);
  if (value.length === 0) return "an empty batch of answers";
  return value.map(messageFault).find((fault) => fault !== undefined);
}

function messageFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "not an object";
  const message = value as Record<string, unknown>;
  if (message["jsonrpc"] !== "2.0") return "no jsonrpc 2.0";
  if (typeof message["method"] === "string") return undefined;
  if (!("id" in message)) return "no id";
  if ("result" in message === "error" in message) return "not one of result and error";
  return "error" in message ? errorFault(message["error"]) : undefined;
}

function errorFault(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as Record<string, unknown>;
  if (!Number.isInteger(code) || typeof message !== "string") return "no code and message";
  return code === -32603 ? "an internal error" : undefined;
}
